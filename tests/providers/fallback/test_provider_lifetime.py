"""Turns over a `Fallback` that are left, and turns at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from anyio import to_thread

from finalturn import Agent, AgentResult, ProviderSwitch, StreamChunk, tool
from finalturn.providers import Fallback, OpenAIChat, Scripted
from finalturn.testing import HttpAnswer, ScriptedServer
from tests.contract._scenes import LOOKUP, lookup
from tests.providers._fallback import KINDS, Named, Nobody, down

pytestmark = pytest.mark.anyio


async def left(agent: Agent[Any], until: Callable[[StreamChunk], object]) -> None:
    """Read a turn until something was shown, and leave it."""
    async with agent.astream("go") as items:
        async for item in items:
            assert not isinstance(item, AgentResult)
            if until(item):
                return


class TestClosing:
    @pytest.mark.parametrize("kind", ["streaming", "sync-stream"])
    async def test_in_the_middle_closes_the_one_that_answers(self, kind: str) -> None:
        of = KINDS[kind]
        first, second = Named("a", down()), Named("b", ["one ", "two "])
        await left(Agent(Fallback(of(first), of(second), Nobody())), lambda item: item.content)
        assert (first.open, second.open, second.abandoned) == (0, 0, 1)

    async def test_of_nested_ones_closes_the_one_that_answers(self) -> None:
        one = Scripted(["one ", "two "])
        await left(Agent(Fallback(Fallback(Named("a", down()), Fallback(one)))), lambda item: item.content)
        assert (one.open, one.abandoned) == (0, 1)

    async def test_starts_no_tool(self) -> None:
        @tool
        def act() -> str:
            """Acts."""
            raise AssertionError("it ran")

        provider = Fallback(Named("a", down()), Scripted([Scripted.call("act")]), Nobody())
        await left(Agent(provider, tools=[act]), lambda item: item.tool_calls)

    async def test_frees_the_connection(self) -> None:
        go_on = threading.Event()
        with (
            ScriptedServer(HttpAnswer(503)) as bad,
            ScriptedServer(["one ", lambda: go_on.wait(30), "two "]) as good,
        ):
            chats = [
                OpenAIChat("m", base_url=server.url, api_key="x", max_retries=0) for server in (bad, good)
            ]
            await left(Agent(Fallback(*chats)), lambda item: item.content)
            go_on.set()
            await to_thread.run_sync(good.wait_until, lambda: good.open_connections == 0)
            for one in chats:
                await one.aclose()


class TestCancelling:
    @pytest.mark.parametrize(
        "before", [[], [LOOKUP], ["text "]], ids=["before anything", "in its calls", "in its text"]
    )
    @pytest.mark.parametrize("place", [0, 1])
    async def test_stops_the_one_that_is_asked_and_asks_no_other(self, before: list[Any], place: int) -> None:
        begun = anyio.Event()
        one = Scripted([*before, begun.set, anyio.Event().wait])
        failing = [Named("a", down())][:place]
        agent: Agent[Any] = Agent(Fallback(*failing, one, Nobody()), tools=[lookup])
        async with anyio.create_task_group() as group:
            group.start_soon(agent.arun, "go")
            await begun.wait()
            group.cancel_scope.cancel()
        assert (one.open, one.abandoned) == (0, 1)

    async def test_closes_an_iterator_when_its_thread_comes_back(self) -> None:
        begun, go_on, freed = threading.Event(), threading.Event(), threading.Event()

        class Waiting:
            def stream(self, request: Any, /) -> Any:
                try:
                    begun.set()
                    go_on.wait(30)
                    yield None
                finally:
                    freed.set()

        agent: Agent[Any] = Agent(Fallback(Named("a", down()), Waiting(), Nobody()))
        async with anyio.create_task_group() as group:
            group.start_soon(agent.arun, "go")
            await to_thread.run_sync(begun.wait)
            group.cancel_scope.cancel()
        go_on.set()
        assert await to_thread.run_sync(freed.wait, 30)


class TestAtTheSameTime:
    async def test_turns_have_places_of_their_own(self) -> None:
        """Half of ten turns switch, and every one is half way before any goes on."""
        arrived = 0
        everyone = anyio.Event()

        async def wait() -> None:
            nonlocal arrived
            arrived += 1
            if arrived == 10:
                everyone.set()
            await everyone.wait()

        def first(request: Any) -> list[Any]:
            word = request.messages[0].content
            if request.call == 0 and word.startswith("bad"):
                return [down(word)]
            return [wait, LOOKUP] if request.call == 0 else [f"first {word}"]

        def second(request: Any) -> list[Any]:
            word = request.messages[0].content
            return [wait, LOOKUP] if request.call == 0 else [f"second {word}"]

        agent = Agent(Fallback(Named("a", then=first), Named("b", then=second)), tools=[lookup])
        results: dict[str, AgentResult[Any]] = {}

        async def turn(word: str) -> None:
            results[word] = await agent.arun(word)

        words = [f"{kind}{index}" for kind in ("good", "bad") for index in range(5)]
        async with anyio.create_task_group() as group:
            for word in words:
                group.start_soon(turn, word)
        for word, result in results.items():
            if word.startswith("good"):
                assert (result.content, result.switches) == (f"first {word}", ())
            else:
                assert result.content == f"second {word}"
                assert result.switches == (ProviderSwitch(0, "a", "b", word, 503, "overloaded"),)
        assert sorted(results) == sorted(words)

    async def test_streams_of_one_agent_are_read_in_turns(self) -> None:
        agent = Agent(Fallback(Named("a", down(), then=["one ", "two "]), Named("b", ["eins ", "zwei "])))
        async with agent.astream("go") as left, agent.astream("go") as right:
            found = [await anext(left), await anext(right), await anext(left), await anext(right)]
        assert [item.content for item in found] == ["eins ", "one ", "zwei ", "two "]
