"""A candidate: where it ends, what is shown of it, and what is kept."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from finalturn._core.hold import HoldGate
from finalturn._core.hold.candidate import LIMIT, Candidate, Markup
from finalturn._core.hold.target import Target
from tests.core._hold_gate import array, mapping, ticket

SMALL = 100
HIDDEN = None


def parts_of(candidate: Candidate) -> list[str | None]:
    """What is decided: texts, and `HIDDEN`; empty texts left out, neighbours joined."""
    parts: list[str | None] = []
    for part in candidate.decided:
        last = parts[-1] if parts else HIDDEN
        if part.hidden:
            parts.append(HIDDEN)
        elif part.text and last is not None:
            parts[-1] = last + part.text
        elif part.text:
            parts.append(part.text)
    return parts


def read(make: Callable[[], HoldGate], text: str, *, cut: bool) -> tuple[Candidate, int]:
    candidate = Candidate(Target(make()), Markup())
    if not cut:
        return candidate, candidate.feed(text, 0)
    at = 0
    while not candidate.over and at < len(text):
        at += candidate.feed(text[at], 0)
    return candidate, at


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize(
    ("make", "text", "end", "parts", "unread"),
    [
        (ticket, '{"name": 1} rest', 11, [HIDDEN], ""),
        (ticket, '{"x": 1} rest', 8, ['{"x": 1}'], ""),
        (mapping, '{"x": 1} rest', 8, [HIDDEN], ""),
        (mapping, "{} rest", 2, ["{}"], ""),
        (ticket, "{name} rest", 1, ["{"], ""),
        (ticket, '{"x": oops} rest', 6, ['{"x": '], ""),
        (ticket, '{"name": oops}\nrest', 14, [HIDDEN], ""),
        (ticket, '{"name": oops\n\nrest', 15, [HIDDEN, "\n\n"], ""),
        (ticket, '{"x": {"name": 1}, rest', 19, ['{"x": ', HIDDEN, ", "], ""),
        (ticket, '{"x": {"name": oops}\n rest', 20, ['{"x": ', HIDDEN], ""),
        (ticket, '{"x: {"name": 1}', 7, ['{"x: '], '{"'),
        (array, "[1] \nrest", 4, [HIDDEN, " "], ""),
        (array, "[1] rest", 4, ["[1] "], ""),
        (array, '["a"] rest', 5, [HIDDEN], ""),
        (array, "[] \nrest", 3, ["[] "], ""),
        (array, "[a](b)", 1, ["["], ""),
    ],
)
def test_it_ends_where_it_is_decided(
    make: Callable[[], HoldGate], text: str, end: int, parts: list[str | None], unread: str, cut: bool
) -> None:
    candidate, at = read(make, text, cut=cut)
    assert candidate.over
    assert (at, parts_of(candidate), candidate.unread) == (end, parts, unread)


@pytest.mark.parametrize(
    ("make", "text", "parts"),
    [
        (ticket, '{"x": 1', ['{"x": 1']),
        (ticket, '{"name": 1 ', [HIDDEN, " "]),
        (ticket, '{"name": oops', [HIDDEN]),
        (ticket, '{"x": {"name": 1}', ['{"x": ', HIDDEN]),
        (ticket, '{"x": {"name": 1', ['{"x": ', HIDDEN]),
        (ticket, '{"x": "{"', ['{"x": "{"']),
        (array, "[1] ", [HIDDEN, " "]),
        (array, "[] ", ["[] "]),
        (array, "[1", ["[1"]),
    ],
)
def test_the_end_of_the_text_decides(
    make: Callable[[], HoldGate], text: str, parts: list[str | None]
) -> None:
    candidate, at = read(make, text, cut=False)
    assert (at, candidate.over) == (len(text), False)
    candidate.finish()
    assert (candidate.over, candidate.unread) == (True, "")
    assert parts_of(candidate) == parts


@pytest.mark.parametrize(
    ("markup", "text", "end", "closes"),
    [
        (Markup("`"), "[1]` rest", 3, False),
        (Markup("<"), '{"name": oops}</a> rest', 14, False),
        (Markup("`", 3, first_line=True), '{"name": oops} ``` rest', 18, True),
        (Markup("`", 3), '{"name": oops} ``` x\n```\nrest', 24, True),
    ],
)
def test_markup_around_it_tells_where_it_ends(markup: Markup, text: str, end: int, closes: bool) -> None:
    make = array if text.startswith("[") else ticket
    for pieces in ([text], list(text)):
        candidate = Candidate(Target(make()), markup)
        at = 0
        for piece in pieces:
            at += candidate.feed(piece, 0)
            if candidate.over:
                break
        assert at == end
        assert [part.closes for part in candidate.decided if part.hidden] == [closes]


class TestTheLimit:
    @pytest.fixture(autouse=True)
    def small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("finalturn._core.hold.candidate.LIMIT", SMALL)

    def test_it_is_256_kibi(self) -> None:
        assert LIMIT == 256 * 1024

    def test_a_long_string_is_released(self) -> None:
        candidate, at = read(ticket, '{"x": "' + "a" * SMALL, cut=True)
        assert (candidate.over, at) == (True, SMALL)
        assert parts_of(candidate) == ['{"x": "' + "a" * (SMALL - 7)]

    def test_the_outermost_are_released_and_what_they_hold_is_read_on(self) -> None:
        start = '{"x": {"name": 1}, "y": {"z": {}}, "vvvvvvvvvvvvvvvvvvvv": ['
        text = start + '{"w": "' + "a" * (SMALL - len(start)) + '"}, {"name": 2}]'
        for cut in (False, True):
            candidate, at = read(ticket, text, cut=cut)
            assert (at, candidate.over) == (text.index(', {"name": 2}'), True)
            inner = text[len(start) : at]
            assert parts_of(candidate) == ['{"x": ', HIDDEN, start[17:] + inner]

    def test_an_attempt_inside_is_hidden(self) -> None:
        start = '{"x": [' + "1, " * (SMALL // 2)
        text = '{"x": {"y": 1, "name": "' + "a" * SMALL + '"}, '
        for cut in (False, True):
            candidate, at = read(ticket, text, cut=cut)
            assert (at, candidate.over) == (len(text) - 2, True)
            assert parts_of(candidate) == ['{"x": ', HIDDEN]
        assert parts_of(read(ticket, start, cut=False)[0]) == [start[:SMALL]]

    def test_however_deep_it_is_little_is_kept(self) -> None:
        candidate = Candidate(Target(ticket()), Markup())
        shown = 0
        for count in range(1, 2000):
            candidate.feed('{"a":', 0)
            shown += sum(len(part.text) for part in candidate.decided)
            candidate.decided.clear()
            assert 5 * count - shown <= SMALL
        assert not candidate.over
