"""Where a block of a text call ends."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from finalturn._core.markup import Ended
from finalturn._core.messages import ToolCall
from finalturn._core.textcalls.block import Block
from finalturn._core.textcalls.read import CLOSE, NOT_CLOSED, NOT_EXACT

CALL = '{"name": "f", "arguments": {"x": "</tool_call>"}}'


def read(pieces: list[str]) -> tuple[ToolCall, str]:
    """The block's call, and the text behind it."""
    block = Block()
    for place, piece in enumerate(pieces):
        ended = block.feed(piece, 0)
        if ended is not None:
            return call_of(ended), ended.text[ended.at :] + "".join(pieces[place + 1 :])
    ended = block.finish()
    return call_of(ended), ended.text[ended.at :]


def call_of(ended: Ended) -> ToolCall:
    (call,) = ended.parts
    assert isinstance(call, ToolCall)
    return call


@pytest.mark.parametrize(
    ("text", "name", "error", "rest"),
    [
        (f"{CALL}{CLOSE} rest", "f", None, " rest"),
        (f" \n{CALL}\n{CLOSE}", "f", None, ""),
        # One JSON value of another shape ends behind the tag that is not in a string.
        (f'{{"name": "f", "x": "{CLOSE}"}}{CLOSE} rest', "f", NOT_EXACT, " rest"),
        # What is no JSON ends at its first tag, wherever that stands.
        (f'{{"name": "f", "arguments": {{"x": "{CLOSE} rest', "f", NOT_EXACT, " rest"),
        (f"f(x){CLOSE} rest", "", NOT_EXACT, " rest"),
        (f'{{"x" 1{CLOSE} rest', "", NOT_EXACT, " rest"),
        (f'{{"x": "\\q"}}{CLOSE} rest', "", NOT_EXACT, " rest"),
        (f"{{}}</tool>{CLOSE} rest", "", NOT_EXACT, " rest"),
        (f'{{"x": "a\nb"}}{CLOSE}{CLOSE}', "", NOT_EXACT, CLOSE),
        (f'{{"x": "\\ud83d"}}{CLOSE} rest', "", NOT_EXACT, " rest"),
        (CALL, "f", NOT_EXACT, '"}}'),
        # Without a tag it is not closed.
        ('{"name": "f", "arguments": {}}', "f", NOT_CLOSED, ""),
        ("f(x)", "", NOT_CLOSED, ""),
        ("{}</tool_cal", "", NOT_CLOSED, ""),
        ("", "", NOT_CLOSED, ""),
    ],
)
def test_it_ends_at_its_tag(text: str, name: str, error: str | None, rest: str) -> None:
    for pieces in ([text], list(text)):
        call, behind = read(pieces)
        assert (call.name, call.error, behind) == (name, error, rest)


TOKENS = st.sampled_from(
    ["{", "}", '"', "\\", "x", ":", CLOSE, "</tool", "<", '"name": "f"', CALL, "\n", "1"]
)


@given(st.lists(TOKENS, max_size=8).map("".join), st.lists(st.integers(0, 80), max_size=4))
@example(f'{{"x": {CLOSE[:5]}', [7, 9])
def test_cuts_change_nothing(text: str, places: list[int]) -> None:
    cuts = [0, *sorted(min(place, len(text)) for place in places), len(text)]
    pieces = [text[start:end] for start, end in pairwise(cuts)]
    assert read(pieces) == read([text])


def test_reading_begins_where_it_is_told() -> None:
    text = f"{CLOSE}{CALL}{CLOSE}"
    ended = Block().feed(text, len(CLOSE))
    assert ended is not None
    assert (call_of(ended).name, call_of(ended).error, ended.at) == ("f", None, len(text))
