"""The driver: carries out the machine's actions, and feeds it their outcomes. It decides nothing."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from anyio import CancelScope, get_cancelled_exc_class

from finalturn._adapters.in_time import OutOfTime
from finalturn._agent.actions import Performer
from finalturn._agent.contexts import TurnContexts
from finalturn._agent.meter import UNREPORTED, meter_for
from finalturn._agent.model_call import ModelCall
from finalturn._agent.prepare import prepare
from finalturn._agent.spec import TurnSpec
from finalturn._core.chunks import StreamChunk
from finalturn._core.errors import ProviderError, charge
from finalturn._core.model import ModelResponse
from finalturn._core.result import AgentResult, Usage
from finalturn._core.turn import (
    Action,
    CallModel,
    Cancelled,
    Failed,
    Finish,
    Finished,
    Input,
    LimitReached,
    Machine,
    Raise,
    Started,
    Step,
)

if TYPE_CHECKING:
    from finalturn._agent.notifier import Notifier

Item: TypeAlias = StreamChunk | AgentResult[Any]


class Driver:
    """One turn under way. `next` gives what is shown, item by item; the last is the result.

    Args:
        turn: the call of the agent.
        notifier: tells those who observe the turn; ``None`` where nobody does.
    """

    def __init__(self, turn: TurnSpec, notifier: Notifier | None = None) -> None:
        self._turn = turn
        self._notifier = notifier
        self._machine: Machine | None = None
        self._step: Callable[[Input], Step] | None = None
        self._performer: Performer | None = None
        self._call: ModelCall | None = None
        self._shown: deque[Item] = deque()
        self._actions: deque[Action] = deque()
        self._lost_usage = Usage()
        self._meter = meter_for(turn.agent.limits, turn.outer)

    @property
    def usage(self) -> Usage:
        """Tokens of the model calls that have ended, those that failed or were stopped included."""
        if self._machine is None or self._performer is None:
            return self._lost_usage
        return self._machine.state.usage + self._lost_usage + self._performer.usage

    async def next(self) -> Item:
        """The next item; between two calls nothing is read and nothing runs."""
        shown = self._shown
        try:
            while not shown:
                if self._call is not None:
                    await self._read(self._call)
                elif self._actions:
                    await self._act(self._actions.popleft())
                elif self._performer is not None and self._performer.shows:
                    await self._pull(self._performer)
                elif self._machine is None:
                    await self._start()
                else:
                    raise AssertionError(f"the machine asks for nothing in phase {self._machine.phase.value}")
        except GeneratorExit:
            # The coroutine is being thrown away: nothing can be awaited any more.
            raise
        except BaseException:
            await self.aclose()
            raise
        return shown.popleft()

    async def aclose(self) -> None:
        """Stop: what is under way ends, and nothing more is started or shown."""
        self._shown.clear()
        self._actions.clear()
        if self._step is not None:
            self._step(Cancelled())
        if self._call is not None:
            self._lose(self._call.used)
        with CancelScope(shield=True):
            await self._hang_up()
            if self._performer is not None:
                await self._performer.aclose()

    async def _start(self) -> None:
        # What the driver holds must not lead back to it: a turn leaves no garbage.
        driver = weakref.ref(self)
        meter = self._meter
        deadline = None if meter is None else meter.deadline
        contexts = TurnContexts(self._turn, lambda: _usage_of(driver()), meter)
        self._turn, setup, version, limit = await prepare(self._turn, contexts, deadline)
        self._machine = machine = Machine(setup)
        self._step = machine.step if self._notifier is None else partial(self._notifier.step, machine)
        if meter is not None:
            self._step = partial(meter.step, self._step)
        self._performer = Performer(self._turn, version, contexts, self._notifier, deadline)
        if self._notifier is not None:
            self._notifier.prepared(setup, self._turn.agent)
        self._feed(Started(limit))

    async def _read(self, call: ModelCall) -> None:
        try:
            item: Input = await call.next()
        except GeneratorExit:
            raise
        except OutOfTime:
            reached = LimitReached("seconds", call.text, call.used)
            await self._hang_up_after(reached)
            self._feed(reached)
            return
        except get_cancelled_exc_class():
            raise
        except BaseException as error:
            self._charge(error)
            self._tell_end(error=error)
            await self._hang_up()
            self._feed(Failed(error))
            return
        if type(item) is Finished:
            self._tell_end(item.response)
            await self._hang_up_after(item)
        self._feed(item)

    async def _act(self, action: Action) -> None:
        machine, performer = self._machine, self._performer
        assert machine is not None and performer is not None, "a turn has started before it acts"
        if isinstance(action, Finish):
            self._shown.append(action.result)
        elif isinstance(action, Raise):
            try:
                raise self._with_usage(action.error)
            finally:
                # The exception leads through its traceback to this frame: it must not lead back.
                del action
        else:
            if self._notifier is not None:
                self._notifier.begins(action, machine.phase)
            try:
                if isinstance(action, CallModel):
                    self._call = performer.call_model(action)
                    return
                outcomes = await performer.perform(action)
            except GeneratorExit:
                raise
            except OutOfTime:
                self._feed(LimitReached("seconds"))
                return
            except get_cancelled_exc_class():
                raise
            except BaseException as error:
                if isinstance(action, CallModel):
                    self._charge(error)
                    self._tell_end(error=error)
                self._feed(Failed(error))
                return
            for outcome in outcomes:
                if self._notifier is not None:
                    self._notifier.comes_to(outcome)
                self._feed(outcome)

    async def _pull(self, performer: Performer) -> None:
        """Read what a tool shows."""
        try:
            item = await performer.next_shown()
        except GeneratorExit:
            raise
        except get_cancelled_exc_class():
            raise
        except BaseException as error:
            self._feed(Failed(error))
            return
        self._feed(item)

    def _with_usage(self, error: BaseException) -> BaseException:
        if isinstance(error, ProviderError) and error.usage is None:
            error.usage = self.usage
        return error

    def _charge(self, error: BaseException) -> None:
        """A model call has failed: what it has used counts."""
        if isinstance(error, ProviderError):
            self._lose(charge(error, self.usage, UNREPORTED))
        else:
            self._lose(UNREPORTED)

    def _lose(self, usage: Usage) -> None:
        """A model call has used this that the machine is not told of."""
        self._lost_usage += usage
        if self._meter is not None:
            self._meter.count_usage(usage)

    def _feed(self, machine_input: Input) -> None:
        assert self._step is not None, "a turn has started before it is fed"
        shown, actions = self._step(machine_input)
        self._shown.extend(shown)
        self._actions.extend(actions)

    async def _hang_up_after(self, item: Finished | LimitReached) -> None:
        try:
            await self._hang_up()
        except BaseException:
            # The machine will not be told of it any more.
            self._lose(item.usage if isinstance(item, LimitReached) else item.response.usage or UNREPORTED)
            raise

    async def _hang_up(self) -> None:
        call, self._call = self._call, None
        if call is None:
            return
        # No scope is entered here: a provider that holds one open across its pieces must be able to leave it.
        try:
            await call.aclose()
        except Exception as error:
            # Whatever the turn has come to does not depend on how its connection closes.
            _warn(error)
        finally:
            self._tell_end()

    def _tell_end(self, response: ModelResponse | None = None, error: BaseException | None = None) -> None:
        if self._notifier is not None:
            self._notifier.call_ended(response, error)


def _usage_of(driver: Driver | None) -> Usage:
    assert driver is not None, "a turn's code runs while its driver is there"
    return driver.usage


def _warn(error: Exception) -> None:
    from finalturn._support.logger import logger

    logger().warning("a model call could not be closed (%s)", type(error).__name__)
