"""Where a turn stands."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.hold import JsonHold
from finalturn._core.result import Usage
from finalturn._core.turn import Machine, Phase, State
from finalturn._core.turn.state import HeldText
from tests.core.turn._turns import INVALID, OUTPUT, VALID, setup

PIECES = st.lists(
    st.sampled_from(
        ["Hi. ", "\n", "{", '"x": 1', "}", VALID, INVALID, "```json\n", "\n```\n", '{"a": 2}', ""]
    ),
    max_size=8,
)


@given(PIECES)
def test_it_shows_what_the_hold_lets_through(pieces: list[str]) -> None:
    held, hold = HeldText(OUTPUT), JsonHold(OUTPUT)
    shown = ""
    for piece in pieces:
        given_back = held.feed(piece)
        assert given_back == hold.feed(piece)
        shown += given_back
        assert held.shown == shown
    last = held.finish()
    assert last == hold.finish()
    assert held.shown == shown + last


def test_an_answer_is_not_in_it() -> None:
    held = HeldText(OUTPUT)
    given_back = [held.feed(piece) for piece in ("Hi.\n", VALID[:4], VALID[4:], "\nBye.")]
    assert "".join(given_back) == held.shown
    assert "x" not in held.shown and held.shown.split() == ["Hi.", "Bye."]


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
