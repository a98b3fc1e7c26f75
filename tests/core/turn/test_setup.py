"""What is fixed when a turn starts."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from finalturn._core.messages import Message
from finalturn._core.turn import Mode, TurnSetup


def test_the_least_setup_is_a_plain_turn() -> None:
    least = TurnSetup((Message.user("hi"),))
    assert (least.mode, least.output, least.system, least.tools) == (Mode.PLAIN, None, "", ())
    assert not (least.single_pass or least.hold or least.asks or least.native_loop or least.native_synthesis)
    assert (least.reuse, least.max_iterations, least.max_retries) == (True, 10, 2)


def test_it_stays_as_it_is() -> None:
    with pytest.raises(FrozenInstanceError):
        TurnSetup(()).reuse = False  # type: ignore[misc]
