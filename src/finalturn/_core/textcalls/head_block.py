"""Reads blocks whose opening token is followed by a head, which says what they are and where they end.

A text in which no such head stands is no block: it is given back.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from finalturn._core.markup import BlockEnd, BlockReader, Tag
from finalturn._core.messages import ToolCall
from finalturn._core.model import TextDelta
from finalturn._core.textcalls.model_calls import CUT, MALFORMED
from finalturn._core.textcalls.read import malformed

__all__ = ["MAX_HEAD", "HeadBlock", "JsonBlock"]

MAX_HEAD: Final = 256
"""How long a text may be that is still to show whether it is a head."""

_MARKS: Final = re.compile(r'["{}\[\]]')
_STRING_MARKS: Final = re.compile(r'["\\]')


class HeadBlock:
    """The text after an opening token, until its head is there.

    Args:
        opening: the token.
        head: the whole head.
        begun: every text that may still become a head, whole or not.
        then: what the head leads to: a reader, a tag, or prose. A text is shown first.
    """

    __slots__ = ("_begun", "_head", "_opening", "_text", "_then")

    def __init__(
        self,
        opening: str,
        head: re.Pattern[str],
        begun: re.Pattern[str],
        then: Callable[[re.Match[str]], BlockReader | Tag | TextDelta | None],
    ) -> None:
        self._opening = opening
        self._head = head
        self._begun = begun
        self._then = then
        self._text = ""

    def feed(self, text: str, start: int) -> BlockEnd | None:
        """Take more text, from ``start`` on. Tells when the head has ended in it, or is none."""
        # No more of it than a head may have, so that each text is looked at once.
        room = MAX_HEAD - len(self._text)
        head = self._text + text[start : start + room]
        if match := self._head.match(head):
            at = start + match.end()
            if self._text:
                text, at = self._text + text[start:], match.end()
            then = self._then(match)
            return (
                BlockEnd((then,), text, at) if isinstance(then, TextDelta) else BlockEnd((), text, at, then)
            )
        if len(head) < MAX_HEAD and self._begun.fullmatch(head):
            self._text = head
            return None
        if self._text:
            text, start = self._text + text[start:], 0
        return BlockEnd((TextDelta(self._opening),), text, start)

    def finish(self) -> BlockEnd:
        """No more text comes."""
        return BlockEnd((TextDelta(self._opening),), self._text, 0)


class JsonBlock:
    """A block that is one JSON value, and ends with it.

    Args:
        read: the calls of the value; ``None`` when it is malformed.
        name: the tool's name, where it stands before the value.
        more: another value may follow, behind a semicolon.
    """

    __slots__ = (
        "_between",
        "_calls",
        "_depth",
        "_escaped",
        "_in_string",
        "_more",
        "_name",
        "_parts",
        "_read",
    )

    def __init__(
        self, read: Callable[[str], tuple[ToolCall, ...] | None], *, name: str = "", more: bool = False
    ) -> None:
        self._read = read
        self._name = name
        self._more = more
        self._calls: tuple[ToolCall, ...] = ()
        self._parts: list[str] = []
        self._depth = 0
        self._in_string = False
        self._escaped = False
        # The text behind a value, as long as another may follow.
        self._between: str | None = None

    def feed(self, text: str, start: int) -> BlockEnd | None:
        """Take more text, from ``start`` on, where the value begins. Tells when the block ends in it."""
        at = start
        while at < len(text):
            if self._between is None:
                end = self._follow(text, at)
                self._parts.append(text[at:end])
                if end is None:
                    return None
                self._calls += self._judged(MALFORMED)
                at = end
                if not self._more:
                    return BlockEnd(self._calls, text, at)
                self._between = ""
            else:
                character = text[at]
                if character == "{" and ";" in self._between:
                    self._between = None
                elif len(self._between) < MAX_HEAD and (
                    character in " \t\r\n" or (character == ";" and ";" not in self._between)
                ):
                    self._between += character
                    at += 1
                else:
                    begun = at - len(self._between)
                    if begun >= start:
                        return BlockEnd(self._calls, text, begun)
                    return BlockEnd(self._calls, self._between + text[at:], 0)
        return None

    def finish(self) -> BlockEnd:
        """No more text comes."""
        if self._between is None:
            self._calls += self._judged(CUT)
        return BlockEnd(self._calls, self._between or "", 0)

    def _judged(self, error: str) -> tuple[ToolCall, ...]:
        text = "".join(self._parts)
        self._parts = []
        calls = None if self._depth else self._read(text)
        return (malformed(text, error, self._name),) if calls is None else calls

    def _follow(self, text: str, at: int) -> int | None:
        """Where the value ends: where as many brackets have closed as were opened outside its strings."""
        if self._escaped and at < len(text):
            self._escaped = False
            at += 1
        while match := (_STRING_MARKS if self._in_string else _MARKS).search(text, at):
            at = match.end()
            mark = match[0]
            if mark == '"':
                self._in_string = not self._in_string
            elif mark == "\\":
                self._escaped = at == len(text)
                at += 1
            elif mark in "{[":
                self._depth += 1
            else:
                self._depth -= 1
                if not self._depth:
                    return at
        return None
