"""The commands ``finalturn contract list`` and ``show``."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import groupby
from typing import TextIO

from finalturn._core.turn import TABLE
from finalturn.contract import CLAUSES, Clause

__all__ = ["run_list", "run_show"]


_WIDEST = 100


def run_show(name: str, out: TextIO, err: TextIO) -> int:
    """Show all of a clause. The exit code is 2 when there is no such clause.

    Args:
        name: its id; the name of its constant will do too.
        out: where it is shown.
        err: where it is said that there is none.
    """
    wanted = name.lower().replace("_", "-")
    clause = next((clause for clause in CLAUSES if clause.id == wanted), None)
    if clause is None:
        matches = get_close_matches(wanted, [clause.id for clause in CLAUSES], n=1)
        hint = f"did you mean {matches[0]}?" if matches else "finalturn contract list names them all."
        print(f'Error: there is no clause "{name}"; {hint}', file=err)
        return 2
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    print(clause.id, file=out)
    print(f"{clause.stability} since {clause.since}, of the chapter {clause.family.value}\n", file=out)
    print(textwrap.fill(clause.statement, width), file=out)
    print(textwrap.fill(f"Why: {clause.why}", width), end="\n\n", file=out)
    for label, text in _parts(clause):
        head = f"{label:13}"
        lines = textwrap.wrap(text, width - len(head), break_on_hyphens=False)
        print(head + f"\n{' ' * len(head)}".join(lines), file=out)
    return 0


def _parts(clause: Clause) -> Iterator[tuple[str, str]]:
    yield "Seen on", ", ".join(sorted(surface.value for surface in clause.surfaces))
    yield "About", ", ".join(getattr(subject, "__name__", str(subject)) for subject in clause.about)
    rules = [rule.name for rule in TABLE if clause.id in rule.upholds]
    if rules:
        yield "Rules", ", ".join(rules)
    if clause.kept_by:
        yield "Kept by", ", ".join(clause.kept_by)
    yield "By a trace", "decidable" if clause.check else "not decidable: a trace of one turn cannot show it"
    if clause.revised is not None:
        yield "Revised", f"in {clause.revised}"
    gone = clause.deprecation
    if gone is not None:
        instead = f"; use {gone.use}" if gone.use else ""
        yield "Deprecated", f"since {gone.since}, until {gone.removal}{instead}"


_NARROWEST = 70


def run_list(out: TextIO) -> int:
    """Name every clause: its id, level, version and statement. In a pipe, each is one line."""
    width = max(shutil.get_terminal_size().columns, _NARROWEST) if out.isatty() else None
    for family, clauses in groupby(CLAUSES, lambda clause: clause.family):
        if width is not None:
            print(f"{family.value}\n", file=out)
        for clause in clauses:
            print("\n".join(_lines(clause, width)), file=out)
        if width is not None:
            print(file=out)
    return 0


def _lines(clause: Clause, width: int | None) -> Iterator[str]:
    longest = max(len(other.id) for other in CLAUSES)
    head = f"{clause.id:{longest}}  {clause.stability:6}  {clause.since:6}"
    if width is None:
        yield f"{head}  {clause.statement}"
        return
    yield f"  {head}".rstrip()
    yield textwrap.fill(clause.statement, width - 1, initial_indent="      ", subsequent_indent="      ")
