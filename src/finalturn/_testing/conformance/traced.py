"""The clauses that the recorded turns of a case break, whatever the case was about.

That a recorded turn breaks nothing is not shown as proof: most clauses are about something that did not
happen in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from finalturn._core.clauses import ClauseId

if TYPE_CHECKING:
    from finalturn.contract import Clause, Trace


def broken_in(traces: Iterable[Trace], clauses: Iterable[Clause] | None = None) -> dict[ClauseId, str]:
    """Check recorded turns.

    Args:
        traces: the turns.
        clauses: what to check; by default, the contract.

    Returns:
        How each clause is broken that is.
    """
    from finalturn.contract import CLAUSES, Undecidable

    clauses = CLAUSES if clauses is None else tuple(clauses)
    found: dict[ClauseId, str] = {}
    for trace in traces:
        for clause in clauses:
            if clause.check is None:
                continue
            try:
                violations = list(clause.check(trace))
            except Undecidable:
                continue
            if violations:
                first = violations[0]
                found[clause.id] = f"record {first.record} of a recorded turn: expected {first.expected}"
    return found
