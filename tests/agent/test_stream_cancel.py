"""A turn that is stopped at each of its awaits, one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint

from finalturn import (
    Agent,
    AgentStream,
    Message,
    SessionHistory,
    StreamClosedError,
    StructuredOutputConfig,
    tool,
)
from finalturn._core.history import repaired
from finalturn.providers import Scripted
from tests.agent._parts import ANSWER, Ticket
from tests.contract.test_lifecycle import check_replayable

pytestmark = pytest.mark.anyio

MOST = 500
WHOLE = 5


class Turn:
    """A turn that awaits something in every part of it, and what became of it."""

    def __init__(self) -> None:
        self.saved: list[Message] = []
        self.running = 0
        self.script = Scripted(
            [checkpoint, "Look. ", checkpoint, Scripted.call("work"), Scripted.call("work")],
            [checkpoint, "Done.", checkpoint],
            [checkpoint, ANSWER, checkpoint],
        )

        @tool
        async def work() -> str:
            """Works."""
            self.running += 1
            try:
                await checkpoint()
                await checkpoint()
            finally:
                self.running -= 1
            return "worked"

        async def predicate(messages: Sequence[Message], text: str) -> bool:
            await checkpoint()
            return True

        async def prompt() -> str:
            await checkpoint()
            return "Be kind."

        agent = Agent(
            self.script,
            tools=[work],
            gates=[self],
            system_prompt=prompt,
            context=[prompt],
            sessions=self,
            structured_output=StructuredOutputConfig(final_turn_only=True, should_finalize=predicate),
            response_format=Ticket,
        )
        self.stream: AgentStream[Any] = agent.astream("go", session="s")
        self.ended = ""

    async def check(self, call: Any, messages: Any, /) -> None:
        await checkpoint()

    async def load(self, session: str, /) -> SessionHistory:
        await checkpoint()
        return SessionHistory()

    async def append(self, session: str, messages: Sequence[Message], version: int, /) -> None:
        for message in messages:
            self.saved.append(message)
            await checkpoint()

    async def read(self) -> None:
        try:
            async with self.stream as items:
                async for _ in items:
                    pass
            self.ended = "ended"
        except StreamClosedError as error:
            self.ended = type(error).__name__
        except BaseException as error:
            self.ended = type(error).__name__
            raise

    def check_stopped(self) -> None:
        assert (self.script.open, self.running) == (0, 0)
        assert len(self.saved) in (0, WHOLE)
        check_replayable(repaired([*self.saved, Message.user("next")]))


async def walk(stop: Callable[[Turn, int], Awaitable[bool]]) -> None:
    """Stop a fresh turn after each number of steps, until one is not stopped any more."""
    for steps in range(MOST):
        turn = Turn()
        stopped = await stop(turn, steps)
        turn.check_stopped()
        if not stopped:
            assert steps > 20
            assert len(turn.saved) == WHOLE
            return
    raise AssertionError("the turn has no end")


async def test_by_a_cancelled_scope() -> None:
    async def stop(turn: Turn, steps: int) -> bool:
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(turn.read)
                for _ in range(steps):
                    await checkpoint()
                if not turn.ended:
                    scope.cancel()
        assert turn.ended in ("", "ended", "CancelledError", "Cancelled")
        return scope.cancel_called

    await walk(stop)


async def test_by_closing_it_from_another_task() -> None:
    async def stop(turn: Turn, steps: int) -> bool:
        stopped: list[bool] = []
        async with anyio.create_task_group() as group:
            group.start_soon(turn.read)
            for _ in range(steps):
                await checkpoint()
            stopped.append(not turn.ended)
            await turn.stream.aclose()
            assert turn.script.open == 0
        assert turn.ended == ("StreamClosedError" if stopped[0] else "ended")
        return stopped[0]

    await walk(stop)


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("times", [1, 2])
async def test_by_cancelling_its_asyncio_task(times: int) -> None:
    async def stop(turn: Turn, steps: int) -> bool:
        before = asyncio.all_tasks()
        task = asyncio.ensure_future(turn.read())
        for _ in range(steps):
            await asyncio.sleep(0)
        stopped = not task.done()
        for _ in range(times):
            task.cancel()
            await asyncio.sleep(0)
        await asyncio.wait([task])
        assert task.cancelled() is stopped
        assert asyncio.all_tasks() == before
        return stopped

    await walk(stop)


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_by_closing_and_cancelling_at_once() -> None:
    async def stop(turn: Turn, steps: int) -> bool:
        task = asyncio.ensure_future(turn.read())
        for _ in range(steps):
            await asyncio.sleep(0)
        stopped = not task.done()
        closing = asyncio.ensure_future(turn.stream.aclose())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task, closing])
        assert closing.exception() is None
        return stopped

    await walk(stop)
