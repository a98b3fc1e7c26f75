"""Every clause in a list."""

from __future__ import annotations

import pytest

from finalturn._cli.contract import run_list
from finalturn.contract import CLAUSES
from tests.cli._command import run
from tests.cli._turns import Pipe


def test_in_a_pipe_each_clause_is_one_line() -> None:
    out = Pipe()
    assert run_list(out) == 0
    lines = out.text.splitlines()
    assert len(lines) == len(CLAUSES)
    for line, clause in zip(lines, CLAUSES, strict=True):
        assert line.split(maxsplit=3) == [clause.id, clause.stability, clause.since, clause.statement]


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_terminal_has_chapters_and_lines_that_fit(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    out = Pipe(terminal=True)
    run_list(out)
    lines = out.text.splitlines()
    chapters = [line for line in lines if line and not line.startswith(" ")]
    assert chapters == ["streaming", "should_finalize", "messages", "outcome", "lifecycle", "serving"]
    assert max(map(len, lines)) < max(columns, 70)
    said = " ".join(out.text.split())
    assert all(f"{clause.id} {clause.stability} {clause.since}" in said for clause in CLAUSES)
    assert all(clause.statement in said for clause in CLAUSES)


def test_the_command_lists_them() -> None:
    done = run("contract", "list")
    assert done.returncode == 0
    assert done.stdout.decode().startswith("synthesis-never-streams ")
