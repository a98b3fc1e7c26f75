"""Properties of every turn, wherever it is left: its grammar, and what it leaves in history."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from contextlib import nullcontext
from functools import partial
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finalturn import Agent, AgentResult, Message, StreamChunk, StreamClosedError, tool
from finalturn._core.history import repaired
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from tests.contract._scenes import ANSWER, FINAL, Ticket
from tests.core._conversations import problems
from tests.field._scripts import MODES, parts_of, turns

# 4. What is shown follows one grammar, wherever a turn ends.

GRAMMAR = re.compile(r"(?:[cr]|t+)*(?:U|S)?[RE]?")


def letters(items: list[Any]) -> str:
    """The sequence, a letter for each item."""
    found = ""
    for item in items:
        match item:
            case StreamChunk(event="structured_synthesis_start"):
                found += "S"
            case StreamChunk(event="structured_reuse"):
                found += "U"
            case StreamChunk(content=text) if text:
                found += "c"
            case StreamChunk(reasoning=text) if text:
                found += "r"
            case StreamChunk():
                found += "t"
            case AgentResult():
                found += "R"
            case _:
                found += "E"
    return found


async def read(agent: Agent[Any], stop: int, given: str | list[Message] = "go", **call: Any) -> list[Any]:
    """The first items of a turn, and what it raises. Then it is closed, and says nothing more."""
    items: list[Any] = []
    async with agent.astream(given, **call) as stream:
        try:
            while len(items) < stop:
                items.append(await stream.__anext__())
        except StopAsyncIteration:
            pass
        except Exception as error:
            items.append(error)
    done = bool(items) and isinstance(items[-1], AgentResult)
    with pytest.raises(StopAsyncIteration if done else StreamClosedError):
        await stream.__anext__()
    return items


def agent_of(calls: list[Any], mode: str, **more: Any) -> tuple[Agent[Any], Scripted]:
    parts = parts_of(mode)
    script = Scripted(*calls, capabilities=parts.get("capabilities"))
    if "config" in parts:
        more = {"structured_output": parts["config"], **more}
    make: Any = Agent
    agent: Agent[Any] = make(
        script, tools=parts["tools"], response_format=parts["response_format"], max_iterations=3, **more
    )
    return agent, script


@given(turns(breaks=True), st.sampled_from(list(MODES)), st.integers(0, 12) | st.just(1000))
@settings(max_examples=150)
def test_what_is_shown_follows_the_grammar(calls: list[Any], mode: str, stop: int) -> None:
    agent, script = agent_of(calls, mode)
    items = anyio.run(read, agent, stop)
    said = letters(items)
    assert GRAMMAR.fullmatch(said), said
    if mode in ("plain", "default"):
        assert not {"S", "U"} & set(said)
    if stop == 1000:
        assert said[-1:] in ("R", "E")
        synthesized = said.count("S")
        assert len(script.requests) >= 1 + synthesized
    assert script.open == 0
    # Every result of a tool follows the announcement of its call.
    due: Counter[str | None] = Counter()
    for item in items:
        if isinstance(item, StreamChunk):
            due.update(call.id for call in item.tool_calls)
            if item.tool_message is not None:
                due.subtract([item.tool_message.tool_call_id])
        assert min(due.values(), default=0) >= 0


# 5. Whatever happened before, what is in a session can be sent to a strict server.


@given(
    st.lists(
        st.tuples(turns(breaks=True), st.sampled_from(list(MODES)), st.integers(0, 10) | st.just(1000)),
        max_size=3,
    )
)
def test_a_session_can_always_go_on(runs: list[tuple[list[Any], str, int]]) -> None:
    sessions = InMemorySessions()
    for calls, mode, stop in runs:
        before = sessions.load("s").messages
        agent, script = agent_of(calls, mode, sessions=sessions)
        items = anyio.run(partial(read, agent, stop, session="s"))
        after = sessions.load("s").messages
        ended = bool(items) and isinstance(items[-1], AgentResult)
        assert after == (*before, *(items[-1].messages if ended else ()))
        for request in script.requests:
            assert problems(repaired(request.messages)) == []
        # Somebody else's store may have kept any part of it.
        for end in range(len(after) + 1):
            assert problems(repaired([*after[:end], Message.user("next")])) == []
            assert problems(repaired([Message.user("first"), *after[end:], Message.user("next")])) == []


def test_a_turn_may_be_cancelled_at_every_await() -> None:
    """Nothing is saved, or all of it; nothing stays open; no tool starts afterwards."""

    @tool
    async def slow() -> str:
        """Takes a few steps."""
        await anyio.lowlevel.checkpoint()
        ran.append("slow")
        return "done"

    class Store(InMemorySessions):
        async def append(self, *given: Any) -> None:  # type: ignore[override]  # pyright: ignore
            await anyio.lowlevel.checkpoint()
            InMemorySessions.append(self, *given)

    async def main(steps: int) -> bool:
        store = Store()
        script = Scripted(
            ["Look. ", anyio.lowlevel.checkpoint, Scripted.call("slow"), Scripted.call("slow")],
            ["Done.", anyio.lowlevel.checkpoint],
            [anyio.lowlevel.checkpoint, ANSWER],
        )
        agent = Agent(
            script,
            tools=[slow],
            response_format=Ticket,
            structured_output=FINAL,
            sessions=store,
            context=[checked],
        )
        task = asyncio.ensure_future(agent.arun("go", session="s"))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) if not task.done() else nullcontext():
            await task
        count = len(ran)
        for _ in range(5):
            await asyncio.sleep(0)
        assert (script.open, len(ran)) == (0, count)
        saved = store.load("s").messages
        assert len(saved) in (0, 5)
        assert problems(repaired([*saved, Message.user("next")])) == []
        return not task.cancelled()

    async def checked() -> str:
        await anyio.lowlevel.checkpoint()
        return "now"

    ran: list[str] = []
    for steps in range(200):
        if asyncio.run(main(steps)):
            break
    else:
        pytest.fail("the turn never ends")
    assert steps > 8
