"""A case: what the model does, what is asked of the provider, and the clause that the outcome decides."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from finalturn._core.model import Capabilities
from finalturn._core.turn.table import ClauseId
from finalturn._testing.conformance.answers import ScriptedAnswer
from finalturn._testing.conformance.bench import Bench, ViolatedError, Way
from finalturn._testing.conformance.hooks import KitHooks

Check: TypeAlias = Callable[[Bench], Awaitable[None]]
"""Plays the case. Raises `ViolatedError`, or `NotRunError` where it cannot decide."""

Need: TypeAlias = Callable[[KitHooks, Capabilities], str | None]
"""Why the case cannot be run on a provider; ``None`` when it can."""


@dataclass(frozen=True)
class Case:
    """A case.

    Attributes:
        clause: what it decides.
        name: kebab-case; it stands in the test's id.
        answers: what the model answers, call by call.
        check: plays it.
        needs: what the provider, its vendor or its fake must be able to do.
        ways: by which methods it is played.
    """

    clause: ClauseId
    name: str
    answers: tuple[ScriptedAnswer, ...]
    check: Check
    needs: tuple[Need, ...] = ()
    ways: tuple[Way, ...] = ("stream", "complete")


def expect(good: bool, message: str) -> None:
    """Find the clause violated unless it is good.

    Raises:
        ViolatedError: it is not.
    """
    if not good:
        raise ViolatedError(message)


def expect_equal(value: object, expected: object, label: str) -> None:
    """Find the clause violated unless two values are equal.

    Raises:
        ViolatedError: they are not.
    """
    expect(value == expected, f"{label}: wanted {expected!r}, got {value!r}")
