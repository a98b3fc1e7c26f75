"""Any conversation is sent in a form that no vendor's documented rules refuse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finalturn import Agent, Message, ModelRequest, Role, StreamChunk, ToolCall, ToolSpec
from finalturn.providers import Scripted
from tests.field._scripts import MODES, parts_of, turns
from tests.providers._history_rules_conversations import HISTORIES
from tests.providers._history_rules_encoders import ENCODERS

pytest.importorskip("botocore")

NEXT = Message.user("And now?")
TOOLS = [ToolSpec("lookup_order", "Look an order up.", {"type": "object", "properties": {}})]


def expect_sound(history: Sequence[Message], *, then: Sequence[Message] = (NEXT,)) -> None:
    """Send it to everybody, in a loop call and in a call without tools."""
    for tools in (TOOLS, []):
        request = ModelRequest([*history, *then], "Be brief.", tools)
        found = {name: encoder.found(request) for name, encoder in ENCODERS.items()}
        assert {name: problems for name, problems in found.items() if problems} == {}


@given(HISTORIES)
@settings(max_examples=150)
def test_any_history_can_go_on(history: list[Message]) -> None:
    expect_sound(history)


@given(HISTORIES)
@settings(max_examples=50)
def test_any_history_can_be_sent_as_it_ends(history: list[Message]) -> None:
    expect_sound([Message.user("Hi."), *history], then=())


@given(HISTORIES, st.integers(0, 20), st.integers(0, 20))
@settings(max_examples=50)
def test_system_messages_may_stand_anywhere(history: list[Message], first: int, second: int) -> None:
    for place in (first, second):
        history.insert(place % (len(history) + 1), Message.system("It is late."))
    expect_sound(history)


def left_of(items: list[Any]) -> list[Message]:
    """What a client that has read so far can know of the turn."""
    found: list[Message] = [Message.user("go")]
    said = ""
    calls: tuple[ToolCall, ...] = ()
    for item in items:
        if not isinstance(item, StreamChunk):
            found += [message for message in item.messages if message.structured]
            continue
        if item.tool_message is not None:
            if calls:
                found.append(Message(Role.ASSISTANT, said, calls))
                said, calls = "", ()
            found.append(item.tool_message)
        said += item.content
        calls += tuple(item.tool_calls)
    return [*found, Message(Role.ASSISTANT, said, calls)]


@given(turns(breaks=True), st.sampled_from(list(MODES)))
@settings(max_examples=25)
def test_what_a_turn_leaves_at_every_step_can_go_on(calls: list[Any], mode: str) -> None:
    parts = parts_of(mode)
    config = {"structured_output": parts["config"]} if "config" in parts else {}
    script = Scripted(*calls, capabilities=parts.get("capabilities"))
    agent: Agent[Any] = Agent(
        script, tools=parts["tools"], response_format=parts["response_format"], max_iterations=3, **config
    )
    items: list[Any] = []

    async def read() -> None:
        async with agent.astream("go") as stream:
            try:
                async for item in stream:
                    items.append(item)  # noqa: PERF401 (what came before a failure counts)
            except Exception:
                return

    anyio.run(read)
    # Leaving after any item leaves what was read of it, and the requests that had been made.
    for stop in range(len(items) + 1):
        expect_sound(left_of(items[:stop]))
    for request in script.requests:
        assert request.messages[-1].role in (Role.USER, Role.TOOL)
        found = {name: encoder.found(request) for name, encoder in ENCODERS.items()}
        assert {name: problems for name, problems in found.items() if problems} == {}
    whole = script.requests[-1].messages if script.requests else ()
    for place in range(len(whole) + 1):
        expect_sound(whole[place:])
        expect_sound(whole[:place])
