"""Finds the JSON text in an answer that is meant as the value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from finalturn._core.json_text import decode_written
from finalturn._core.output import reasons
from finalturn._core.output.bare import bare_values
from finalturn._core.output.fences import fenced_values, unfenced
from finalturn._core.output.verdict import Rejection
from finalturn._core.type_guards import is_array, is_dict

_THINK_END = "</think>"


def whole(text: str) -> tuple[str, Any]:
    """The one JSON value that is the whole text, or stands in one fence around it.

    Returns:
        its text, and what it decodes to.

    Raises:
        ValueError: the text is something else.
    """
    text = text.strip()
    inner = unfenced(text)
    return decode_written(text if inner is None else inner)


def find(text: str, roots: frozenset[str]) -> str | Rejection:
    """The JSON text that is meant as the answer, or why there is none.

    Args:
        text: what a model wrote.
        roots: the kinds of value to look for when the text is more than one value.
    """
    # Thinking never starts a value: when all of the text is one, the tag stands in a string of it.
    after = text.rpartition(_THINK_END)[2]
    for part in (text, after):
        try:
            return whole(part)[0]
        except ValueError as error:
            failure = reasons.not_json(error)
    if not after.strip():
        return reasons.EMPTY
    values = fenced_values(after, roots) or bare_values(after, roots)
    if values:
        return _only(values)
    return failure if after.lstrip()[0] in "{[" else reasons.no_value(roots)


def is_empty(value: Any) -> bool:
    """Whether a decoded value says nothing: ``{}``, ``[]``, ``""`` and ``null`` do, 0 and false do not."""
    return value is None or (isinstance(value, (dict, list, str)) and not value)


def _only(texts: Iterable[str]) -> str | Rejection:
    first, *others = dict.fromkeys(texts)
    try:
        json, value = decode_written(first)
        if all(_same(value, decode_written(other)[1]) for other in others):
            return json
    except ValueError as error:
        return reasons.not_json(error)
    return reasons.SEVERAL


def _same(one: Any, other: Any) -> bool:
    """JSON equality that tells ``1`` from ``true`` and from ``1.0``."""
    if type(one) is not type(other):
        return False
    if is_dict(one):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if is_array(one):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)
