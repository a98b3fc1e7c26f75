"""All of a clause."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest

from finalturn._cli.contract import clauses, run_list, run_show
from finalturn.contract import CLAUSES, Clause, Deprecation
from tests.cli._command import invoke, run
from tests.cli._turns import Pipe


def shown(name: str) -> str:
    out, err = StringIO(), StringIO()
    assert run_show(name, out, err) == 0
    assert err.getvalue() == ""
    return out.getvalue()


def test_a_clause_is_shown_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert shown("skip-is-silent") == (
        "skip-is-silent\n"
        f"stable since {CLAUSES[0].since}, of the chapter streaming\n"
        "\n"
        "A turn that should_finalize skips MUST NOT show an event or make another model\n"
        "call.\n"
        "Why: A plain turn should look and cost like one.\n"
        "\n"
        "Seen on      chunks, http\n"
        "About        StructuredOutputConfig\n"
        "Rules        skip\n"
        "By a trace   decidable\n"
    )


@pytest.mark.parametrize("clause", CLAUSES, ids=str)
def test_every_clause_can_be_shown(clause: Clause) -> None:
    said = " ".join(shown(clause.id).split())
    assert clause.statement in said and clause.why in said
    assert all(module in said for module in clause.kept_by)
    decidable = "decidable" if clause.check else "not decidable: a trace of one turn cannot show it"
    assert f"By a trace {decidable}" in said


def test_the_name_of_its_constant_will_do() -> None:
    assert shown("SKIP_IS_SILENT") == shown("skip-is-silent")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("skip-is-silnet", "did you mean skip-is-silent?"),
        ("zzz", "finalturn contract list names them all."),
    ],
)
def test_an_unknown_clause_is_2(name: str, hint: str) -> None:
    out, err = StringIO(), StringIO()
    assert run_show(name, out, err) == 2
    assert (out.getvalue(), err.getvalue()) == ("", f'Error: there is no clause "{name}"; {hint}\n')


def test_what_became_of_a_clause(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = replace(
        CLAUSES[0], revised="0.3.0", deprecation=Deprecation("0.4.0", "1.0.0", use="skip-is-silent")
    )
    alone = replace(gone, revised=None, deprecation=Deprecation("0.4.0", "1.0.0"))
    monkeypatch.setattr(clauses, "CLAUSES", (gone,))
    assert shown(gone.id).endswith(
        "Revised      in 0.3.0\nDeprecated   since 0.4.0, until 1.0.0; use skip-is-silent\n"
    )
    monkeypatch.setattr(clauses, "CLAUSES", (alone,))
    assert shown(gone.id).endswith("\nDeprecated   since 0.4.0, until 1.0.0\n")


def test_the_command_says_what_was_meant() -> None:
    done = run("contract", "show", "held-jsn")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == 'Error: there is no clause "held-jsn"; did you mean held-json?\n'


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
    done = invoke("contract", "list")
    assert done.returncode == 0
    assert done.stdout.decode().startswith("synthesis-never-streams ")
