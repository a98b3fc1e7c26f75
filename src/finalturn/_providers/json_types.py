"""Narrows a JSON value of unknown type to the type that is wanted, or to its empty value."""

from __future__ import annotations

from typing import Any

from finalturn._core import json_text


def as_object(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    # No cast: it is a call, and this is asked several times for each piece of text.
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def as_array(value: object) -> list[Any]:
    """The value if it is an array, else an empty one."""
    return value if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]


def as_text(value: object) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def as_int(value: object) -> int | None:
    """The value if it is a whole number, written as one or as a float; a boolean is none."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def arguments_text(value: object) -> str:
    """A call's arguments as JSON text. Some servers send the text, or pieces of it, and others the object."""
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return json_text.encode(value).decode()
    except (RecursionError, ValueError):
        # Nested too deeply to be written: text that is no JSON, so that the call does not run.
        return "["
