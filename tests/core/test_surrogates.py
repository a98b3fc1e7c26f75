"""Halves of surrogate pairs, wherever a text is cut."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from finalturn._core.json_text import without_surrogates
from finalturn._core.surrogates import SurrogateJoiner

HIGH, LOW, SMILE = "\ud83d", "\ude00", "😀"
TEXTS = st.text(st.sampled_from(["a", "é", HIGH, LOW, SMILE, "\ufffd"]) | st.characters(), max_size=12)


def join(pieces: Iterable[str]) -> str:
    joiner = SurrogateJoiner()
    return "".join([*map(joiner.feed, pieces), joiner.finish()])


@given(st.lists(TEXTS, max_size=6))
@example([HIGH, LOW])
@example([HIGH, "", LOW])
@example([HIGH, HIGH, LOW])
@example(["a" + HIGH, "b"])
@example([LOW, HIGH])
def test_cuts_change_nothing(pieces: list[str]) -> None:
    assert join(pieces) == without_surrogates("".join(pieces))
    assert join("".join(pieces)) == join(["".join(pieces)]) == join(pieces)


@given(st.lists(TEXTS, max_size=6))
def test_only_a_half_that_may_be_joined_is_kept_back(pieces: list[str]) -> None:
    joiner = SurrogateJoiner()
    fed = given_back = ""
    for piece in pieces:
        fed += piece
        given_back += joiner.feed(piece)
        assert given_back == without_surrogates(fed[:-1] if "\ud800" <= fed[-1:] <= "\udbff" else fed)


@pytest.mark.parametrize(
    ("pieces", "given_back"),
    [
        (["abc"], ["abc", ""]),
        ([""], ["", ""]),
        ([HIGH, LOW], ["", SMILE, ""]),
        (["a" + HIGH, LOW + "b"], ["a", SMILE + "b", ""]),
        ([HIGH, ""], ["", "", "\ufffd"]),
        ([HIGH], ["", "\ufffd"]),
        ([HIGH, "a"], ["", "\ufffda", ""]),
        ([HIGH, HIGH, LOW], ["", "\ufffd", SMILE, ""]),
        ([LOW], ["\ufffd", ""]),
        ([SMILE], [SMILE, ""]),
    ],
)
def test_what_each_piece_gives(pieces: list[str], given_back: list[str]) -> None:
    joiner = SurrogateJoiner()
    assert [*map(joiner.feed, pieces), joiner.finish()] == given_back


def test_the_end_is_told_once() -> None:
    joiner = SurrogateJoiner()
    joiner.feed(HIGH)
    assert [joiner.finish(), joiner.finish(), joiner.feed(LOW)] == ["\ufffd", "", "\ufffd"]
