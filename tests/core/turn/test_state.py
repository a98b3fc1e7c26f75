"""Where a turn stands."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from finalturn._core.result import Usage
from finalturn._core.turn import Machine, Phase, State
from tests.core.turn._turns import setup


def test_a_turn_starts_with_nothing_done() -> None:
    state = State(setup())
    assert (state.call, state.iterations, state.retries, state.empty_retried) == (-1, 0, 0, False)
    assert (state.added, state.texts, state.calls, state.batch, state.outcomes) == ((), (), (), (), ())
    assert (state.hold, state.converged, state.rejected, state.result) == (None, None, None, None)
    assert (state.usage, state.switches) == (Usage(), ())


def test_it_is_replaced_and_never_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        State(setup()).call = 1  # type: ignore[misc]


def test_the_machine_starts_there() -> None:
    machine = Machine(setup())
    assert (machine.state, machine.phase, machine.last_rule) == (State(setup()), Phase.READY, None)


def test_phases_have_names_of_their_own() -> None:
    assert len({phase.value for phase in Phase}) == len(Phase) == 9
