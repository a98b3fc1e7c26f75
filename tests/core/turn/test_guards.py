"""Each guard, on both sides of its question."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import pytest

from finalturn._core.messages import Message, ToolCall
from finalturn._core.model import ModelResponse
from finalturn._core.output.growing import GrowingObject
from finalturn._core.tool_outcome import ToolOutcome
from finalturn._core.turn import Decided, Judged, Mode, State, ToolReturned, Verdict
from finalturn._core.turn import guards as guards
from finalturn._core.turn.state import HeldText
from tests.core.turn._turns import OUTPUT, setup

STATE = State(setup(Mode.FINAL_TURN))
CALL = ToolCall("f", {}, "c0")
DONE, ENDING = ToolOutcome(0, "done"), ToolOutcome(0, "done", terminal=True)


def judged(verdict: Verdict = Verdict.PLAIN, shown: str = "") -> Judged:
    return Judged(verdict, ModelResponse("text"), shown=shown)


def state(**more: Any) -> State:
    return replace(STATE, **more)


def of(mode: Mode = Mode.FINAL_TURN, **more: Any) -> State:
    return State(setup(mode, **more))


CASES: list[tuple[str, State, object, bool]] = [
    ("text_is_suppressed", of(single_pass=True), None, True),
    ("text_is_suppressed", of(), None, False),
    ("text_is_held", state(hold=HeldText(OUTPUT)), None, True),
    ("text_is_held", STATE, None, False),
    ("object_is_shown_growing", state(growing=GrowingObject(OUTPUT)), None, True),
    ("object_is_shown_growing", of(partials=True), None, False),
    ("not_final_turn", of(Mode.FINAL_TURN), None, False),
    ("not_final_turn", of(Mode.DEFAULT), None, True),
    ("not_final_turn", of(Mode.PLAIN), None, True),
    ("in_default_mode", of(Mode.DEFAULT), None, True),
    ("in_default_mode", of(Mode.FINAL_TURN), None, False),
    ("in_default_mode", of(Mode.PLAIN), None, False),
    ("without_format", of(Mode.PLAIN), None, True),
    ("without_format", of(Mode.DEFAULT), None, False),
    ("without_format", of(Mode.FINAL_TURN), None, False),
    ("text_was_shown", STATE, judged(shown="text"), True),
    ("text_was_shown", STATE, judged(shown=" \n\t"), False),
    ("text_was_shown", STATE, judged(), False),
    ("reuse_is_on", of(reuse=True), None, True),
    ("reuse_is_on", of(reuse=False), None, False),
    ("has_predicate", of(asks=True), None, True),
    ("has_predicate", of(), None, False),
    ("retries_are_left", replace(of(max_retries=2), retries=1), None, True),
    ("retries_are_left", replace(of(max_retries=2), retries=2), None, False),
    ("retries_are_left", of(max_retries=0), None, False),
    ("empty_not_yet_retried", STATE, None, True),
    ("empty_not_yet_retried", state(empty_retried=True), None, False),
    ("tools_have_run", STATE, None, False),
    ("tools_have_run", state(added=(Message.assistant("", tool_calls=[CALL]),)), None, True),
    ("limit_is_reached", STATE, Decided(True, "seconds"), True),
    ("limit_is_reached", STATE, Decided(True), False),
    ("limit_is_reached", STATE, replace(judged(), limit="requests"), True),
    ("limit_is_reached", STATE, judged(), False),
    ("too_many_tools", STATE, replace(judged(), too_many_tools=True), True),
    ("too_many_tools", STATE, judged(), False),
    ("wants_the_object", STATE, Decided(True), True),
    ("wants_the_object", STATE, Decided(False), False),
    ("outcome_is_due", state(outcomes=(None,)), ToolReturned(DONE), True),
    ("outcome_is_due", state(outcomes=(DONE,)), ToolReturned(DONE), False),
    ("outcome_is_due", state(outcomes=(None,)), ToolReturned(ToolOutcome(1, "x")), False),
    ("outcome_is_due", state(outcomes=(None,)), ToolReturned(ToolOutcome(-1, "x")), False),
    ("outcome_is_due", STATE, ToolReturned(DONE), False),
    ("batch_is_complete", state(outcomes=(DONE, None)), None, False),
    ("batch_is_complete", state(outcomes=(DONE, DONE)), None, True),
    ("a_tool_was_terminal", state(outcomes=(DONE, ENDING)), None, True),
    ("a_tool_was_terminal", state(outcomes=(DONE, None)), None, False),
    ("iterations_are_spent", replace(of(max_iterations=2), iterations=1), None, False),
    ("iterations_are_spent", replace(of(max_iterations=2), iterations=2), None, True),
]
OF_VERDICTS = {
    "asks_for_tools": Verdict.CALLS,
    "is_refused": Verdict.REFUSED,
    "is_cut": Verdict.CUT,
    "is_empty": Verdict.EMPTY,
    "is_plain": Verdict.PLAIN,
    "is_invalid": Verdict.INVALID,
    "is_valid": Verdict.VALID,
}


@pytest.mark.parametrize(("name", "at", "item", "holds"), CASES)
def test_a_guard_holds_or_not_and_changes_nothing(name: str, at: State, item: object, holds: bool) -> None:
    before = replace(at)
    assert getattr(guards, name)(at, item) is holds
    assert at == before


@pytest.mark.parametrize("verdict", Verdict)
def test_exactly_one_guard_holds_for_a_verdict(verdict: Verdict) -> None:
    holding = [name for name in OF_VERDICTS if getattr(guards, name)(STATE, judged(verdict))]
    assert [OF_VERDICTS[name] for name in holding] == [verdict]


def test_every_guard_is_tested() -> None:
    public = {name for name, one in vars(guards).items() if inspect.isfunction(one)}
    assert public == {name for name, *_ in CASES} | set(OF_VERDICTS)
