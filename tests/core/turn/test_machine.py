"""The machine: legality, and that an illegal input changes nothing."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from finalturn._core.chunks import NestedActivity, StreamChunk
from finalturn._core.errors import ProtocolError
from finalturn._core.model import ModelResponse, ReasoningDelta, TextDelta
from finalturn._core.tool_outcome import ToolOutcome
from finalturn._core.turn import (
    IGNORED,
    TABLE,
    TABLE_INPUTS,
    Cancelled,
    Decided,
    Failed,
    Finished,
    Input,
    Judged,
    LimitReached,
    Machine,
    Mode,
    Phase,
    Saved,
    Started,
    ToolReturned,
    ToolsFinished,
    ToolShows,
    Verdict,
)
from tests.core.turn._turns import VALID, asks, play, says, setup

SAMPLES: dict[type[Input], Input] = {
    Started: Started(),
    TextDelta: TextDelta("a"),
    ReasoningDelta: ReasoningDelta("r"),
    Judged: Judged(Verdict.PLAIN, ModelResponse("a")),
    Decided: Decided(True),
    ToolShows: ToolShows(NestedActivity(None, "ask", StreamChunk(content="a"))),
    ToolReturned: ToolReturned(ToolOutcome(0, "done")),
    ToolsFinished: ToolsFinished(),
    LimitReached: LimitReached("seconds"),
    Saved: Saved(),
    Failed: Failed(ValueError()),
    Cancelled: Cancelled(),
}
RULED = {(rule.phase, rule.on) for rule in TABLE}


def in_phase(phase: Phase) -> Machine:
    """A machine that has come to a phase."""
    machine = Machine(setup(Mode.FINAL_TURN, asks=True))
    path: dict[Phase, list[Input]] = {
        Phase.READY: [],
        Phase.CALLING: [Started()],
        Phase.RUNNING: [Started(), Finished(asks("f"))],
        Phase.DECIDING: [Started(), Finished(says("prose"))],
        Phase.SYNTHESIZING: [Started(), Finished(says("prose")), Decided(True)],
        Phase.SAVING: [Started(), Finished(says(VALID))],
        Phase.DONE: [Started(), Finished(says(VALID)), Saved()],
        Phase.FAILED: [Started(), Failed(ValueError())],
        Phase.CANCELLED: [Cancelled()],
    }
    for item in path[phase]:
        machine.step(item)
    assert machine.phase is phase
    return machine


@pytest.mark.parametrize(
    ("phase", "kind"), [pair for pair in itertools.product(Phase, TABLE_INPUTS) if pair not in RULED]
)
def test_an_illegal_input_raises_and_changes_nothing(phase: Phase, kind: type[Input]) -> None:
    machine = in_phase(phase)
    before: Any = (machine.phase, machine.state, machine.last_rule)
    if (phase, kind) in IGNORED:
        assert machine.step(SAMPLES[kind]) == ((), ())
    else:
        with pytest.raises(ProtocolError) as caught:
            machine.step(SAMPLES[kind])
        assert caught.value.phase == phase.value
        assert caught.value.input == kind.__name__
        assert caught.value.last_rule == machine.last_rule
    assert (machine.phase, machine.state, machine.last_rule) == before


def test_a_response_without_a_call_under_way_is_illegal() -> None:
    machine = in_phase(Phase.DECIDING)
    with pytest.raises(ProtocolError, match="no model call is under way"):
        machine.step(Finished(says("late")))


def test_an_outcome_that_is_not_due_is_illegal() -> None:
    machine = in_phase(Phase.RUNNING)
    machine.step(ToolReturned(ToolOutcome(0, "done")))
    for index in (0, 1, -1):
        with pytest.raises(ProtocolError, match="no rule's guards hold"):
            machine.step(ToolReturned(ToolOutcome(index, "again")))


def test_a_batch_may_not_finish_before_its_calls_have() -> None:
    machine = in_phase(Phase.RUNNING)
    with pytest.raises(ProtocolError, match="tools-requested"):
        machine.step(ToolsFinished())
    assert machine.phase is Phase.RUNNING


def test_what_is_forbidden_reaches_the_rules() -> None:
    for finished, rule in (
        (Finished(says("prose"), limit="requests"), "converged-limited"),
        (Finished(asks("f"), too_many_tools=True), "tools-limited"),
        (Finished(asks("f"), limit="requests"), "tools-requested"),
    ):
        machine = Machine(setup(Mode.FINAL_TURN))
        machine.step(Started())
        machine.step(finished)
        assert machine.last_rule == rule


def test_another_table_is_another_machine() -> None:
    leaky = tuple(rule for rule in TABLE if rule.name != "loop-text-suppressed")
    turn = setup(Mode.FINAL_TURN, single_pass=True, native_loop=True)
    assert play(turn, says(VALID)).content == ""
    assert play(turn, says(VALID), table=leaky).content == VALID


def test_a_rule_that_shows_twice_shows_in_order() -> None:
    played = play(setup(), asks("f", text="let me look"), says("done"))
    purposes = [bool(c.content) * "text" or bool(c.tool_calls) * "call" or "result" for c in played.shown]
    assert purposes == ["text"] * 11 + ["call", "result"] + ["text"] * 4
