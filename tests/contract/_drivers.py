"""Every way to drive a turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeAlias

import anyio
from anyio import to_thread
from anyio.lowlevel import checkpoint

from finalturn import Agent
from tests.contract._leave import Leave, Left, closed_from_outside, on_signal, told_of_it
from tests.contract._observed import Observed

Call: TypeAlias = dict[str, Any]
Turn: TypeAlias = tuple[Agent[Any], Any, Call, Observed]


class Drive(Protocol):
    """Drives one turn, and leaves it before its end where it is told to."""

    def __call__(
        self, agent: Agent[Any], given: Any, call: Call, observed: Observed, leave: Leave | None = None, /
    ) -> None: ...


AsyncDrive: TypeAlias = Callable[[Agent[Any], Any, Call, Observed, Leave | None], Awaitable[None]]


def _stream(
    agent: Agent[Any], given: Any, call: Call, observed: Observed, leave: Leave | None = None, /
) -> None:
    observed.begins_chunks()
    with agent.stream(given, **call) as items:
        if leave is None:
            for item in items:
                observed.takes(item)
            return
        with closed_from_outside(items, leave.when), told_of_it(leave):
            for item in items:
                observed.takes(item)
                if leave.at(observed):
                    break
    leave.then()


def _run(
    agent: Agent[Any], given: Any, call: Call, observed: Observed, leave: Leave | None = None, /
) -> None:
    def handle(text: str) -> None:
        observed.takes_text(text)
        if leave is not None and leave.at(observed):
            raise Left

    try:
        observed.ends(agent.run(given, stream_handler=handle, **call))
    except Left:
        assert leave is not None
        leave.then()


async def _astream(
    agent: Agent[Any], given: Any, call: Call, observed: Observed, leave: Leave | None
) -> None:
    observed.begins_chunks()
    async with agent.astream(given, **call) as stream:
        if leave is None:
            async for item in stream:
                observed.takes(item)
            return
        async with on_signal(leave.when, stream.aclose):
            with told_of_it(leave):
                async for item in stream:
                    observed.takes(item)
                    if leave.at(observed):
                        break
    await to_thread.run_sync(leave.then)


async def _arun(agent: Agent[Any], given: Any, call: Call, observed: Observed, leave: Leave | None) -> None:
    scope = anyio.CancelScope()

    async def handle(text: str) -> None:
        observed.takes_text(text)
        if leave is not None and leave.at(observed):
            scope.cancel()
            # A scripted model never waits: the cancellation arrives here, or after the turn.
            await checkpoint()

    async def cancel() -> None:
        scope.cancel()

    if leave is None:
        observed.ends(await agent.arun(given, stream_handler=handle, **call))
        return
    async with on_signal(leave.when, cancel):
        with scope:
            observed.ends(await agent.arun(given, stream_handler=handle, **call))
    await to_thread.run_sync(leave.then)


def _on(backend: str, drive: AsyncDrive) -> Drive:
    def on_loop(
        agent: Agent[Any], given: Any, call: Call, observed: Observed, leave: Leave | None = None, /
    ) -> None:
        anyio.run(drive, agent, given, call, observed, leave, backend=backend)

    return on_loop


CHUNK_DRIVERS: dict[str, Drive] = {
    "stream": _stream,
    "astream-asyncio": _on("asyncio", _astream),
    "astream-trio": _on("trio", _astream),
}
TOKEN_DRIVERS: dict[str, Drive] = {
    "run": _run,
    "arun-asyncio": _on("asyncio", _arun),
    "arun-trio": _on("trio", _arun),
}


def together(driver: str, turns: Sequence[Turn]) -> None:
    """Drive turns at the same time: in one event loop, or in a thread for each."""
    method, _, backend = driver.partition("-")
    if not backend:
        drive = {"stream": _stream, "run": _run}[method]
        with ThreadPoolExecutor(len(turns)) as pool:
            for done in [pool.submit(drive, *turn) for turn in turns]:
                done.result()
        return

    async def main() -> None:
        async with anyio.create_task_group() as group:
            for turn in turns:
                group.start_soon({"astream": _astream, "arun": _arun}[method], *turn, None)

    anyio.run(main, backend=backend)
