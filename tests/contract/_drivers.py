"""Every way to drive a turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio

from finalturn import Agent, AgentResult, StreamChunk
from tests.contract._observed import Observed

Call = dict[str, Any]
Drive = Callable[[Agent[Any], str | list[Any], Call, Observed], None]


def _take(item: StreamChunk | AgentResult[Any], observed: Observed) -> None:
    if isinstance(item, AgentResult):
        observed.results.append(item)
        return
    assert not observed.results, "something followed the result"
    observed.chunks.append(item)
    if item.content:
        observed.pieces.append(item.content)


def by_stream(agent: Agent[Any], given: Any, call: Call, observed: Observed) -> None:
    observed.seen = []
    for item in agent.stream(given, **call):
        _take(item, observed)


def by_run(agent: Agent[Any], given: Any, call: Call, observed: Observed) -> None:
    observed.results.append(agent.run(given, stream_handler=observed.pieces.append, **call))


def by_astream(backend: str) -> Drive:
    def drive(agent: Agent[Any], given: Any, call: Call, observed: Observed) -> None:
        async def main() -> None:
            observed.seen = []
            async with agent.astream(given, **call) as stream:
                async for item in stream:
                    _take(item, observed)

        anyio.run(main, backend=backend)

    return drive


def by_arun(backend: str) -> Drive:
    def drive(agent: Agent[Any], given: Any, call: Call, observed: Observed) -> None:
        async def handle(text: str) -> None:
            observed.pieces.append(text)

        async def main() -> None:
            observed.results.append(await agent.arun(given, stream_handler=handle, **call))

        anyio.run(main, backend=backend)

    return drive


CHUNK_DRIVERS: dict[str, Drive] = {
    "stream": by_stream,
    "astream-asyncio": by_astream("asyncio"),
    "astream-trio": by_astream("trio"),
}
TOKEN_DRIVERS: dict[str, Drive] = {
    "run": by_run,
    "arun-asyncio": by_arun("asyncio"),
    "arun-trio": by_arun("trio"),
}
