"""Telling those who watch a turn: who is told, in whose contexts code runs, and who is not told any more."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from finalturn._adapters.watches import Watches
from finalturn._core.observers import ObservedTurn, SaveEnded, TurnEvent, TurnPart

TURN = ObservedTurn((), None, "Scripted", None, None, streams=True)
EVENT = SaveEnded()


class Watch:
    """Notes what it is told, and the contexts that it opens and closes."""

    def __init__(self, name: str, notes: list[str]) -> None:
        self.name = name
        self.notes = notes

    def observe(self, turn: ObservedTurn, /) -> Watch:
        return self

    def on_event(self, event: TurnEvent, /) -> None:
        self.notes.append(f"{self.name} told")

    @contextmanager
    def around(self, part: TurnPart, /) -> Generator[None]:
        self.notes.append(f"{self.name} in")
        yield
        self.notes.append(f"{self.name} out")


class Observer:
    """Gives what it was given."""

    def __init__(self, watch: Any) -> None:
        self.watch = watch

    def observe(self, turn: ObservedTurn, /) -> Any:
        return self.watch


def opened(*observers: Any) -> Watches:
    watches = Watches()
    watches.open(observers, TURN)
    return watches


def test_contexts_are_nested_and_left_whatever_happens() -> None:
    notes: list[str] = []
    watches = opened(Watch("a", notes), Watch("b", notes))
    with suppress(LookupError), watches.around(TURN):
        watches.tell(EVENT)
        raise LookupError
    assert notes == ["a in", "b in", "a told", "b told", "b out", "a out"]


def test_an_observer_may_pass_a_turn_over() -> None:
    notes: list[str] = []
    opened(Observer(None), Watch("a", notes)).tell(EVENT)
    assert notes == ["a told"]


def test_a_watch_needs_no_contexts() -> None:
    class Plain:
        def __init__(self) -> None:
            self.told = 0

        def on_event(self, event: TurnEvent, /) -> None:
            self.told += 1

    plain = Plain()
    watches = opened(Observer(plain))
    with watches.around(TURN):
        watches.tell(EVENT)
    assert plain.told == 1


class Asynchronous:
    """Not what can be told of a turn."""

    async def on_event(self, event: TurnEvent, /) -> None:
        raise AssertionError("nobody awaits it")


@pytest.mark.parametrize("watch", [object(), Asynchronous()])
def test_what_cannot_be_told_is_logged_once(watch: object, caplog: pytest.LogCaptureFixture) -> None:
    notes: list[str] = []
    watches = opened(Observer(watch), Watch("a", notes))
    watches.tell(EVENT)
    assert notes == ["a told"]
    assert [record.getMessage() for record in caplog.records] == [
        "an observer is told nothing more of a turn: Observer raised TypeError"
    ]


def test_an_interrupt_is_not_held_back() -> None:
    class Interrupted(Watch):
        def on_event(self, event: TurnEvent, /) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        opened(Interrupted("a", [])).tell(EVENT)
