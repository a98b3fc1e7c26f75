"""A bare block: where it ends, and whether it is hidden."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from finalturn.core.hold import HoldGate
from finalturn.core.hold._bare import Bare
from finalturn.core.hold._block import Target
from tests.core._hold_gate import array, mapping, ticket


@pytest.mark.parametrize(
    ("make", "text", "end", "verdict"),
    [
        (ticket, '{"name": 1} rest', 11, "hidden"),
        (ticket, '{"x": 1} rest', 8, "released"),
        (mapping, '{"x": 1} rest', 8, "hidden"),
        (mapping, "{} rest", 2, "released"),
        (ticket, "{name} rest", 1, "released"),
        (ticket, '{"x": oops} rest', 6, "released"),
        (ticket, '{"name": oops}\nrest', 14, "hidden"),
        (ticket, '{"name": oops\n\nrest', 15, "hidden"),
        (array, "[1] \nrest", 4, "hidden"),
        (array, "[1] rest", 4, "released"),
        (array, "[] \nrest", 3, "released"),
        (array, "[a](b)", 1, "released"),
    ],
)
def test_it_ends_where_it_is_decided(make: Callable[[], HoldGate], text: str, end: int, verdict: str) -> None:
    for pieces in ([text], list(text)):
        bare = Bare(Target(make()))
        read = 0
        for piece in pieces:
            read += bare.feed(piece, 0)
            if bare.verdict != "open":
                break
        assert (read, bare.verdict) == (end, verdict)
        assert bare.shown == ("" if verdict == "hidden" else text[:end].rstrip())


@pytest.mark.parametrize(
    ("make", "text", "verdict"),
    [
        (ticket, '{"x": 1', "released"),
        (ticket, '{"name": 1', "hidden"),
        (ticket, '{"name": oops', "hidden"),
        (array, "[1] ", "hidden"),
        (array, "[] ", "released"),
        (array, "[1", "released"),
    ],
)
def test_the_end_of_the_text_settles_it(make: Callable[[], HoldGate], text: str, verdict: str) -> None:
    bare = Bare(Target(make()))
    assert bare.feed(text, 0) == len(text)
    before = str(bare.verdict)
    bare.finish()
    assert (before, bare.verdict) == ("open", verdict)
    assert bare.shown + bare.tail == (text if verdict == "released" else text[len(text.rstrip()) :])
