"""The should_finalize predicate: traces that break what is promised of it, and what is found."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn import Message
from finalturn._contract.checks.finalize import (
    asked_at_most_once,
    predicate_errors_propagate,
    predicate_sees_conversation,
    predicate_view_readonly,
    valid_answer_wins,
)
from finalturn.contract import (
    ASKED_AT_MOST_ONCE,
    PREDICATE_ERRORS_PROPAGATE,
    PREDICATE_SEES_CONVERSATION,
    PREDICATE_VIEW_READONLY,
    VALID_ANSWER_WINS,
    CallEnded,
    CallStarted,
    FinalizeAnswered,
    FinalizeAsked,
    Trace,
    TurnCancelled,
    TurnFailed,
    TurnResult,
)
from tests.contract_package._traces import added, changed, clean, place, violations, without

TRACE = clean("asked")
AT = place(TRACE, FinalizeAsked)
END = len(TRACE.records) - 1


def asked() -> FinalizeAsked:
    one = TRACE.records[AT]
    assert isinstance(one, FinalizeAsked)
    return one


def test_the_clauses_have_these_checks() -> None:
    assert VALID_ANSWER_WINS.check is valid_answer_wins
    assert ASKED_AT_MOST_ONCE.check is asked_at_most_once
    assert PREDICATE_SEES_CONVERSATION.check is predicate_sees_conversation
    assert PREDICATE_VIEW_READONLY.check is predicate_view_readonly
    assert PREDICATE_ERRORS_PROPAGATE.check is predicate_errors_propagate


def test_a_valid_answer_is_put_to_it() -> None:
    at = place(TRACE, CallEnded, 1)
    expected = "the predicate is not asked, as the answer validates"
    assert violations(changed(TRACE, at, verdict="valid"), VALID_ANSWER_WINS) == [(AT, expected)]


def test_it_is_asked_twice() -> None:
    broken = added(TRACE, AT + 2, *TRACE.records[AT : AT + 2])
    assert violations(broken, ASKED_AT_MOST_ONCE) == [(AT + 2, "the predicate is asked at most once")]


@pytest.mark.parametrize("verdict", ["calls", "refused"])
def test_it_is_asked_when_the_loop_has_not_converged(verdict: str) -> None:
    at = place(TRACE, CallEnded, 1)
    expected = "the predicate is asked at convergence only"
    assert violations(changed(TRACE, at, verdict=verdict), ASKED_AT_MOST_ONCE) == [(AT, expected)]


def test_it_is_asked_of_a_synthesis() -> None:
    broken = added(without(TRACE, AT), END - 2, asked())
    assert violations(broken, ASKED_AT_MOST_ONCE) == [(END - 2, "the predicate is asked at convergence only")]


class TestView:
    @pytest.mark.parametrize("number", range(7))
    def test_a_message_is_missing(self, number: int) -> None:
        messages = list(asked().messages)
        assert len(messages) == 6
        broken = changed(TRACE, AT, messages=(*messages[:number], *messages[number + 1 :]))
        expected = [(AT, f"messages[{number}] is that of the conversation at convergence")]
        assert violations(broken, PREDICATE_SEES_CONVERSATION) == (expected if number < 6 else [])

    def test_a_message_too_many(self) -> None:
        broken = changed(TRACE, AT, messages=(*asked().messages, Message.assistant("Done.")))
        expected = "messages[6] is that of the conversation at convergence"
        assert violations(broken, PREDICATE_SEES_CONVERSATION) == [(AT, expected)]

    def test_another_text(self) -> None:
        broken = changed(TRACE, AT, last_response_text="Do")
        expected = "last_response_text is the whole text of the last call"
        assert violations(broken, PREDICATE_SEES_CONVERSATION) == [(AT, expected)]


class TestReadOnly:
    def test_a_request_that_differs(self) -> None:
        at = place(TRACE, CallStarted, -1)
        broken = changed(TRACE, at, messages=asked().messages[1:])
        expected = "the request begins with what the predicate was given"
        assert violations(broken, PREDICATE_VIEW_READONLY) == [(at, expected)]

    def test_a_result_that_differs(self) -> None:
        result = TRACE.records[END]
        assert isinstance(result, TurnResult)
        broken = changed(TRACE, END, messages=result.messages[:1] + result.messages[2:])
        expected = "the messages begin with this turn's that the predicate was given"
        assert violations(broken, PREDICATE_VIEW_READONLY) == [(END, expected)]


class TestErrors:
    EXPECTED = "a predicate that gives no answer ends the turn with its exception"

    def test_the_turn_goes_on(self) -> None:
        broken = without(TRACE, place(TRACE, FinalizeAnswered))
        assert violations(broken, PREDICATE_ERRORS_PROPAGATE) == [(AT + 1, self.EXPECTED)]

    @pytest.mark.parametrize(
        ("end", "found"),
        [
            (TurnFailed("LookupError"), []),
            (TurnCancelled(), []),
            (None, []),
            (TurnFailed("ProtocolError"), [(AT + 1, EXPECTED)]),
        ],
    )
    def test_the_turn_ends(self, end: Any, found: list[tuple[int, str]]) -> None:
        cut = Trace((*TRACE.records[: AT + 1], *([] if end is None else [end])))
        assert violations(cut, PREDICATE_ERRORS_PROPAGATE) == found
