"""Blocks between tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.markup import Ended
from finalturn._core.messages import ToolCall
from finalturn._core.textcalls.token_block import CUT, MALFORMED, TokenBlock


def read(pieces: list[str]) -> tuple[Ended, str]:
    """How the block ends, and the text behind it. A call's name is the block's text; a blank one is none."""
    block = TokenBlock(
        ("</a>", "<b>"), lambda text: (ToolCall(text),) if text.strip() else None, name="n", kept=("<b>",)
    )
    for place, piece in enumerate(pieces):
        if ended := block.feed(piece, 0):
            return ended, ended.text[ended.at :] + "".join(pieces[place + 1 :])
    ended = block.finish()
    return ended, ended.text[ended.at :]


@pytest.mark.parametrize(
    ("text", "call", "rest"),
    [
        ("x</a> y</a>", ToolCall("x"), " y</a>"),
        ("x</a", ToolCall("x</a"), ""),
        ("x<</a>", ToolCall("x<"), ""),
        # What begins something else is left where it is.
        ("x<b>y", ToolCall("x"), "<b>y"),
        ("\ud83d</a>", ToolCall("\ufffd"), ""),
        (" </a>y", ToolCall("n", error=MALFORMED), "y"),
        ("<b>", ToolCall("n", error=MALFORMED), "<b>"),
        (" ", ToolCall("n", error=CUT), ""),
        ("", ToolCall("n", error=CUT), ""),
    ],
)
def test_the_first_closing_token_ends_it(text: str, call: ToolCall, rest: str) -> None:
    for pieces in ([text], list(text)):
        ended, behind = read(pieces)
        assert (ended.parts, behind) == ((call,), rest)


@given(st.text(alphabet="</ab>x "), st.integers(0, 20))
def test_cuts_change_nothing(text: str, place: int) -> None:
    whole, rest = read([text])
    for pieces in ([text[:place], text[place:]], list(text)):
        ended, behind = read(pieces)
        assert (ended.parts, behind) == (whole.parts, rest)


def test_reading_begins_where_it_is_told() -> None:
    ended = TokenBlock(("</a>",), lambda text: (ToolCall(text),)).feed("</a>x</a>y", 4)
    assert ended == Ended((ToolCall("x"),), "</a>x</a>y", 9)
