"""How a turn comes out: traces that break what is promised of it, and what is found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from finalturn._contract.checks.outcome import (
    always_validated_here,
    answer_on_result,
    explicit_outcome,
    never_repaired,
    no_needless_call,
    reuse_gate_strict,
    schema_stays_out,
)
from finalturn.contract import (
    ALWAYS_VALIDATED_HERE,
    ANSWER_ON_RESULT,
    EXPLICIT_OUTCOME,
    NEVER_REPAIRED,
    NO_NEEDLESS_CALL,
    REUSE_GATE_STRICT,
    SCHEMA_STAYS_OUT,
    CallEnded,
    CallStarted,
    Trace,
    TurnFailed,
    TurnResult,
    TurnSaved,
)
from tests.contract._scenes import ANSWER
from tests.contract_package._traces import TURNS, added, changed, clean, place, violations

ANSWERED = ["default", "reuse", "held", "synthesis", "no reuse", "asked", "single_pass"]


def with_result(name: str, **fields: Any) -> tuple[Trace, int]:
    trace = clean(name)
    at = len(trace.records) - 1
    return changed(trace, at, **fields), at


def test_the_clauses_have_these_checks() -> None:
    assert EXPLICIT_OUTCOME.check is explicit_outcome
    assert ANSWER_ON_RESULT.check is answer_on_result
    assert ALWAYS_VALIDATED_HERE.check is always_validated_here
    assert REUSE_GATE_STRICT.check is reuse_gate_strict
    assert NEVER_REPAIRED.check is never_repaired
    assert NO_NEEDLESS_CALL.check is no_needless_call
    assert SCHEMA_STAYS_OUT.check is schema_stays_out


@pytest.mark.parametrize(
    "clause", [EXPLICIT_OUTCOME, ALWAYS_VALIDATED_HERE, ANSWER_ON_RESULT, NEVER_REPAIRED], ids=str
)
def test_a_turn_that_fails_has_no_outcome(clause: Any) -> None:
    trace = clean("synthesis")
    assert violations(Trace((*trace.records[:-1], TurnFailed("SessionError"))), clause) == []


class TestExplicit:
    OBJECT = 'parsed is set exactly when structured_status is "ok"'

    @pytest.mark.parametrize("name", [name for name in TURNS if name not in ("plain", "tools", "text tools")])
    def test_there_is_no_status(self, name: str) -> None:
        broken, at = with_result(name, structured_status=None, has_parsed=False)
        expected = "structured_status is not None with a response_format"
        assert violations(broken, EXPLICIT_OUTCOME) == [(at, expected)]

    def test_there_is_one_without_a_format(self) -> None:
        broken, at = with_result("plain", structured_status="skipped")
        expected = "structured_status is None without a response_format"
        assert violations(broken, EXPLICIT_OUTCOME) == [(at, expected)]

    @pytest.mark.parametrize("name", TURNS)
    def test_an_object_that_does_not_fit_the_status(self, name: str) -> None:
        result = clean(name).records[-1]
        assert isinstance(result, TurnResult)
        broken, at = with_result(name, has_parsed=not result.has_parsed)
        assert violations(broken, EXPLICIT_OUTCOME) == [(at, self.OBJECT)]


class TestAnswer:
    @pytest.mark.parametrize("name", ANSWERED)
    def test_it_is_lost(self, name: str) -> None:
        broken, at = with_result(name, structured_status="skipped", has_parsed=False, parsed=None)
        expected = 'structured_status is "ok", as an answer validated'
        assert violations(broken, ANSWER_ON_RESULT) == [(at, expected)]

    @pytest.mark.parametrize("name", ANSWERED)
    def test_content_is_not_its_text(self, name: str) -> None:
        broken, at = with_result(name, content=f"```json\n{ANSWER}\n```")
        assert violations(broken, ANSWER_ON_RESULT) == [(at, "content is the answer's JSON text")]

    @pytest.mark.parametrize("fields", [{"parsed": {"topic": "x"}}, {"has_parsed": False}])
    def test_parsed_is_something_else(self, fields: dict[str, Any]) -> None:
        broken, at = with_result("reuse", **fields)
        assert violations(broken, ANSWER_ON_RESULT) == [(at, "parsed is what content says")]

    @pytest.mark.parametrize("structured", [None, "{}"])
    def test_the_message_lacks_it(self, structured: str | None) -> None:
        result = clean("reuse").records[-1]
        assert isinstance(result, TurnResult)
        message = replace(result.messages[-1], structured=structured)
        expected = "the last message has the answer's JSON text as structured"
        for messages in ((*result.messages[:-1], message), ()):
            broken, at = with_result("reuse", messages=messages)
            assert violations(broken, ANSWER_ON_RESULT) == [(at, expected)]


class TestValidated:
    @pytest.mark.parametrize("name", ANSWERED)
    def test_an_answer_that_was_not(self, name: str) -> None:
        trace = clean(name)
        broken = changed(trace, place(trace, CallEnded, -1), verdict="invalid")
        expected = "parsed comes of an answer that was validated"
        assert violations(broken, ALWAYS_VALIDATED_HERE) == [(len(trace.records) - 1, expected)]

    def test_no_call_at_all(self) -> None:
        trace = clean("reuse")
        broken = Trace((trace.records[0], trace.records[-1]))
        expected = "parsed comes of an answer that was validated"
        assert violations(broken, ALWAYS_VALIDATED_HERE) == [(1, expected)]


class TestReuseGate:
    @pytest.mark.parametrize("name", ["reuse", "held", "single_pass"])
    @pytest.mark.parametrize(
        "content", [f"Here: {ANSWER}", f"{ANSWER}\n{ANSWER}", f"Look.\n```json\n{ANSWER}\n```", ANSWER[:-1]]
    )
    def test_it_is_not_the_whole_answer(self, name: str, content: str) -> None:
        trace = clean(name)
        at = place(trace, CallEnded, -1)
        expected = "an answer that is reused is one JSON value and nothing else"
        assert violations(changed(trace, at, content=content), REUSE_GATE_STRICT) == [(at, expected)]

    @pytest.mark.parametrize("content", ["{}", "[]", "null", '""', "```\n{}\n```"])
    def test_it_says_nothing(self, content: str) -> None:
        trace = clean("reuse")
        at = place(trace, CallEnded, -1)
        expected = "an answer that is reused is not empty"
        assert violations(changed(trace, at, content=content), REUSE_GATE_STRICT) == [(at, expected)]

    def test_an_answer_that_was_asked_for_may_stand_in_prose(self) -> None:
        trace = clean("default")
        at = place(trace, CallEnded, -1)
        assert violations(changed(trace, at, content=f"Here: {ANSWER}"), REUSE_GATE_STRICT) == []


class TestNeverRepaired:
    @pytest.mark.parametrize("name", ANSWERED)
    def test_text_that_no_model_wrote(self, name: str) -> None:
        broken, at = with_result(name, content=ANSWER.replace(" ", ""))
        expected = "content stands, as it is, in the text of the call that gave the answer"
        assert violations(broken, NEVER_REPAIRED) == [(at, expected)]

    def test_a_call_that_was_cut(self) -> None:
        trace = clean("synthesis")
        broken = changed(trace, place(trace, CallEnded, -1), finish_reason="length")
        expected = "no answer is made of a call that the token limit cut"
        assert violations(broken, NEVER_REPAIRED) == [(len(trace.records) - 1, expected)]


class TestNeedlessCalls:
    CALL = CallStarted(9, "synthesis", schema_sent=True, tools=(), messages=())

    @pytest.mark.parametrize("name", ["default", "reuse", "held", "single_pass"])
    def test_after_an_answer(self, name: str) -> None:
        at = place(clean(name), TurnSaved)
        expected = "no model call is made once an answer is the object"
        assert violations(added(clean(name), at, self.CALL), NO_NEEDLESS_CALL) == [(at, expected)]

    def test_after_a_skip(self) -> None:
        at = place(clean("skip"), TurnSaved)
        expected = "no model call is made once the predicate has said no"
        assert violations(added(clean("skip"), at, self.CALL), NO_NEEDLESS_CALL) == [(at, expected)]


class TestSchema:
    def test_a_loop_request_with_it(self) -> None:
        trace = clean("synthesis")
        at = place(trace, CallStarted, 1)
        expected = "a request of the tool loop does not carry the schema"
        assert violations(changed(trace, at, schema_sent=True), SCHEMA_STAYS_OUT) == [(at, expected)]

    @pytest.mark.parametrize("name", ["default", "single_pass", "synthesis"])
    def test_where_it_belongs(self, name: str) -> None:
        sent = [one.schema_sent for one in clean(name).records if isinstance(one, CallStarted)]
        assert any(sent)
        assert violations(clean(name), SCHEMA_STAYS_OUT) == []
