"""The clauses: a module for each chapter of the contract."""

from types import ModuleType

from finalturn._contract.clauses import finalize, lifecycle, messages, outcome, serving, streaming
from finalturn._contract.clauses.clause import Clause
from finalturn.stability import stable


def _declared_in(chapter: ModuleType) -> list[Clause]:
    return [value for value in vars(chapter).values() if isinstance(value, Clause)]


CLAUSES: tuple[Clause, ...] = (
    *_declared_in(streaming),
    *_declared_in(finalize),
    *_declared_in(messages),
    *_declared_in(outcome),
    *_declared_in(lifecycle),
    *_declared_in(serving),
)
"""Every clause, in the order of the contract's chapters."""
stable(since="0.1.0").constant(__name__, "CLAUSES")
