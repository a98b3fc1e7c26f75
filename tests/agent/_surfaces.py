"""The four ways to run a turn, each as a coroutine that gives the result."""

from __future__ import annotations

from typing import Any

import pytest
from anyio import to_thread

from finalturn import (
    Agent,
)


async def by_run(agent: Agent[Any], given: Any, **call: Any) -> Any:
    return await to_thread.run_sync(lambda: agent.run(given, **call))


async def by_arun(agent: Agent[Any], given: Any, **call: Any) -> Any:
    return await agent.arun(given, **call)


async def by_stream(agent: Agent[Any], given: Any, **call: Any) -> Any:
    def read() -> Any:
        return list(agent.stream(given, **call))[-1]

    return await to_thread.run_sync(read)


async def by_astream(agent: Agent[Any], given: Any, **call: Any) -> Any:
    return [item async for item in agent.astream(given, **call)][-1]


SURFACES = [by_run, by_arun, by_stream, by_astream]
on_every_surface = pytest.mark.parametrize("drive", SURFACES, ids=["run", "arun", "stream", "astream"])
