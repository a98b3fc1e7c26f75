"""Reads one opened tool-call block, until it is clear where it ends.

A closing tag inside a JSON string does not end a block, so the text is followed as JSON: only as closely
as it takes to know strings from the rest. Where it stops being JSON, the block is malformed and ends at
its first closing tag, wherever that stands; else one forgotten quote would swallow the answer's rest.
Nothing that stands inside a malformed block is taken for a call of its own.

Which of the two it is depends on the characters alone, never on how they are cut into pieces.

Text is read a bounded number of times. A block that turns out malformed gives back what stands after its
first closing tag, and a block may open again in that. But where two blocks follow the same text, the quote
that began the later one's first string has ended a string of the earlier one: what is a string to one is
not to the other, and the earlier one is over at the later one's closing tag at the latest.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from finalturn._core.markup import BlockEnd
from finalturn._core.messages import ToolCall
from finalturn._core.model import TextDelta
from finalturn._core.textcalls.read import (
    CLOSE,
    NOT_CLOSED,
    NOT_EXACT,
    exact_calls,
    is_json,
    malformed,
)

__all__ = ["ToolCallBlock", "WholeBlock"]

# What to expect next: the opening bracket; anything but a string's inside; what may follow a string; a
# string's inside; the second half of an escape; the rest of a closing tag. Or it is no JSON any more.
_START, _OUTSIDE, _AFTER, _STRING, _ESCAPE, _TAG, _BROKEN = range(7)

_RUNS: Final = {
    _START: re.compile(r"[ \t\n\r]*"),
    _OUTSIDE: re.compile(r"[ \t\n\r{}\[\]:,0-9+\-.eEtrufalsn]*"),
    _AFTER: re.compile(r"[ \t\n\r]*"),
    _STRING: re.compile(r'[^"\\\x00-\x1f]*'),
    _ESCAPE: re.compile(""),
}
_NEXT: Final = {
    _START: {"{": _OUTSIDE, "[": _OUTSIDE},
    _OUTSIDE: {'"': _STRING, "<": _TAG},
    _AFTER: {":": _OUTSIDE, ",": _OUTSIDE, "}": _OUTSIDE, "]": _OUTSIDE},
    _STRING: {'"': _AFTER, "\\": _ESCAPE},
    _ESCAPE: dict.fromkeys('"\\/bfnrtu', _STRING),
}
_ANYTHING: Final = re.compile("")


class ToolCallBlock:
    """The text after an opening tag, fed in pieces.

    Args:
        close: the closing tag.
        read: the calls of a whole block; ``None`` when it is malformed.
        name: the tool's name, where it stands before the block.
        not_exact: what is wrong with a malformed block.
        not_closed: what is wrong with one that has no end.
        begun: what a call begins with. What has no end and does not begin so is no block: it is text, with
            the opening tag.
        opening: the opening tag.
    """

    __slots__ = (
        "_begun",
        "_close",
        "_matched",
        "_name",
        "_not_closed",
        "_not_exact",
        "_opening",
        "_parts",
        "_read",
        "_state",
        "_tail",
    )

    def __init__(
        self,
        close: str = CLOSE,
        read: Callable[[str], tuple[ToolCall, ...] | None] = exact_calls,
        *,
        name: str = "",
        not_exact: str = NOT_EXACT,
        not_closed: str = NOT_CLOSED,
        begun: re.Pattern[str] = _ANYTHING,
        opening: str = "",
    ) -> None:
        self._begun = begun
        self._opening = opening
        self._close = close
        self._read = read
        self._name = name
        self._not_exact = not_exact
        self._not_closed = not_closed
        self._parts: list[str] = []
        self._state = _START
        self._matched = 0
        self._tail = ""

    def feed(self, text: str, start: int) -> BlockEnd | None:
        """Take more text, from ``start`` on. Tells when the block ends in it."""
        end = self._follow(text, start)
        if self._state == _BROKEN:
            return self._end_at_first_tag(text, start)
        if end is None:
            self._parts.append(text[start:])
            return None
        block = self._joined(text[start:end])[: -len(self._close)]
        calls = self._read(block)
        if calls is None:
            if not is_json(block):
                return self._end_at_first_tag(text, start)
            calls = self._malformed(block, self._not_exact)
        return BlockEnd(calls, text, end)

    def finish(self) -> BlockEnd:
        """No more text comes."""
        text = self._joined("")
        end = text.find(self._close)
        if end < 0 and not self._begun.match(text):
            return BlockEnd((TextDelta(self._opening + text),), "", 0)
        if end < 0:
            return BlockEnd(self._malformed(text, self._not_closed), "", 0)
        return BlockEnd(self._judged(text[:end]), text, end + len(self._close))

    def _follow(self, text: str, at: int) -> int | None:
        """Where the closing tag ends that is not in a string."""
        state = self._state
        while at < len(text) and state != _BROKEN:
            if state == _TAG:
                if text[at] != self._close[self._matched]:
                    state = _BROKEN
                    break
                self._matched += 1
                at += 1
                if self._matched == len(self._close):
                    return at
                continue
            run = _RUNS[state].match(text, at)
            at = run.end() if run else at
            if at < len(text):
                state = _NEXT[state].get(text[at], _BROKEN)
                at += 1
                self._matched = 1
        self._state = state
        return None

    def _end_at_first_tag(self, text: str, start: int) -> BlockEnd | None:
        size = len(self._close)
        if self._tail:
            # Known to be no JSON before this text: only the tag is looked for.
            window = self._tail + text
            index = window.find(self._close)
            if index < 0:
                self._parts.append(text)
                self._tail = window[1 - size :]
                return None
            end = index + size - len(self._tail)
            return BlockEnd(self._judged(self._joined(text[:end])[:-size]), text, end)
        if self._parts:
            text, start = self._joined(text), 0
        end = text.find(self._close, start)
        if end >= 0:
            return BlockEnd(self._judged(text[start:end]), text, end + size)
        self._parts = [text[start:]]
        self._tail = text[max(start, len(text) + 1 - size) :]
        return None

    def _judged(self, block: str) -> tuple[ToolCall, ...]:
        """The calls of a block that is no JSON."""
        calls = self._read(block)
        return self._malformed(block, self._not_exact) if calls is None else calls

    def _malformed(self, block: str, error: str) -> tuple[ToolCall, ...]:
        return (malformed(block, error, self._name),)

    def _joined(self, text: str) -> str:
        return "".join((*self._parts, text)) if self._parts else text


class WholeBlock:
    """A block that is text, from its opening tag to its end.

    Args:
        opening: the opening tag.
        block: says where it ends.
    """

    __slots__ = ("_block", "_parts")

    def __init__(self, opening: str, block: ToolCallBlock) -> None:
        self._block = block
        self._parts: list[str] = [opening]

    def feed(self, text: str, start: int) -> BlockEnd | None:
        """Take more text, from ``start`` on. Tells when the block ends in it."""
        ended = self._block.feed(text, start)
        if ended is None:
            self._parts.append(text[start:])
            return None
        end = len(text) - (len(ended.text) - ended.at)
        if end >= start:
            return BlockEnd((TextDelta("".join((*self._parts, text[start:end]))),), text, end)
        # It has ended before this text.
        self._parts.append(text[start:])
        return self._as_text(ended)

    def finish(self) -> BlockEnd:
        """No more text comes."""
        return self._as_text(self._block.finish())

    def _as_text(self, ended: BlockEnd) -> BlockEnd:
        text = "".join(self._parts)
        unread_length = len(ended.text) - ended.at
        return BlockEnd((TextDelta(text[: len(text) - unread_length]),), ended.text, ended.at)
