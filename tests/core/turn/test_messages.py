"""The conversation messages that a turn makes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalturn._core.messages import Message, Role, ToolCall
from finalturn._core.tool_outcome import ToolFailure, ToolOutcome
from finalturn._core.turn import Judged, State, Verdict
from finalturn._core.turn.messages import (
    NO_MORE_TOOLS,
    bubble,
    calling_message,
    conversation,
    refusals,
    tool_message,
)
from tests.core.turn._turns import USER, asks, says, setup


@pytest.mark.parametrize("call_id", ["c0", None])
def test_a_result_names_its_tool_and_its_call(call_id: str | None) -> None:
    message = tool_message(ToolCall("f", {}, call_id), ToolOutcome(0, "done"))
    assert message == Message(Role.TOOL, "done", tool_name="f", tool_call_id=call_id, tool_result="done")


def test_an_empty_result_is_one() -> None:
    assert tool_message(ToolCall("f"), ToolOutcome(0, "")).tool_result == ""


@pytest.mark.parametrize("failure", ["arguments", "unknown_tool", "error", "timeout", "policy", "approval"])
def test_a_failure_has_no_result(failure: ToolFailure) -> None:
    message = tool_message(ToolCall("f"), ToolOutcome(0, "why", failure))
    assert (message.content, message.tool_result, message.tool_name) == ("why", None, "f")


def test_a_message_that_asks_for_tools_has_the_text_that_was_shown() -> None:
    response = asks("f", text="Look: {hidden}")
    message = calling_message(Judged(Verdict.CALLS, response, shown="Look:"))
    assert message == Message.assistant("Look:", tool_calls=response.tool_calls)


@pytest.mark.parametrize(("shown", "left"), [("Hi.", "Hi."), ("", "Hi. {hidden}"), (" \n", "Hi. {hidden}")])
def test_a_bubble_is_what_was_shown_or_the_turn_would_vanish(shown: str, left: str) -> None:
    assert bubble(Judged(Verdict.INVALID, says("Hi. {hidden}"), shown=shown)) == left


def test_a_conversation_stands_in_order() -> None:
    past, injected, added = Message.assistant("past"), Message.system("context"), Message.assistant("added")
    turn = replace(setup(), history=[past], injections=(injected,))
    assert conversation(State(turn, added=(added,))) == (past, injected, *USER, added)
    assert conversation(State(setup())) == USER


def test_a_call_that_is_refused_has_a_message_that_says_so() -> None:
    assert refusals(Judged(Verdict.CALLS, asks("f", "g"))) == [
        Message(Role.TOOL, NO_MORE_TOOLS, tool_name="f", tool_call_id="c0", tool_failure="policy"),
        Message(Role.TOOL, NO_MORE_TOOLS, tool_name="g", tool_call_id="c1", tool_failure="policy"),
    ]
