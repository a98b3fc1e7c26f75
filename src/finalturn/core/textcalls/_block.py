"""An opened block, until it is clear where it ends.

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
from typing import Final, TypeAlias

from finalturn.core.messages import ToolCall
from finalturn.core.textcalls._read import CLOSE, NOT_CLOSED, NOT_EXACT, exact, is_json, malformed

__all__ = ["Block", "Ended"]

Ended: TypeAlias = tuple[ToolCall, str, int]
"""The block's call, and a text with the position in it from which the answer goes on."""

# What to expect next: the opening brace; anything but a string's inside; what may follow a string; a
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
    _START: {"{": _OUTSIDE},
    _OUTSIDE: {'"': _STRING, "<": _TAG},
    _AFTER: {":": _OUTSIDE, ",": _OUTSIDE, "}": _OUTSIDE, "]": _OUTSIDE},
    _STRING: {'"': _AFTER, "\\": _ESCAPE},
    _ESCAPE: dict.fromkeys('"\\/bfnrtu', _STRING),
}


class Block:
    """The text after an opening tag, fed in pieces."""

    __slots__ = ("_matched", "_parts", "_state", "_tail")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._state = _START
        self._matched = 0
        self._tail = ""

    def feed(self, text: str, start: int) -> Ended | None:
        """Take more text, from ``start`` on. Tells when the block ends in it."""
        end = self._follow(text, start)
        if self._state == _BROKEN:
            return self._end_at_first_tag(text, start)
        if end is None:
            self._parts.append(text[start:])
            return None
        block = self._joined(text[start:end])[: -len(CLOSE)]
        call = exact(block)
        if call is None:
            if not is_json(block):
                return self._end_at_first_tag(text, start)
            call = malformed(block, NOT_EXACT)
        return call, text, end

    def finish(self) -> Ended:
        """No more text comes."""
        text = self._joined("")
        end = text.find(CLOSE)
        if end < 0:
            return malformed(text, NOT_CLOSED), "", 0
        return malformed(text[:end], NOT_EXACT), text, end + len(CLOSE)

    def _follow(self, text: str, at: int) -> int | None:
        """Where the closing tag ends that is not in a string."""
        state = self._state
        while at < len(text) and state != _BROKEN:
            if state == _TAG:
                if text[at] != CLOSE[self._matched]:
                    state = _BROKEN
                    break
                self._matched += 1
                at += 1
                if self._matched == len(CLOSE):
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

    def _end_at_first_tag(self, text: str, start: int) -> Ended | None:
        if self._tail:
            # Known to be malformed before this text: only the tag is looked for.
            window = self._tail + text
            found = window.find(CLOSE)
            if found < 0:
                self._parts.append(text)
                self._tail = window[1 - len(CLOSE) :]
                return None
            end = found + len(CLOSE) - len(self._tail)
            return malformed(self._joined(text[:end])[: -len(CLOSE)], NOT_EXACT), text, end
        if self._parts:
            text, start = self._joined(text), 0
        end = text.find(CLOSE, start)
        if end >= 0:
            return malformed(text[start:end], NOT_EXACT), text, end + len(CLOSE)
        self._parts = [text[start:]]
        self._tail = text[max(start, len(text) + 1 - len(CLOSE)) :]
        return None

    def _joined(self, text: str) -> str:
        return "".join((*self._parts, text)) if self._parts else text
