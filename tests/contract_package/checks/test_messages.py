"""Messages and history: traces that break what is promised of them, and what is found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from finalturn import Message, Role, StreamChunk
from finalturn._contract.checks.messages import (
    history_is_what_was_shown,
    round_trip_exact,
    seeded_messages_untouched,
)
from finalturn.contract import (
    HISTORY_IS_WHAT_WAS_SHOWN,
    ROUND_TRIP_EXACT,
    SEEDED_MESSAGES_UNTOUCHED,
    CallStarted,
    FinalizeAsked,
    Record,
    Shown,
    Trace,
    TurnFailed,
    TurnResult,
    TurnSaved,
    TurnStarted,
)
from tests.contract._scenes import ANSWER
from tests.contract_package._traces import TURNS, changed, clean, place, violations, without

TRACE = clean("asked")
END = len(TRACE.records) - 1


def result_of(trace: Trace) -> TurnResult:
    result = trace.records[-1]
    assert isinstance(result, TurnResult)
    return result


def test_the_clauses_have_these_checks() -> None:
    assert SEEDED_MESSAGES_UNTOUCHED.check is seeded_messages_untouched
    assert ROUND_TRIP_EXACT.check is round_trip_exact
    assert HISTORY_IS_WHAT_WAS_SHOWN.check is history_is_what_was_shown


class TestSeeded:
    @pytest.mark.parametrize(("kind", "number"), [(CallStarted, 0), (CallStarted, 1), (FinalizeAsked, 0)])
    @pytest.mark.parametrize("message", range(4))
    def test_a_message_that_was_changed(self, kind: type[Record], number: int, message: int) -> None:
        at = place(TRACE, kind, number)
        one = TRACE.records[at]
        assert isinstance(one, (CallStarted, FinalizeAsked))
        messages = list(one.messages)
        messages[message] = replace(messages[message], tool_name="x")
        broken = changed(TRACE, at, messages=tuple(messages))
        assert violations(broken, SEEDED_MESSAGES_UNTOUCHED) == [
            (at, f"messages[{message}] is as it was given")
        ]

    def test_a_message_that_is_missing(self) -> None:
        at = place(TRACE, CallStarted)
        broken = changed(TRACE, at, messages=())
        assert violations(broken, SEEDED_MESSAGES_UNTOUCHED) == [(at, "messages[0] is as it was given")]

    def test_in_the_result(self) -> None:
        broken = changed(TRACE, END, messages=result_of(TRACE).messages[1:])
        assert violations(broken, SEEDED_MESSAGES_UNTOUCHED) == [(END, "messages[0] is as it was given")]


class TestRoundTrip:
    @pytest.mark.parametrize(
        "kind", [TurnStarted, CallStarted, FinalizeAsked, Shown, TurnResult], ids=lambda kind: kind.__name__
    )
    def test_a_message_that_does_not_survive(
        self, kind: type[Record], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        marked = Message(Role.TOOL, "null", tool_name="x", tool_result="null")
        at = next(
            at
            for at in range(END + 1)
            if isinstance(TRACE.records[at], kind) and self._holds(TRACE.records[at])
        )
        one = TRACE.records[at]
        fields = (
            {"chunk": StreamChunk(tool_message=marked)} if isinstance(one, Shown) else {"messages": (marked,)}
        )
        if isinstance(one, TurnStarted):
            fields = {"user": (marked,)}
        trace = changed(TRACE, at, **fields)
        assert violations(trace, ROUND_TRIP_EXACT) == []

        def trimmed(message: Message) -> dict[str, Any]:
            found: dict[str, Any] = {
                "role": str(message.role),
                "content": message.content,
                "tool_name": message.tool_name,
            }
            return found if message is marked else plain(message)

        plain = Message.to_dict
        monkeypatch.setattr(Message, "to_dict", trimmed)
        assert violations(trace, ROUND_TRIP_EXACT) == [
            (at, "a message equals what is read from its dictionary")
        ]

    def _holds(self, record: Record) -> bool:
        return not isinstance(record, Shown) or record.chunk.tool_message is not None


class TestHistory:
    @pytest.mark.parametrize("name", TURNS)
    def test_a_message_that_is_missing(self, name: str) -> None:
        trace = clean(name)
        messages = result_of(trace).messages
        at = len(trace.records) - 1
        for number in range(len(messages)):
            broken = changed(trace, at, messages=(*messages[:number], *messages[number + 1 :]))
            expected = f"messages[{number}] is what was shown, with the answer attached"
            assert violations(broken, HISTORY_IS_WHAT_WAS_SHOWN) == [(at, expected)]

    @pytest.mark.parametrize("name", TURNS)
    def test_what_a_message_says(self, name: str) -> None:
        trace = clean(name)
        messages = list(result_of(trace).messages)
        messages[-1] = replace(messages[-1], content=messages[-1].content + "x")
        at, number = len(trace.records) - 1, len(messages) - 1
        broken = changed(trace, at, messages=tuple(messages))
        expected = f"messages[{number}] is what was shown, with the answer attached"
        assert violations(broken, HISTORY_IS_WHAT_WAS_SHOWN) == [(at, expected)]

    @pytest.mark.parametrize("name", ["default", "reuse", "held", "synthesis", "single_pass"])
    def test_the_answer_that_is_attached(self, name: str) -> None:
        trace = clean(name)
        messages = list(result_of(trace).messages)
        assert messages[-1].structured == ANSWER
        messages[-1] = replace(messages[-1], structured=None)
        at, number = len(trace.records) - 1, len(messages) - 1
        broken = changed(trace, at, messages=tuple(messages))
        expected = f"messages[{number}] is what was shown, with the answer attached"
        assert violations(broken, HISTORY_IS_WHAT_WAS_SHOWN) == [(at, expected)]

    def test_the_synthesis_exchange(self) -> None:
        messages = result_of(TRACE).messages
        broken = changed(TRACE, END, messages=(*messages, Message.assistant(ANSWER)))
        number = len(messages)
        expected = f"messages[{number}] is what was shown, with the answer attached"
        assert violations(broken, HISTORY_IS_WHAT_WAS_SHOWN) == [(END, expected)]

    def test_another_text(self) -> None:
        broken = changed(TRACE, END, text="")
        expected = "text is all content that was shown"
        assert violations(broken, HISTORY_IS_WHAT_WAS_SHOWN) == [(END, expected)]

    def test_a_result_that_was_not_saved(self) -> None:
        broken = without(TRACE, place(TRACE, TurnSaved))
        expected = "the turn is saved before its result is delivered"
        assert violations(broken, HISTORY_IS_WHAT_WAS_SHOWN) == [(END - 1, expected)]

    def test_a_turn_that_fails_leaves_nothing(self) -> None:
        failed = Trace((*TRACE.records[:END], TurnFailed("SessionError")))
        assert violations(failed, HISTORY_IS_WHAT_WAS_SHOWN) == []
