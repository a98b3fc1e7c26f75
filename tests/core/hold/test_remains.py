"""Where a block ends that is to be hidden and is no JSON any more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.hold.remains import BareRemains, FenceRemains

Remains = BareRemains | FenceRemains


def end_of(remains: Remains, pieces: list[str]) -> int | None:
    """How many characters belong to the block; ``None`` when it does not end."""
    read = 0
    for piece in pieces:
        stop = remains.feed(piece, 0)
        if remains.ended:
            return read + stop
        assert stop == len(piece)
        read += stop
    return None


@pytest.mark.parametrize(
    ("braces", "blank", "text", "end"),
    [
        (1, "", "x}\nBye", 2),
        (2, "", "x}}\nBye", 3),
        (1, "", "x{}}\nBye", 4),
        (1, "", "]]x}\nBye", 4),
        # Braces that balance in mid-line do not end it: a stray quote may have moved them.
        (1, "", 'x "hi} SECRET", "n": 1}\nBye', 23),
        (1, "", "x} SECRET", None),
        (1, "", "x}}\nBye", 3),
        # Quotes are paired within their line.
        (1, "", 'x"}"}\nBye', 5),
        (1, "", 'x"}\n}\nBye', 5),
        (1, "", 'x"\\"}"}\nBye', 7),
        (1, "", "x\\}\nBye", 3),
        (1, "", 'x"\\\n}\nBye', 5),
        # A paragraph of prose is the end, a line that looks like JSON is not.
        (1, "", "x\n\nBye", 3),
        (1, "", "x\r\n\r\nBye", 5),
        (1, "", "x\r\rBye", 3),
        (1, "", "x\nBye}\n", 6),
        (1, "", 'x\n\n"a": 1}\n', 10),
        (1, "", "x\n\n  indented}\n", 14),
        (1, "", "x\n\n// a note\n}\n", 14),
        (1, "\n\n", "Bye", 0),
        (1, "\n", "\nBye", 1),
        (1, "\n\n  ", "Bye}\n", 4),
        (1, "", "x\n`x`}\n", 2),
        (1, "", "never", None),
        (1, "", "never\n\n", None),
    ],
)
def test_of_a_bare_block(braces: int, blank: str, text: str, end: int | None) -> None:
    assert end_of(BareRemains(braces, blank, ""), [text]) == end
    assert end_of(BareRemains(braces, blank, ""), list(text)) == end


@pytest.mark.parametrize(
    ("text", "end"),
    [("x}` and", 2), ("x} ` and", 3), ("x} and `\n", 7), ("x`}` and", 3), ('x"`}`"}` and', 7)],
)
def test_what_may_close_the_markup_around_it_ends_it_once_the_braces_balance(text: str, end: int) -> None:
    assert end_of(BareRemains(1, "", "`"), [text]) == end
    assert end_of(BareRemains(1, "", "`"), list(text)) == end


@pytest.mark.parametrize(("text", "end"), [("x ``` y", 5), ("x ``` ` y", 5), ("x\n``` y\n```\n```\nz", 15)])
def test_the_line_that_opened_a_fence_may_close_it_anywhere(text: str, end: int) -> None:
    assert end_of(FenceRemains("`", 3, first_line=True), [text]) == end
    assert end_of(FenceRemains("`", 3, first_line=True), list(text)) == end


@pytest.mark.parametrize(
    ("count", "text", "end"),
    [
        (3, "x\n```\nBye", 5),
        (3, "x```\nBye", 4),
        (3, "```` \t\r\nBye", 6),
        (4, "```\n````\nBye", 8),
        (3, "`` `\n```\n", 8),
        (3, "```x\n```\n", 8),
        (3, "``` `\n```\n", 9),
        # A fence that opens inside is closed first.
        (3, "x\n```py\nSECRET\n```\n1}\n```\nBye", 25),
        (3, "x\n ````py\n```\n```\nBye", 17),
        (3, "```", None),
        (3, "x\n``\n", None),
    ],
)
def test_of_a_fence(count: int, text: str, end: int | None) -> None:
    assert end_of(FenceRemains("`", count, first_line=False), [text]) == end
    assert end_of(FenceRemains("`", count, first_line=False), list(text)) == end


@given(st.lists(st.text(st.sampled_from('a{}"\\\n\r `/'), max_size=4), max_size=8), st.integers(1, 3))
def test_cuts_change_nothing(pieces: list[str], count: int) -> None:
    whole = ["".join(pieces)]
    assert end_of(BareRemains(count, "", "`"), pieces) == end_of(BareRemains(count, "", "`"), whole)
    assert end_of(FenceRemains("`", count + 2, first_line=True), pieces) == end_of(
        FenceRemains("`", count + 2, first_line=True), whole
    )


def test_reading_begins_where_it_is_told() -> None:
    remains = BareRemains(1, "", "")
    assert (remains.feed("}}x}\n", 3), remains.ended) == (4, True)
    fence = FenceRemains("`", 3, first_line=False)
    assert (fence.feed("```\nx```\n", 4), fence.ended) == (8, True)
