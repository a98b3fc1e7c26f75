"""Makes it late in a turn, with no time passing."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from unittest import mock

from finalturn import TurnWatch
from finalturn._adapters import in_time
from finalturn._core.observers import ObservedTurn, TurnEvent


class Clock:
    """Tells the time of limits. An hour passes when it is told so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def an_hour_passes(self) -> None:
        self.now += 3600.0


@contextmanager
def clock() -> Generator[Clock]:
    """No time passes but that of the clock."""
    told = Clock()
    with mock.patch.object(in_time, "monotonic", told):
        yield told


class Late:
    """An hour passes when something happens in the turn for the given time, from 1."""

    def __init__(self, clock: Clock, kind: type[TurnEvent], number: int = 1) -> None:
        self.clock = clock
        self.kind = kind
        self.left = number

    def observe(self, turn: ObservedTurn, /) -> TurnWatch:
        return self

    def on_event(self, event: TurnEvent, /) -> None:
        if isinstance(event, self.kind):
            self.left -= 1
            if not self.left:
                self.clock.an_hour_passes()
