"""What becomes of a driver's doings as events, where a whole turn does not show it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from finalturn import Message, ModelRequest, TextDelta, Usage
from finalturn._adapters.events import CallEvent
from finalturn._agent.notifier import Notifier
from finalturn._agent.spec import AgentSpec
from finalturn._core.turn import CallModel, Cancelled, Finish, Machine, Phase, Started, TurnSetup
from finalturn.observers import (
    ModelCallEnded,
    ModelCallStarted,
    ModelEventReceived,
    ObservedTurn,
    TurnEnded,
    TurnEvent,
)
from finalturn.providers import Scripted
from tests.agent._parts import turn_of

pytestmark = pytest.mark.anyio

TURN = ObservedTurn((), None, "Scripted", None, None, streams=True)
REQUEST = ModelRequest([])


class Notes:
    """An observer that keeps what it is told."""

    def __init__(self) -> None:
        self.events: list[TurnEvent] = []

    def observe(self, turn: ObservedTurn, /) -> Notes:
        return self

    def on_event(self, event: TurnEvent, /) -> None:
        self.events.append(event)


class Calls:
    """A model call with one event, which knows what was spent before."""

    spent = "spent"

    def __init__(self) -> None:
        self.closed = False
        self._left = [TextDelta("a")]

    def __aiter__(self) -> AsyncIterator[CallEvent]:
        return self

    async def __anext__(self) -> CallEvent:
        return self._left.pop()

    async def aclose(self) -> None:
        self.closed = True


def agent(observer: Notes) -> AgentSpec:
    return turn_of(Scripted(), observers=[observer]).agent


def opened() -> tuple[Notifier, Notes]:
    notes, notifier = Notes(), Notifier(TURN)
    notifier.open(agent(notes))
    return notifier, notes


async def test_the_events_of_a_call_are_told_and_passed_on() -> None:
    notifier, notes = opened()
    notifier.begins(CallModel(REQUEST), Phase.CALLING)
    calls = Calls()
    events: Any = notifier.events(lambda: calls)
    assert await anext(events) == TextDelta("a")
    assert events.spent == "spent"
    await events.aclose()
    assert calls.closed
    assert notes.events == [ModelCallStarted(0, "loop", REQUEST), ModelEventReceived(0, TextDelta("a"))]


def test_a_call_ends_once() -> None:
    notifier, notes = opened()
    notifier.begins(CallModel(REQUEST), Phase.SYNTHESIZING)
    error = LookupError()
    notifier.call_ended(error=error)
    notifier.call_ended()
    assert notes.events == [ModelCallStarted(0, "synthesis", REQUEST), ModelCallEnded(0, error=error)]


def test_what_is_open_ends_before_the_turn_and_the_turn_once() -> None:
    notifier, notes = opened()
    notifier.begins(CallModel(REQUEST), Phase.CALLING)
    for _ in range(2):
        notifier.ends(Usage(), None, None)
    assert notes.events[1:] == [ModelCallEnded(0), TurnEnded(None, None, Usage())]


def test_an_input_that_the_machine_ignores_is_not_told() -> None:
    notifier, notes = opened()
    machine = Machine(TurnSetup(user=(Message.user("hi"),)))
    for item in (Started(), Cancelled(), Cancelled()):
        notifier.step(machine, item)
    assert len(notes.events) == 2


def test_the_end_of_a_turn_is_no_work() -> None:
    notifier, notes = opened()
    result: Any = object()
    with pytest.raises(AssertionError, match="Finish ends the turn"):
        notifier.begins(Finish(result), Phase.DONE)
    notifier.comes_to(Started())
    assert notes.events == []
