"""Watching an agent's turns: a recorder is told of everything, and a turn that nobody watches pays nothing.

A turn that is watched has another driver. It does what the driver does, and tells its witnesses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from anyio import get_cancelled_exc_class

from finalturn._agent.driver import Driver, Item
from finalturn._core.chunks import StreamChunk
from finalturn._core.output import Answer, Output, Rejection
from finalturn._core.turn import Action, CallModel, Cancelled, Finished, Input, Machine, Phase, State, Step

if TYPE_CHECKING:
    from finalturn._agent.actions import Performer
    from finalturn._agent.model_call import ModelCall
    from finalturn._agent.spec import TurnSpec


class Moment(NamedTuple):
    """Where a turn stands."""

    phase: Phase
    state: State


class Witness(Protocol):
    """Is told of one turn, in the order in which things happen. It raises nothing."""

    def begins(self, turn: TurnSpec, now: Moment, /) -> None:
        """The turn is prepared. A turn that fails before has no beginning."""
        ...

    def takes(self, item: Input, before: Moment, after: Moment, validated: bool, /) -> None:
        """The machine has taken an input; what it shows is not delivered yet.

        Args:
            item: the input.
            before: where the turn stood.
            after: where it stands now.
            validated: the input is a finished call, and its text has been found to be an answer.
        """
        ...

    def acts(self, action: Action, /) -> None:
        """An action is about to be carried out: never a `Finish` or a `Raise`."""
        ...

    def delivers(self, item: Item, /) -> None:
        """An item goes to the surface. The result is the last."""
        ...

    def fails(self, error: BaseException, /) -> None:
        """The turn raises, and is over."""
        ...

    def leaves(self) -> None:
        """The turn is closed or cancelled, and is over."""
        ...


class WatchedDriver(Driver):
    """A driver that tells what happens to those who watch its agent."""

    def __init__(self, turn: TurnSpec) -> None:
        super().__init__(turn)
        self._witnesses = tuple(watcher() for watcher in tuple(turn.agent.watchers))
        self._reading = False
        self._over = False

    async def next(self) -> Item:
        self._reading = True
        try:
            item = await super().next()
        except BaseException as error:
            self._end(error)
            raise
        finally:
            self._reading = False
        self._over = self._over or not isinstance(item, StreamChunk)
        for witness in self._witnesses:
            witness.delivers(item)
        return item

    async def _start(self) -> None:
        await super()._start()
        machine, performer = self._machine, self._performer
        assert machine is not None and performer is not None
        for witness in self._witnesses:
            witness.begins(self._turn, Moment(machine.phase, machine.state))
        # Each of the three has what is used of it.
        self._machine = cast("Machine", _WatchedMachine(machine, self, self._witnesses))
        self._performer = cast("Performer", _WatchedPerformer(performer, self._witnesses))

    def close(self) -> None:
        """The turn is being cancelled. A step that is under way ends by it, and tells why it ends."""
        if not self._reading:
            self._end(None)

    def _end(self, error: BaseException | None) -> None:
        if self._over:
            return
        self._over = True
        for witness in self._witnesses:
            if error is None or _is_cancellation(error):
                witness.leaves()
            else:
                witness.fails(error)


def _is_cancellation(error: BaseException) -> bool:
    # A coroutine that is thrown away may have no event loop to ask any more.
    return isinstance(error, GeneratorExit) or isinstance(error, get_cancelled_exc_class())  # noqa: SIM101


class _WatchedMachine:
    def __init__(self, machine: Machine, driver: WatchedDriver, witnesses: Sequence[Witness]) -> None:
        self._machine = machine
        self._driver = driver
        self._witnesses = witnesses
        self._judgement = _Judgement()
        setup = machine.state.setup
        if setup.output is not None:
            setup = replace(
                setup,
                output=_watched(setup.output, self._judgement),
                asked=None if setup.asked is None else _watched(setup.asked, self._judgement),
            )
            machine.state = replace(machine.state, setup=setup)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._machine, name)

    def step(self, item: Input) -> Step:
        machine, judgement = self._machine, self._judgement
        before = Moment(machine.phase, machine.state)
        judgement.forget()
        done = machine.step(item)
        if isinstance(item, Cancelled):
            self._driver.close()
            return done
        after = Moment(machine.phase, machine.state)
        validated = isinstance(item, Finished) and isinstance(judgement.last, Answer)
        for witness in self._witnesses:
            witness.takes(item, before, after, validated)
        return done


class _Judgement:
    """What the last text was judged to be; of a finished call, that is its whole text."""

    def __init__(self) -> None:
        self.last: Answer[Any] | Rejection | None = None

    def forget(self) -> None:
        """A new input is taken."""
        self.last = None


def _watched(output: Output[Any], judgement: _Judgement) -> Output[Any]:
    # It has what is used of one.
    return cast("Output[Any]", _WatchedOutput(output, judgement))


class _WatchedOutput:
    """Notes what texts are judged to be."""

    def __init__(self, output: Output[Any], judgement: _Judgement) -> None:
        self._output = output
        self._judgement = judgement

    def __getattr__(self, name: str) -> Any:
        return getattr(self._output, name)

    def reuse(self, text: str) -> Answer[Any] | Rejection:
        self._judgement.last = found = self._output.reuse(text)
        return found

    def extract(self, text: str) -> Answer[Any] | Rejection:
        self._judgement.last = found = self._output.extract(text)
        return found


class _WatchedPerformer:
    def __init__(self, performer: Performer, witnesses: Sequence[Witness]) -> None:
        self._performer = performer
        self._witnesses = witnesses

    def call_model(self, action: CallModel) -> ModelCall:
        self._acts(action)
        return self._performer.call_model(action)

    async def perform(self, action: Action) -> Sequence[Input]:
        self._acts(action)
        return await self._performer.perform(action)

    def _acts(self, action: Action) -> None:
        for witness in self._witnesses:
            witness.acts(action)
