"""Held text remembers what got past the hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.hold import JsonHold
from finalturn._core.turn.held import HeldText
from tests.core.turn._turns import INVALID, OUTPUT, VALID

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
