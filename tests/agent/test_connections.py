"""Turns over HTTP that are stopped give their connections back."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any

import anyio
import httpx2
import pytest
from anyio import to_thread

from finalturn import Agent, AgentStream, StreamClosedError
from finalturn.providers import OpenAIChat, Scripted
from finalturn.testing import ScriptedServer

pytestmark = pytest.mark.anyio

TURNS = 6
"""More than the connections of the pool."""


@pytest.mark.parametrize("how", ["cancel", "timeout", "aclose", "break"])
async def test_turns_that_are_stopped_do_not_use_up_a_pool_of_two(how: str) -> None:
    """Each is stopped while it waits for more, but for those that are left between two items."""
    go_on = threading.Event()

    async def read_on(stream: AgentStream[Any]) -> None:
        with suppress(StreamClosedError):
            await anext(stream)

    async def stop(agent: Agent[Any]) -> None:
        stream = agent.astream("go")
        await anext(stream)
        if how == "break":
            return
        if how == "timeout":
            with anyio.move_on_after(0) as scope:
                await anext(stream)
            assert scope.cancelled_caught
            return
        async with anyio.create_task_group() as group:
            group.start_soon(read_on, stream)
            await anyio.lowlevel.checkpoint()
            if how == "aclose":
                await stream.aclose()
            else:
                group.cancel_scope.cancel()

    def held(request: Any) -> Any:
        return ["one ", go_on.wait] if request.json["messages"][0]["content"] == "go" else "fine"

    limits = httpx2.Limits(max_connections=2)
    with ScriptedServer(then=held) as server:
        async with httpx2.AsyncClient(limits=limits, timeout=30) as client:
            agent = Agent(OpenAIChat("x", base_url=server.url, http_client=client))
            for _ in range(TURNS):
                await stop(agent)
            assert (await agent.arun("hello")).content == "fine"
            assert len(server.requests) == TURNS + 1
            await to_thread.run_sync(server.wait_until, lambda: server.disconnects == TURNS)
        go_on.set()


async def test_a_turn_that_ends_gives_its_connection_to_the_next() -> None:
    with ScriptedServer(then=["one ", "two"]) as server:
        async with OpenAIChat("x", base_url=server.url) as chat:
            agent = Agent(chat)
            for _ in range(5):
                assert (await agent.arun("go")).content == "one two"
        assert server.connections == 1


async def test_the_calls_of_a_turn_share_a_connection() -> None:
    with ScriptedServer([Scripted.call("nothing")], "done") as server:
        async with OpenAIChat("x", base_url=server.url) as chat:
            assert (await Agent(chat).arun("go")).content == "done"
        assert server.connections == 1
