"""What blocks have in common: what is kept of their text, and how they are settled."""

from __future__ import annotations

import pytest

from finalturn.core.hold import HoldGate
from finalturn.core.hold._block import LIMIT, Block, Target
from tests.core._hold_gate import array, either, mapping, optional, scalar, ticket


class Marked(Block):
    """Reads up to a mark: ``!`` hides it, ``?`` releases it, ``#`` makes it sure to be hidden."""

    def _read(self, text: str, start: int, end: int) -> int:
        at = start
        while at < end and text[at] not in "!?#":
            at += 1
        self._keep(text[start:at])
        if at < end:
            {"!": self._hide, "?": self._release, "#": self._doom}[text[at]]()
            at += 1
        return at

    def _cut(self) -> None:
        self._release()


def block() -> Marked:
    return Marked(Target(ticket()))


@pytest.mark.parametrize(
    ("text", "end", "verdict", "shown", "tail", "fresh"),
    [
        ("ab \n?cd", 5, "released", "ab", " \n", True),
        ("ab ?cd", 4, "released", "ab", " ", False),
        ("ab!cd", 3, "hidden", "", "", True),
        ("ab \n!cd", 5, "hidden", "", " \n", True),
        ("ab#c \n!d", 7, "hidden", "", " \n", True),
        ("ab \n#!d", 6, "hidden", "", " \n", True),
        ("ab", 2, "open", "", "", True),
    ],
)
def test_it_is_settled_where_it_ends(
    text: str, end: int, verdict: str, shown: str, tail: str, fresh: bool
) -> None:
    for pieces in ([text], list(text)):
        one = block()
        read = 0
        for piece in pieces:
            read += one.feed(piece, 0)
            if one.verdict != "open":
                break
        assert (read, one.verdict, one.shown, one.tail, one.fresh) == (end, verdict, shown, tail, fresh)


def test_at_the_end_an_undecided_one_is_cut_and_a_doomed_one_hidden() -> None:
    undecided, doomed = block(), block()
    undecided.feed("ab ", 0)
    undecided.finish()
    assert (undecided.verdict, undecided.shown, undecided.tail) == ("released", "ab", " ")
    doomed.feed("ab# ", 0)
    doomed.finish()
    assert (doomed.verdict, doomed.shown, doomed.tail) == ("hidden", "", " ")


def test_an_undecided_one_is_cut_at_the_limit_and_a_doomed_one_never() -> None:
    undecided, doomed = block(), block()
    assert undecided.feed("a" * LIMIT + "bc", 0) == LIMIT
    assert (undecided.verdict, len(undecided.shown)) == ("released", LIMIT)
    assert doomed.feed("#" + "a" * 2 * LIMIT, 0) == 2 * LIMIT + 1
    assert doomed.verdict == "open"


@pytest.mark.parametrize(
    ("gate", "keys", "starts", "brackets"),
    [
        (ticket(), "name", "{", "{"),
        (optional(), "a b", "{", "{"),
        (mapping(), "", "{", "{"),
        (array(), "", "[", "["),
        (either(), "", "[{", "[{"),
        (scalar(), "", '"-0123456789fnt', ""),
    ],
)
def test_what_is_looked_for(gate: HoldGate, keys: str, starts: str, brackets: str) -> None:
    target = Target(gate)
    assert target.keys == set(keys.split())
    assert target.starts == set(starts)
    assert target.brackets == set(brackets)
