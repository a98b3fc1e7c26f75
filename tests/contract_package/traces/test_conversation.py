"""The conversation that a recorded turn makes."""

from __future__ import annotations

import pytest

from finalturn import Message, Role
from finalturn._contract.traces.conversation import conversation, first_difference, messages_of_turn
from finalturn._contract.traces.turn import read_turn
from finalturn.contract import FinalizeAsked, TurnResult
from tests.contract_package._traces import HISTORY, TURNS, changed, clean, place


def test_the_conversation_at_convergence() -> None:
    trace = clean("asked")
    at = place(trace, FinalizeAsked)
    asked = trace.records[at]
    assert isinstance(asked, FinalizeAsked)
    found = conversation(read_turn(trace), at)
    assert found == asked.messages
    roles = [message.role for message in found]
    assert roles == [Role.USER, Role.ASSISTANT, Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL]
    assert conversation(read_turn(trace), 1) == (*HISTORY[:2], Message.system("Be brief."), HISTORY[2])


@pytest.mark.parametrize("name", TURNS)
def test_what_a_turn_leaves(name: str) -> None:
    trace = clean(name)
    result = trace.records[-1]
    assert isinstance(result, TurnResult)
    found = messages_of_turn(read_turn(trace), len(trace.records) - 1, result)
    assert first_difference(found, result.messages) is None


def test_a_turn_without_a_call_leaves_its_question() -> None:
    trace = clean("plain")
    result = trace.records[-1]
    assert isinstance(result, TurnResult)
    short = type(trace)((trace.records[0], result))
    assert messages_of_turn(read_turn(short), 1, result) == (HISTORY[2],)


def test_blank_text_leaves_no_message() -> None:
    trace = clean("plain")
    ended = changed(type(trace)((*trace.records[:2], *trace.records[8:])), 2, content=" ")
    result = trace.records[-1]
    assert isinstance(result, TurnResult)
    assert messages_of_turn(read_turn(ended), 9, result) == (HISTORY[2],)


@pytest.mark.parametrize(
    ("found", "wanted", "place"),
    [("", "", None), ("ab", "ab", None), ("ab", "ac", 1), ("a", "ab", 1), ("abc", "ab", 2), ("", "a", 0)],
)
def test_the_first_difference(found: str, wanted: str, place: int | None) -> None:
    assert first_difference([*map(Message.user, found)], [*map(Message.user, wanted)]) == place
