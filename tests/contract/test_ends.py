"""After its end a turn takes nothing more: proved on the machine, which every surface is driven by."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalturn import (
    LimitName,
    Message,
    ModelResponse,
    ProtocolError,
    ReasoningDelta,
    Role,
    TextDelta,
    ToolCall,
)
from finalturn._agent import driver as _driver
from finalturn._core.result import Usage
from finalturn._core.tool_outcome import ToolOutcome
from finalturn._core.turn import (
    Cancelled,
    Decided,
    Failed,
    Finish,
    Finished,
    Input,
    LimitReached,
    Machine,
    Mode,
    Phase,
    Raise,
    Saved,
    SaveTurn,
    Started,
    Step,
    ToolReturned,
    ToolsFinished,
    TurnSetup,
)
from finalturn._response_format import output_of
from finalturn.contract import (
    CLOSE_STOPS_WORK,
    LIMITS_END_CLEANLY,
    NO_DOUBLED_TEXT,
    PREDICATE_ERRORS_PROPAGATE,
    RESULT_IS_LAST,
    TOOL_MESSAGES_IN_CALL_ORDER,
    USAGE_COMPLETE,
    Surface,
)
from tests.contract import _walk
from tests.contract._play import Play
from tests.contract._proves import proves
from tests.contract._reads import look_at
from tests.contract._scenes import ANSWER, Ticket

CALL = Finished(ModelResponse(tool_calls=(ToolCall("lookup", {}, "c"),)))
PROSE = Finished(ModelResponse("prose"))
TO: dict[Phase, list[Input]] = {
    Phase.READY: [],
    Phase.CALLING: [Started()],
    Phase.RUNNING: [Started(), CALL],
    Phase.DECIDING: [Started(), PROSE],
    Phase.SYNTHESIZING: [Started(), PROSE, Decided(True)],
    Phase.SAVING: [Started(), Finished(ModelResponse(ANSWER))],
}
ANYTHING: list[Input] = [
    Started(),
    TextDelta("late"),
    ReasoningDelta("late"),
    Finished(ModelResponse("late")),
    Decided(True),
    ToolReturned(ToolOutcome(0, "late")),
    ToolsFinished(),
    LimitReached("seconds"),
    Saved(),
    Failed(ValueError()),
]


SETUP = TurnSetup(user=(Message.user("hi"),), output=output_of(Ticket), mode=Mode.FINAL_TURN, asks=True)


class SteppedMachine:
    """The machine that is installed now, stepped by hand."""

    def __init__(self, setup: TurnSetup) -> None:
        self._machine: Machine = getattr(_driver, "Machine")(setup)  # noqa: B009

    @property
    def phase(self) -> Phase:
        return self._machine.phase

    def step(self, item: Input) -> Step:
        done = self._machine.step(item)
        if self._machine.last_rule is not None:
            _walk.fired.add(self._machine.last_rule)
        return done


def machine_after(*items: Input, setup: TurnSetup = SETUP) -> SteppedMachine:
    machine = SteppedMachine(setup)
    for item in items:
        machine.step(item)
    return machine


def machine_in(phase: Phase) -> SteppedMachine:
    return machine_after(*TO[phase])


def assert_over(machine: SteppedMachine) -> None:
    for item in ANYTHING:
        with pytest.raises(ProtocolError):
            machine.step(item)
    assert machine.step(Cancelled()) == ((), ())


MACHINE = {"drivers": ["astream-asyncio"], "kinds": ["streaming"]}


@proves(RESULT_IS_LAST, **MACHINE)
def test_nothing_follows_the_result(play: Play) -> None:
    machine = machine_in(Phase.SAVING)
    look_at(play, Surface.RESULT)
    shown, actions = machine.step(Saved())
    assert not shown
    assert [type(action) for action in actions] == [Finish]
    assert machine.phase is Phase.DONE
    assert_over(machine)


@proves(RESULT_IS_LAST, NO_DOUBLED_TEXT, PREDICATE_ERRORS_PROPAGATE, **MACHINE)
@pytest.mark.parametrize("phase", [phase for phase in TO if phase is not Phase.READY])
def test_nothing_follows_a_failure(play: Play, phase: Phase) -> None:
    machine = machine_in(phase)
    error = ValueError("mine")
    look_at(play, Surface.RESULT)
    look_at(play, Surface.CHUNKS)
    shown, actions = machine.step(Failed(error))
    assert not shown
    assert actions == [Raise(error)]
    assert machine.phase is Phase.FAILED
    assert_over(machine)


@proves(CLOSE_STOPS_WORK, **MACHINE)
@pytest.mark.parametrize("phase", list(TO))
def test_nothing_follows_a_cancellation(play: Play, phase: Phase) -> None:
    machine = machine_in(phase)
    look_at(play, Surface.CHUNKS)
    assert machine.step(Cancelled()) in (([], []), ((), ()))
    assert machine.phase is Phase.CANCELLED
    assert_over(machine)


@proves(RESULT_IS_LAST, **MACHINE)
@pytest.mark.parametrize("mode", [Mode.PLAIN, Mode.DEFAULT])
def test_nothing_follows_a_second_empty_answer(play: Play, mode: Mode) -> None:
    empty = Finished(ModelResponse())
    machine = machine_after(Started(), empty, setup=replace(SETUP, mode=mode))
    look_at(play, Surface.RESULT)
    shown, actions = machine.step(empty)
    assert not shown
    assert [type(action) for action in actions] == [Raise]
    assert machine.phase is Phase.FAILED
    assert_over(machine)


@proves(TOOL_MESSAGES_IN_CALL_ORDER, LIMITS_END_CLEANLY, **MACHINE)
@pytest.mark.parametrize("iterations", [1, 10])
@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("limit", [None, "requests"])
def test_a_batch_ends_once_every_call_has_one_outcome(
    play: Play, iterations: int, terminal: bool, limit: LimitName | None
) -> None:
    over = ToolsFinished(limit)
    calls = tuple(ToolCall("lookup", {}, f"c{index}") for index in range(2))
    setup = replace(SETUP, max_iterations=iterations)
    machine = machine_after(Started(), Finished(ModelResponse(tool_calls=calls)), setup=setup)
    machine.step(ToolReturned(ToolOutcome(1, "second", terminal=terminal)))
    with pytest.raises(ProtocolError):
        machine.step(over)
    with pytest.raises(ProtocolError):
        machine.step(ToolReturned(ToolOutcome(1, "again")))
    machine.step(ToolReturned(ToolOutcome(0, "first")))
    shown, (action,) = machine.step(over)
    assert [chunk.tool_message.content for chunk in shown if chunk.tool_message] == ["first", "second"]
    look_at(play, Surface.RESULT)
    for item in (PROSE, Decided(False)):
        if not isinstance(action, SaveTurn):
            _, (action,) = machine.step(item)
    assert isinstance(action, SaveTurn)
    told = [message.content for message in action.result.messages if message.role is Role.TOOL]
    assert told == ["first", "second"]


@proves(USAGE_COMPLETE, **MACHINE)
def test_what_a_tool_has_used_itself_counts(play: Play) -> None:
    calls = tuple(ToolCall("ask", {}, f"c{index}") for index in range(2))
    asking = Finished(ModelResponse(tool_calls=calls, usage=Usage(1)))
    machine = machine_after(Started(), asking, setup=replace(SETUP, max_iterations=1))
    machine.step(ToolReturned(ToolOutcome(1, "second", usage=Usage(30, unreported_calls=1))))
    machine.step(ToolReturned(ToolOutcome(0, "first", usage=Usage(500))))
    _, (action,) = machine.step(ToolsFinished())
    look_at(play, Surface.RESULT)
    assert isinstance(action, SaveTurn)
    assert action.result.usage == Usage(531, unreported_calls=1)
