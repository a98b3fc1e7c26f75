"""The kinds of decoded JSON values."""

from __future__ import annotations

KINDS = frozenset({"object", "array", "string", "number", "boolean", "null"})


def kind_of(value: object) -> str:
    """Which of `KINDS` a decoded value is."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def kind_at(char: str) -> str:
    """Which of `KINDS` the JSON text is that begins with ``char``."""
    return _FIRST.get(char, "number")


_FIRST = {"{": "object", "[": "array", '"': "string", "t": "boolean", "f": "boolean", "n": "null"}
