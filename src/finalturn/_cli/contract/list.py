"""``finalturn contract list``."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator
from itertools import groupby
from typing import TextIO

from finalturn.contract import CLAUSES, Clause

__all__ = ["run_list"]

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
    longest = max(len(one.id) for one in CLAUSES)
    head = f"{clause.id:{longest}}  {clause.stability:6}  {clause.since:6}"
    if width is None:
        yield f"{head}  {clause.statement}"
        return
    yield f"  {head}".rstrip()
    yield textwrap.fill(clause.statement, width - 1, initial_indent="      ", subsequent_indent="      ")
