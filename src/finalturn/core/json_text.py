"""Reading and writing JSON text: the one way for all of finalturn.

Reading is strict (no NaN, no infinity, no lone surrogate, no repair) and raises only ``ValueError``,
however deep or long the text is. Writing never fails on a string that cannot be UTF-8.
"""

from __future__ import annotations

import math
from typing import Any

from pydantic_core import PydanticSerializationError, from_json, to_json

from finalturn.core._narrow import is_array, is_dict

__all__ = ["decode", "encode", "without_surrogates"]


def decode(text: str | bytes) -> Any:
    """Parse one JSON value.

    Raises:
        ValueError: it is not exactly one JSON value, or holds a number that JSON does not have.
    """
    if isinstance(text, str):
        try:
            text = text.encode()
        except UnicodeEncodeError:
            raise ValueError("holds half of a surrogate pair") from None
    value = from_json(text, allow_inf_nan=False)
    # A literal such as 1e999 is grammatical and overflows to infinity.
    if (b"e" in text or b"E" in text or len(text) > 300) and not _finite(value):
        raise ValueError("holds a number that is too large")
    return value


def encode(value: Any) -> bytes:
    """Write a value as compact UTF-8 JSON; half of a surrogate pair becomes U+FFFD."""
    try:
        return to_json(value)
    except PydanticSerializationError:
        return to_json(_clean(value))


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


def _finite(value: Any) -> bool:
    pending: list[Any] = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, float):
            if not math.isfinite(item):
                return False
        elif is_dict(item):
            pending.extend(item.values())
        elif is_array(item):
            pending.extend(item)
    return True


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return without_surrogates(value)
    if is_dict(value):
        return {_clean(key): _clean(item) for key, item in value.items()}
    if is_array(value):
        return [_clean(item) for item in value]
    return value
