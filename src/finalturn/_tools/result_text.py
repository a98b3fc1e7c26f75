"""Turns what a tool returned or raised into text for the model."""

from __future__ import annotations

from collections import UserString
from collections.abc import Collection, Mapping, Sequence, Set, ValuesView
from typing import cast

from pydantic_core import to_json, to_jsonable_python

from finalturn._core import json_text
from finalturn._core.errors import ToolError

__all__ = ["NoJsonFormError", "error_text", "to_text"]

_MOST_ERRORS = 5


class NoJsonFormError(ToolError):
    """A tool returned what cannot be told to a model. The tool itself has raised nothing."""


def to_text(value: object) -> str:
    """``None`` as ``""``, a string as it is, and everything else as JSON.

    Raises:
        NoJsonFormError: it has no JSON form.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        # Not str(value): an enum of strings stands for its value.
        return json_text.without_surrogates(str.__str__(value))
    if isinstance(value, UserString):
        return json_text.without_surrogates(value.data)
    try:
        return _json(value).decode()
    except Exception:
        raise NoJsonFormError(
            f"The tool returned a {type(value).__name__} that has no JSON form. It should return a str, "
            "JSON values, a dataclass or a pydantic model."
        ) from None


def error_text(error: BaseException) -> str:
    """A `ToolError`'s message; any other exception's type and message. Groups are told by what they hold."""
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return "; ".join(map(error_text, group.exceptions[:_MOST_ERRORS]))
    try:
        message = json_text.without_surrogates(str(error)).strip()
    except Exception:
        message = ""
    if isinstance(error, ToolError):
        return message or "The tool failed."
    name = type(error).__name__
    return f"{name}: {message}" if message else name


def _json(value: object) -> bytes:
    try:
        return to_json(value, inf_nan_mode="null", fallback=_plain)
    except Exception:
        # Half of a surrogate pair somewhere inside, perhaps; the writer replaces it.
        plain = to_jsonable_python(_clean_keys(value), inf_nan_mode="null", fallback=_plain)
        return json_text.encode(plain)


def _plain(value: object) -> object:
    if isinstance(value, UserString):
        return value.data
    if isinstance(value, Mapping):
        return dict(cast("Mapping[object, object]", value))
    if isinstance(value, (Sequence, Set, ValuesView)) and not isinstance(value, memoryview):
        return list(cast("Collection[object]", value))
    raise TypeError("has no JSON form")


def _clean_keys(value: object) -> object:
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value)
        return {
            json_text.without_surrogates(key) if isinstance(key, str) else key: _clean_keys(item)
            for key, item in pairs.items()
        }
    if isinstance(value, (list, tuple)):
        return [_clean_keys(item) for item in cast("Sequence[object]", value)]
    return value
