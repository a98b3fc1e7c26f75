"""The result of judging a text: an `Answer`, or a `Rejection` and its words.

A rejection has a reason, which quotes nothing of what the model wrote, and feedback, which tells the model
everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from finalturn._core.json_text import encode, without_surrogates

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Answer(Generic[T_co]):
    """A text that holds a valid answer.

    Attributes:
        json: the JSON text as it was written, without a fence.
        value: the validated value.
    """

    json: str
    value: T_co


@dataclass(frozen=True, slots=True)
class Rejection:
    """A text that holds none.

    Attributes:
        reason: why, in words that quote nothing the model wrote: it may reach a client.
        feedback: why, in full, for the model's next attempt.
    """

    reason: str
    feedback: str


_MOST_PROBLEMS = 10
_MOST_STEPS = 12
_LONGEST_REASON = 1000
_LONGEST_LINE = 400
_LONGEST_VALUE = 200


class ValidationProblem(NamedTuple):
    """One thing that is wrong with a value.

    Attributes:
        path: where: keys and 0-based indexes from the root, as the validator reports them.
        kind: what kind of fault: a word of the validator's own, never of the model's.
        message: what is wrong, in full; may quote the value.
    """

    path: tuple[str | int, ...]
    kind: str
    message: str


EMPTY = Rejection("the answer is empty", "The answer is empty.")
NO_DECLARED_KEY = Rejection(
    "the answer has none of the declared keys", "The answer has none of the keys that the schema declares."
)
SEVERAL = Rejection(
    "the answer holds several different JSON values",
    "The answer holds several different JSON values. Give exactly one.",
)


def not_json(error: ValueError) -> Rejection:
    """The text, or what was found in it, is not JSON."""
    return Rejection("the answer is not valid JSON", f"The answer is not valid JSON: {error}.")


def no_value(roots: frozenset[str]) -> Rejection:
    """There is no complete JSON value of the kinds that are wanted."""
    kinds = " or ".join(sorted(roots)) if len(roots) < 4 else "value"
    reason = f"the answer holds no complete JSON {kinds}"
    return Rejection(reason, f"{reason[0].upper()}{reason[1:]}.")


def validator_failed(error: Exception) -> Rejection:
    """A validator raised something that is not a verdict."""
    reason = f"a validator failed ({type(error).__name__})"
    return Rejection(reason, f"The answer could not be validated: {reason}.")


def mismatch(problems: Sequence[ValidationProblem], names: frozenset[str]) -> Rejection:
    """The value does not match its schema.

    Args:
        problems: what is wrong; the first ten are told.
        names: the keys that the schema declares. Any other part of a path shows as ``?`` in the reason.
    """
    parts: list[str] = []
    lines: list[str] = []
    for path, kind, message in problems[:_MOST_PROBLEMS]:
        place = _place(path, names)
        parts.append(f"{kind} at {place}" if place else kind)
        lines.append(_cut(f"- {_place(path) or 'the value'}: {message}", _LONGEST_LINE))
    if len(problems) > _MOST_PROBLEMS:
        parts.append("and more")
        lines.append("- and more")
    return Rejection(
        _cut(f"the answer does not match the schema: {'; '.join(parts)}", _LONGEST_REASON),
        without_surrogates("\n".join(["The answer does not match the schema:", *lines])),
    )


def quoted(value: Any) -> str:
    """A value as short JSON, for feedback; ``""`` for one that JSON cannot show."""
    try:
        return _cut(encode(value).decode(), _LONGEST_VALUE)
    except Exception:
        # A validator may have put any object in place of what the model wrote.
        return ""


def _place(path: Sequence[str | int], names: frozenset[str] | None = None) -> str:
    shown = ""
    for step in path[:_MOST_STEPS]:
        if isinstance(step, int):
            shown += f"[{step}]"
        else:
            shown += f".{step}" if names is None or step in names else ".?"
    return shown.removeprefix(".") + ("..." if len(path) > _MOST_STEPS else "")


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 3]}..."
