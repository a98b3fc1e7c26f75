"""`verify`: checks a recorded turn against the clauses of the contract."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from finalturn._contract.clauses.clause import Clause
from finalturn._contract.traces.trace import Trace, Undecidable, Violation
from finalturn._support.keywords import known_keywords
from finalturn.stability import beta

__all__ = ["Finding", "Outcome", "verify"]

Outcome: TypeAlias = Literal["upheld", "violated", "undecidable"]
"""What a trace says of a clause. ``"undecidable"``: it lacks what the clause is decided by."""
beta(since="0.1.0").constant(__name__, "Outcome")

_NOT_BY_A_TRACE = "a trace of one turn cannot show it"


@beta(since="0.1.0")
@dataclass(frozen=True, slots=True)
class Finding:
    """What a trace says of one clause.

    Attributes:
        clause: the clause.
        outcome: see `Outcome`.
        record: of a violation, the 0-based place of the record that breaks the clause; else ``None``.
        text: of a violation, what the clause wants, as words that follow "expected that"; where nothing can
            be decided, why. It quotes no text of a model.
    """

    clause: Clause
    outcome: Outcome
    record: int | None = None
    text: str = ""


@beta(since="0.1.0")
@known_keywords("verify")
def verify(trace: Trace, clauses: Iterable[Clause] | None = None) -> list[Finding]:
    """Check a recorded turn.

    Args:
        trace: the turn.
        clauses: what to check it against; by default, every clause of the contract.

    Returns:
        For each clause, in order: one finding for each violation; or a single one that says that the
        clause is upheld, or not decidable by this trace.

    Example:
        for finding in verify(trace):
            if finding.outcome == "violated":
                print(finding.clause, finding.record, finding.text)
    """
    if clauses is None:
        from finalturn._contract.clauses import CLAUSES

        clauses = CLAUSES
    return [finding for clause in clauses for finding in _check(trace, clause)]


def _check(trace: Trace, clause: Clause) -> list[Finding]:
    if clause.check is None:
        return [Finding(clause, "undecidable", text=_NOT_BY_A_TRACE)]
    violations: list[Violation] = []
    try:
        violations += clause.check(trace)
    except Undecidable as missing:
        if not violations:
            return [Finding(clause, "undecidable", text=str(missing))]
    findings = [Finding(clause, "violated", violation.record, violation.expected) for violation in violations]
    return findings or [Finding(clause, "upheld")]
