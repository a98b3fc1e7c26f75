"""What a clause of the contract is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from finalturn.core.clauses import ClauseId

NEXT: Final = "NEXT"
"""Stands for the version that the next release will have; the release fills it in."""

Stability: TypeAlias = Literal["stable", "beta"]
"""``stable`` promises are kept until a major release; ``beta`` ones may change in a minor one."""


class Surface(StrEnum):
    """A way in which a turn reaches someone.

    ``CHUNKS``: the chunk stream of ``stream`` and ``astream``. ``TOKENS``: the callback of ``run`` and
    ``arun``. ``HTTP``: the served streams. ``RESULT``: the terminal result. ``HISTORY``: the messages
    that are saved. ``REQUEST``: what a provider is sent.
    """

    CHUNKS = "chunks"
    TOKENS = "tokens"
    HTTP = "http"
    RESULT = "result"
    HISTORY = "history"
    REQUEST = "request"


class Family(StrEnum):
    """The chapters of the contract."""

    STREAMING = "streaming"
    FINALIZE = "should_finalize"
    MESSAGES = "messages"
    OUTCOME = "outcome"
    LIFECYCLE = "lifecycle"


@dataclass(frozen=True, slots=True)
class Clause:
    """One promise.

    Attributes:
        id: permanent, kebab-case.
        family: its chapter.
        since: the version that first made it, or `NEXT`.
        stability: how long it will be kept.
        surfaces: where it can be observed.
        statement: the promise, with exactly one MUST, MUST NOT or MAY.
        why: what goes wrong for someone without it.
        about: the public objects that it speaks of.
    """

    id: ClauseId
    family: Family
    since: str
    stability: Stability
    surfaces: frozenset[Surface]
    statement: str
    why: str
    about: tuple[object, ...] = ()

    def __str__(self) -> str:
        return self.id
