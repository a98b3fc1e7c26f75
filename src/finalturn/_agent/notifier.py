"""Reports what a driver does as events, to the observers of its turn."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager
from typing import Literal, assert_never

from finalturn._adapters.events import CallEvent, WholeReply, close_events
from finalturn._adapters.watches import Watches
from finalturn._agent.spec import AgentSpec
from finalturn._core.chunks import StreamChunk
from finalturn._core.model import ModelResponse, ReasoningDelta, TextDelta
from finalturn._core.observers import (
    ChunkDelivered,
    ModelCallEnded,
    ModelCallStarted,
    ModelEventReceived,
    ObservedTurn,
    PredicateAnswered,
    PredicateAsked,
    RuleFired,
    SaveEnded,
    SaveStarted,
    ToolBatchStarted,
    TurnEnded,
    TurnPrepared,
)
from finalturn._core.result import AgentResult, Usage
from finalturn._core.turn import (
    IGNORED,
    Action,
    AskFinalize,
    CallModel,
    Decided,
    Finish,
    Finished,
    Input,
    Machine,
    Phase,
    Raise,
    RunTools,
    Saved,
    SaveTurn,
    Step,
    TurnSetup,
)

__all__ = ["Notifier"]


class Notifier:
    """Events of one turn.

    Args:
        turn: what observers are asked to watch.

    Attributes:
        watches: those who are told.
    """

    def __init__(self, turn: ObservedTurn) -> None:
        self.watches = Watches()
        self._turn = turn
        self._call: ModelCallStarted | None = None
        self._ended = False

    def open(self, agent: AgentSpec) -> None:
        """The turn begins: ask the agent's observers what is to watch it."""
        self.watches.open(agent.every_observer(), self._turn)

    def around_turn(self) -> AbstractContextManager[None]:
        """The context of the turn's code, for one step."""
        return self.watches.around(self._turn)

    def prepared(self, setup: TurnSetup, agent: AgentSpec) -> None:
        """The turn is set up."""
        self.watches.tell(
            TurnPrepared(
                mode=setup.mode.value,
                single_pass=setup.single_pass,
                hold=setup.hold,
                reuse=setup.reuse,
                asks=setup.asks,
                native_tools=agent.capabilities.native_tools,
                max_iterations=setup.max_iterations,
                max_retries=setup.max_retries,
                system=setup.system,
                history=tuple(setup.history),
                injections=setup.injections,
                user=setup.user,
                schema=None if setup.output is None else setup.output.schema,
            )
        )

    def step(self, machine: Machine, machine_input: Input) -> Step:
        """Feed the machine, and tell what it makes of it."""
        ignored = (machine.phase, type(machine_input)) in IGNORED
        step = machine.step(machine_input)
        if ignored:
            return step
        assert machine.last_rule is not None, "what is not ignored is ruled"
        verdict = machine.last_verdict if isinstance(machine_input, Finished) else None
        self.watches.tell(
            RuleFired(
                machine.last_rule,
                type(machine_input).__name__,
                machine_input if isinstance(machine_input, (TextDelta, ReasoningDelta)) else None,
                None if verdict is None else verdict.value,
                tuple(step[0]),
            )
        )
        return step

    def begins(self, action: Action, phase: Phase) -> None:
        """An action is about to be carried out."""
        match action:
            case CallModel(request):
                purpose: Literal["loop", "synthesis"]
                purpose = "synthesis" if phase is Phase.SYNTHESIZING else "loop"
                self._call = ModelCallStarted(request.call, purpose, request)
                self.watches.tell(self._call)
            case RunTools(calls):
                self.watches.tell(ToolBatchStarted(calls))
            case AskFinalize(messages, text):
                self.watches.tell(PredicateAsked(messages, text))
            case SaveTurn(result):
                self.watches.tell(SaveStarted(result))
            case Finish() | Raise():
                raise AssertionError(f"{type(action).__name__} ends the turn")
            case _:
                assert_never(action)

    def comes_to(self, outcome: Input) -> None:
        """An action has been carried out, and this came of it."""
        if isinstance(outcome, Decided):
            self.watches.tell(PredicateAnswered(outcome.finalize))
        elif isinstance(outcome, Saved):
            self.watches.tell(SaveEnded())

    def events(self, make: Callable[[], AsyncIterator[CallEvent]]) -> AsyncIterator[CallEvent]:
        """The events of the model call that has begun, which are told as they are read.

        Args:
            make: asks the provider for them.
        """
        assert self._call is not None, "a model call is told of before it begins"
        with self.watches.around(self._call):
            events = make()
        return _ObservedEvents(events, self._call, self.watches)

    def call_ended(self, response: ModelResponse | None = None, error: BaseException | None = None) -> None:
        """The model call is over, if one is under way. Told of neither, it was stopped."""
        call, self._call = self._call, None
        if call is not None:
            self.watches.tell(ModelCallEnded(call.call, response, error))

    def delivers(self, chunk: StreamChunk) -> None:
        """A chunk goes to the reader."""
        self.watches.tell(ChunkDelivered(chunk))

    def ends(self, usage: Usage, result: AgentResult[object] | None, error: BaseException | None) -> None:
        """The turn is over, if it is not yet. With neither a result nor an error, it was left."""
        if not self._ended:
            self._ended = True
            self.call_ended()
            self.watches.tell(TurnEnded(result, error, usage))


class _ObservedEvents(AsyncIterator[CallEvent]):
    """The events of a model call, read in its context, and told."""

    def __init__(self, events: AsyncIterator[CallEvent], call: ModelCallStarted, watches: Watches) -> None:
        self._events = events
        self._call = call
        self._watches = watches

    @property
    def spent(self) -> object:
        """What providers have used that failed before the one that is asked now, where it is known."""
        return getattr(self._events, "spent", None)

    async def __anext__(self) -> CallEvent:
        with self._watches.around(self._call):
            event = await self._events.__anext__()
        if not isinstance(event, WholeReply):
            self._watches.tell(ModelEventReceived(self._call.call, event))
        return event

    async def aclose(self) -> None:
        with self._watches.around(self._call):
            await close_events(self._events)
