"""The clauses, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from finalturn.contract import CLAUSES, Clause, Family
from tools.mutants._proofs import proving_tests

HEAD = """\
# The contract

What you may rely on. Each clause has a permanent id, a level and the version that first made it. A *stable*
clause is kept until a major release; a *beta* one may change in a minor release. `NEXT` stands for the
release to come. Clauses that speak of HTTP alone come with serving, and are marked so.
"""


def page() -> str:
    """The page with every clause, by chapter."""
    proofs = proving_tests()
    parts = [HEAD]
    for family in Family:
        parts.append(f"## {_title(family)}\n")
        parts += [
            _section(clause, proofs.get(clause.id, [])) for clause in CLAUSES if clause.family is family
        ]
    return "\n".join(parts)


def table() -> str:
    """The clauses, one line each."""
    rows = [f"| `{clause.id}` | {clause.stability} | {clause.statement} |" for clause in CLAUSES]
    return "\n".join(["| clause | level | promise |", "|---|---|---|", *rows])


def _title(family: Family) -> str:
    return "`should_finalize`" if family is Family.FINALIZE else family.value.capitalize()


def _section(clause: Clause, tests: list[str]) -> str:
    return "\n".join(_lines(clause, tests))


def _lines(clause: Clause, tests: list[str]) -> Iterator[str]:
    surfaces = ", ".join(sorted(surface.value for surface in clause.surfaces))
    yield f"### {clause.id}\n"
    yield f"{clause.statement}\n"
    yield f"*Why:* {clause.why}\n"
    yield f"{clause.stability.capitalize()} since {clause.since}. Seen on: {surfaces}.\n"
    yield f"Proved by: {', '.join(f'`{name}`' for name in tests) or 'comes with serving'}.\n"
