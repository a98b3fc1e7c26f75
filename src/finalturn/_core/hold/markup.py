"""Recognises the markup that models put around an answer: ticks, fences, tags."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from finalturn._core.hold.target import Target

__all__ = [
    "MARKUP",
    "MOST",
    "WAIT",
    "Info",
    "Tag",
    "Wait",
    "is_blank_to_line_end",
    "read_info",
    "read_tag",
    "ticks_end",
]

# The most that is read for one piece of markup, in characters. What is longer is prose.
MOST: Final = 256

# What markup begins with, or may begin with when more text comes. Square tags are in capitals, since
# prose has links and footnotes in square brackets.
MARKUP: Final = r"`|~|<(?=/?[A-Za-z_|]|/?\Z)|\[(?=/?[A-Z]|/?\Z)"

_TICKS: Final = re.compile(rf"`{{1,{MOST}}}|~{{1,{MOST}}}")
_BLANK: Final = re.compile(r"[ \t]*")
_WORD: Final = re.compile(r"[ \t]*([^\s`{}\[\]\"']*)")
_REST: Final = re.compile(r"[^`\r\n]*")
_LIST: Final = re.compile(r"(?:[{\[][^\s{}\[\]`]*+[}\]][ \t]*+)?")
_LIST_BEGINS: Final = re.compile(r"[{\[][^\s{}\[\]`]*+(?:[}\]][ \t]*+)?\Z")
_BRACKET_AT_END: Final = re.compile(r"[{\[][ \t\r\n]*\Z")

_NAME: Final = r"[A-Za-z_|][\w:.|-]*"
# Attributes have a value, so that `a <b and c` is prose from its second space on. A bracket ends a tag:
# the answer may stand there.
_VALUE: Final = r"""(?:"[^"<>{}\[\]`\r\n]*"|'[^'<>{}\[\]`\r\n]*'|[^\s"'<>{}\[\]`]+)"""
_UNFINISHED: Final = r"""(?:"[^"<>{}\[\]`\r\n]*|'[^'<>{}\[\]`\r\n]*|[^\s"'<>{}\[\]`]*)"""
_ATTRIBUTES: Final = rf"(?:[ \t]+[\w:.-]+={_VALUE})*"
_TAG: Final = re.compile(rf"<(/?|\|/)({_NAME}){_ATTRIBUTES}[ \t]*>|\[(/?)([A-Z][A-Z0-9_ ]*)\]")
_TAG_BEGINS: Final = re.compile(
    rf"<(?:(?:/?|\|/)(?:{_NAME}(?:{_ATTRIBUTES}[ \t]*|{_ATTRIBUTES}[ \t]+[\w:.-]+(?:={_UNFINISHED})?)?)?)?\Z"
    r"|\[(?:/?(?:[A-Z][A-Z0-9_ ]*)?)?\Z"
)


class Wait:
    """More text is needed to tell."""


WAIT: Final = Wait()


class Tag(NamedTuple):
    """A tag that was read: its end, its name, and whether it closes."""

    end: int
    name: str
    closes: bool


class Info(NamedTuple):
    """What stands behind the ticks that open a fence.

    Attributes:
        end: where it ends: at the value, at the line's end, or at what is no info string.
        opens: whether a fence opens at all: no backtick stands on its first line.
        json: whether it names JSON, or nothing.
    """

    end: int
    opens: bool
    json: bool


def ticks_end(text: str, start: int) -> int:
    """Where the ticks end that begin at ``start``, or the first `MOST` of them."""
    ticks = _TICKS.match(text, start)
    return ticks.end() if ticks else start


def read_tag(text: str, start: int, *, more: bool) -> Tag | Wait | None:
    """Read the tag at ``start``; None when there is none.

    Args:
        more: whether more text may come.
    """
    tag = _TAG.match(text, start, start + MOST)
    if tag:
        angled = tag[2] is not None
        name, closes = (tag[2], tag[1]) if angled else (tag[4], tag[3])
        return Tag(tag.end(), name.strip("|"), bool(closes))
    begins = more and len(text) - start < MOST and _TAG_BEGINS.match(text, start)
    return WAIT if begins else None


def is_blank_to_line_end(text: str, start: int, *, more: bool) -> bool | Wait:
    """Whether nothing else stands on the line from ``start`` on, as far as markup is read."""
    end = _end(_BLANK, text, start, start + MOST)
    if end == start + MOST:
        return True
    if end < len(text):
        return text[end] in "\r\n"
    return WAIT if more else True


def read_info(text: str, start: int, target: Target, *, more: bool) -> Info | Wait:
    """Read the info string of a fence, from behind its ticks."""
    most = min(len(text), start + MOST)
    more = more and len(text) < start + MOST
    end = _end(_WORD, text, start, most)
    name = text[start:end].strip().lower()
    if end == most and more:
        return WAIT
    if name and not name.startswith("json"):
        return Info(end, opens=not text.startswith("`", end), json=False)
    value = _end(_BLANK, text, end, most)
    if more and (value == most or _BRACKET_AT_END.match(text, value)):
        return WAIT
    if target.candidate.match(text, value, start + MOST):
        return Info(value, opens=True, json=True)
    if not name and not (more and _LIST_BEGINS.match(text, value)):
        # What is no list of attributes is the first line of what the fence holds.
        end = _end(_LIST, text, value, most)
        if end == most or text[end] not in "\r\n`":
            return Info(value, opens=True, json=True)
    end = _end(_REST, text, value, most)
    if end < len(text) and end < start + MOST:
        return Info(end, opens=text[end] != "`", json=True)
    return WAIT if more else Info(end, opens=end < start + MOST, json=True)


def _end(pattern: re.Pattern[str], text: str, start: int, most: int) -> int:
    """Where a match of a pattern ends that always matches."""
    match = pattern.match(text, start, most)
    return match.end() if match else start
