"""Reading and writing JSON text: the one way for all of finalturn.

Reading is strict (no NaN, no infinity, no lone surrogate, no repair) and raises only ``ValueError``,
however deep or long the text is. Writing never fails on a string that cannot be UTF-8, and never writes
what is not JSON.
"""

from __future__ import annotations

import math
import re
from typing import Any

from pydantic_core import PydanticSerializationError, from_json, to_json

from finalturn._core.type_guards import is_array, is_dict

__all__ = [
    "check",
    "decode",
    "decode_cut",
    "decode_written",
    "encode",
    "escape_controls",
    "without_surrogates",
]

# A string, and the colon that makes it a key. Possessive, so that each is read once.
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"([ \t\r\n]*+:)?', re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f]")
_ESCAPE_OR_CONTROL = re.compile(r"\\.|[\x00-\x1f]", re.DOTALL)


MAX_DEPTH = 100
"""How deep arrays and objects may be nested in what a model, a tool or a user sends."""


def decode(text: str | bytes, *, max_depth: int = MAX_DEPTH) -> Any:
    """Parse one JSON value.

    Args:
        max_depth: how deep it may be nested, at most 200. What this library has written itself is a few
            levels deeper than what it has been sent.

    Raises:
        ValueError: it is not exactly one JSON value, holds a number that JSON does not have, or is
            nested too deeply.
    """
    if isinstance(text, str):
        try:
            text = text.encode()
        except UnicodeEncodeError:
            raise ValueError("holds half of a surrogate pair") from None
    value = from_json(text, allow_inf_nan=False)
    # A literal such as 1e999 is grammatical and overflows to infinity.
    may_overflow = b"e" in text or b"E" in text or len(text) > 300
    if may_overflow or text.count(b"[") + text.count(b"{") > max_depth:
        check(value, max_depth)
    return value


def decode_written(text: str) -> tuple[str, Any]:
    """Parse one JSON value that a model wrote.

    Beside what `decode` reads, a string that is a value may hold control characters as they are, such as a
    line break that should have been escaped: nothing is guessed or completed by reading them so.

    Returns:
        its text, with such characters escaped, and the value.

    Raises:
        ValueError: as `decode`.
    """
    try:
        return text, decode(text)
    except ValueError:
        escaped = escape_controls(text)
        if escaped == text:
            raise
    return escaped, decode(escaped)


def decode_cut(text: str) -> Any:
    """Parse the beginning of one JSON value that a model writes, as far as it goes.

    Args:
        text: ends between two tokens. A key that has no value yet is left out.

    Raises:
        ValueError: no JSON value begins so, or as `decode`.
    """
    value = from_json(escape_controls(text), allow_inf_nan=False, allow_partial=True)
    check(value)
    return value


def escape_controls(text: str) -> str:
    """The same JSON text, with the control characters escaped that its strings hold as they are.

    Those of a key stay: there is no key that they could be meant for.
    """
    return _STRING.sub(_escape_value, text) if _CONTROL.search(text) else text


def _escape_value(string: re.Match[str]) -> str:
    return string.group() if string[1] else _ESCAPE_OR_CONTROL.sub(_escape_control, string.group())


def _escape_control(character: re.Match[str]) -> str:
    text = character.group()
    return text if text.startswith("\\") else encode(text).decode()[1:-1]


def encode(value: Any) -> bytes:
    """Write a value as compact UTF-8 JSON.

    Half of a surrogate pair becomes U+FFFD, and a NaN or an infinity ``null``: JSON has none of them.

    Raises:
        ValueError: it is nested too deeply to be written, or is no JSON type.
    """
    try:
        return to_json(value, inf_nan_mode="null")
    except PydanticSerializationError:
        try:
            return to_json(_clean(value), inf_nan_mode="null")
        except RecursionError:
            raise ValueError("is nested too deeply to be written") from None


def without_surrogates(text: str) -> str:
    """The same text, with each half of a surrogate pair that stands alone replaced by U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        # UTF-16 joins the two halves of a pair that stand side by side.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def check(value: Any, max_depth: int = MAX_DEPTH) -> None:
    """Refuse a value, in JSON types, that no other reader may take.

    Raises:
        ValueError: a number in it is infinite, or it is nested too deeply.
    """
    pending: list[tuple[Any, int]] = [(value, 0)]
    while pending:
        item, depth = pending.pop()
        if isinstance(item, float):
            if not math.isfinite(item):
                raise ValueError("holds a number that is too large")
        elif is_dict(item) or is_array(item):
            if depth == max_depth:
                raise ValueError(f"is nested more than {max_depth} deep")
            inner = item.values() if is_dict(item) else item
            pending.extend((member, depth + 1) for member in inner)


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return without_surrogates(value)
    if is_dict(value):
        return {_clean(key): _clean(item) for key, item in value.items()}
    if is_array(value):
        return [_clean(item) for item in value]
    return value
