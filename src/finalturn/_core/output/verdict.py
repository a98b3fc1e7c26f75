"""What comes out when a text is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

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
