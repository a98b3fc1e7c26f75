"""What an observer must look like, and what an event is."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from finalturn import TurnObserver, TurnWatch
from finalturn.observers import ObservedTurn, TurnEvent, TurnPart


class Both:
    """Observes, and watches."""

    def observe(self, turn: ObservedTurn, /) -> Both:
        return self

    def on_event(self, event: TurnEvent, /) -> None:
        """Take no notice."""


def test_any_object_with_the_right_method_will_do() -> None:
    assert isinstance(Both(), TurnObserver) and isinstance(Both(), TurnWatch)
    assert not isinstance(object(), TurnObserver) and not isinstance(object(), TurnWatch)


@pytest.mark.parametrize("kind", [*get_args(TurnEvent), *get_args(TurnPart)])
def test_each_event_is_a_frozen_dataclass(kind: Any) -> None:
    assert kind.__dataclass_params__.frozen
