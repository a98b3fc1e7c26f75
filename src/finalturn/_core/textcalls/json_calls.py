"""Calls that models write as JSON, in the shapes that they were trained on."""

from __future__ import annotations

import re
from json import JSONDecoder
from typing import Final

from finalturn._core.json_text import decode, escape_controls, without_surrogates
from finalturn._core.messages import ToolCall
from finalturn._core.type_guards import is_dict

__all__ = ["json_calls", "named_call"]

_DECODER: Final = JSONDecoder(strict=False)
_BLANK: Final = re.compile(r"[ \t\n\r]*")
_NAMES: Final = ("name", "tool_name")
_ARGUMENTS: Final = ("arguments", "parameters")
# What else stands in a call, and changes nothing in it.
_OTHERS: Final = frozenset({"id", "index", "tool_call_id", "type"})


def json_calls(text: str) -> tuple[ToolCall, ...] | None:
    """The calls in a JSON object, in several, or in an array of them; ``None`` when it is anything else.

    Blank text stands between several. A call has a name and an arguments object, under one of the names that
    models have for them, or holds such an object as its ``function``. A key that is there twice, or is not
    known, makes it no call. The arguments keep the text that the model wrote.
    """
    try:
        pieces = _items(escape_controls(without_surrogates(text)).strip())
        calls = [_call(piece) for piece in pieces]
    except (ValueError, RecursionError):
        return None
    return tuple(calls) or None


def named_call(name: str, arguments: str) -> ToolCall | None:
    """A call whose name stands before its arguments; ``None`` when these are no object."""
    try:
        return _built(name, escape_controls(without_surrogates(arguments)))
    except ValueError:
        return None


def _call(piece: str) -> ToolCall:
    pairs = _pairs(piece)
    if "function" in pairs and pairs.keys() <= {"function", *_OTHERS}:
        pairs = _pairs(pairs["function"])
    names = [decode(pairs[key]) for key in _NAMES if key in pairs]
    arguments = [pairs[key] for key in _ARGUMENTS if key in pairs]
    if len(names) != 1 or len(arguments) != 1 or not pairs.keys() <= {*_NAMES, *_ARGUMENTS, *_OTHERS}:
        raise ValueError("is no call")
    return _built(names[0], arguments[0])


def _built(name: object, text: str) -> ToolCall:
    text = text.strip()
    found: object = decode(text)
    if isinstance(found, str):
        # As OpenAI's API has it: JSON in a string.
        text, found = found, decode(found)
    if not isinstance(name, str) or not name or not is_dict(found):
        raise ValueError("is no call")
    return ToolCall(name, found, _text=text.strip())


def _items(text: str) -> list[str]:
    items: list[str] = []
    at = 0
    if not text.startswith("["):
        while at < len(text):
            _, end = _DECODER.raw_decode(text, at)
            items.append(text[at:end])
            at = _skip(text, end)
            if at == end < len(text):
                raise ValueError("is no JSON")
        return items
    at = _skip(text, 1)
    while not text.startswith("]", at):
        _, end = _DECODER.raw_decode(text, at)
        items.append(text[at:end])
        at = _after(text, end, "]")
    _expect_end(text, at + 1)
    return items


def _pairs(text: str) -> dict[str, str]:
    """The members of an object, each value as it is written."""
    if not text.startswith("{"):
        raise ValueError("is no object")
    pairs: dict[str, str] = {}
    at = _skip(text, 1)
    while not text.startswith("}", at):
        key, end = _DECODER.raw_decode(text, at)
        at = _skip(text, end)
        if not isinstance(key, str) or key in pairs or not text.startswith(":", at):
            raise ValueError("is no object")
        at = _skip(text, at + 1)
        _, end = _DECODER.raw_decode(text, at)
        pairs[key] = text[at:end]
        at = _after(text, end, "}")
    _expect_end(text, at + 1)
    return pairs


def _after(text: str, at: int, close: str) -> int:
    """Where the next item stands, or the end."""
    at = _skip(text, at)
    if text.startswith(close, at):
        return at
    following = _skip(text, at + 1)
    if not text.startswith(",", at) or text.startswith(close, following):
        raise ValueError("is no JSON")
    return following


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _expect_end(text: str, at: int) -> None:
    if _skip(text, at) < len(text):
        raise ValueError("holds something behind its end")
