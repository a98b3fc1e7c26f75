"""The protocol of what reads a tool's arguments from a model's text, and the errors that a model is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from finalturn._core import json_text

__all__ = ["Arguments", "ArgumentsError", "Values", "problem_list", "quote"]

_MOST_PROBLEMS = 10
_LONGEST_QUOTE = 80


class ArgumentsError(Exception):
    """The arguments do not fit. Its text is for the model, and may quote what the model wrote."""


class Values(NamedTuple):
    """What to call the function with."""

    positional: tuple[Any, ...]
    named: dict[str, Any]


class Arguments(Protocol):
    """A tool's arguments: a JSON Schema for the model, and a reader that holds it to it."""

    @property
    def schema(self) -> Mapping[str, Any]:
        """A JSON Schema of one object."""
        ...

    def read(self, text: str) -> Values:
        """Validate the arguments' JSON text.

        Raises:
            ArgumentsError: they do not fit.
        """
        ...


def quote(value: object) -> str:
    """A piece of what the model wrote, short enough to send back."""
    try:
        text = json_text.encode(value).decode()
    except Exception:
        text = type(value).__name__
    return text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "..."


def problem_list(problems: Sequence[tuple[Sequence[str | int], str]]) -> str:
    """The problems as lines of a list: where each is, and what it is."""
    lines = [f"- {_place(location)}: {message}" for location, message in problems[:_MOST_PROBLEMS]]
    if len(problems) > _MOST_PROBLEMS:
        lines.append("- and more")
    return "\n".join(lines)


def _place(where: Sequence[str | int]) -> str:
    place = ""
    for step in where:
        place += f"[{step}]" if isinstance(step, int) else f".{step}" if place else step
    return place or "the arguments"
