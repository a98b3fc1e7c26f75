"""A recorded turn, as values: what the checks of clauses look at.

A trace is a sequence of records, in the order in which things happened. One that was recorded inside the
process has all of them. One that was taken from a stream somewhere else may have only what was shown: then
most inputs are missing, and a clause that needs them is not decidable there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from finalturn._contract.traces.records import Record
from finalturn.stability import beta

__all__ = ["Check", "Trace", "Undecidable", "Violation"]


@beta(since="0.1.0")
@dataclass(frozen=True, slots=True)
class Violation:
    """A record that breaks a clause.

    Attributes:
        record: the 0-based place of the record in its trace.
        expected: what the clause wants, as words that follow "expected that"; they quote no text of a model.
    """

    record: int
    expected: str


@beta(since="0.1.0")
class Undecidable(Exception):
    """Raised by a check: the trace lacks what the clause is decided by. Its text says what is missing."""


@beta(since="0.1.0")
@dataclass(frozen=True, slots=True)
class Trace:
    """One recorded turn.

    Attributes:
        records: what happened, in order.
    """

    records: tuple[Record, ...]


Check: TypeAlias = Callable[[Trace], Iterator[Violation]]
"""Finds where a trace breaks a clause. It raises `Undecidable` where the trace cannot tell."""
beta(since="0.1.0").constant(__name__, "Check")
