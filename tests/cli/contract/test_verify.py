"""Checking trace files."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest

from finalturn import Agent
from finalturn._cli.contract import run_verify
from finalturn.contract import CLAUSES
from finalturn.providers import Scripted
from finalturn.testing import record
from tests.cli._command import invoke

DECIDED = sum(clause.check is not None for clause in CLAUSES)
REST = len(CLAUSES) - DECIDED


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A trace file of two turns."""
    agent = Agent(Scripted(then=[Scripted.reasoning("hm"), "Hello"]))
    with record(agent, tmp_path / "trace.jsonl"):
        agent.run("secret")
        agent.run("secret")
    return tmp_path / "trace.jsonl"


@pytest.fixture
def broken(path: Path) -> Path:
    """The same, but that the second turn shows its reasoning as content, and counts no call."""
    lines = path.read_text().splitlines(keepends=True)
    assert '"reasoning":"hm"' in lines[13]
    lines[13] = lines[13].replace('"reasoning"', '"content"')
    lines[18] = lines[18].replace('"model_calls":1', '"model_calls":0')
    path.write_text("".join(lines))
    return path


def verified(*paths: Path, everything: bool = False) -> tuple[int, list[str], list[str]]:
    out, err = StringIO(), StringIO()
    code = run_verify([*map(str, paths)], out, err, everything=everything)
    assert "secret" not in out.getvalue() + err.getvalue()
    return code, out.getvalue().splitlines(), err.getvalue().splitlines()


def test_turns_that_keep_the_contract(path: Path) -> None:
    code, out, err = verified(path)
    summary = f"2 turns: no violations, {2 * DECIDED} clauses upheld, {2 * REST} not decidable here"
    assert (code, out, err) == (0, [summary], [])


def test_a_violation_names_its_line_and_what_was_expected(broken: Path) -> None:
    code, out, err = verified(broken)
    assert (code, err) == (1, [])
    assert out == [
        f"{broken}:14 reasoning-apart: expected that reasoning is not shown as content",
        f"{broken}:19 history-is-what-was-shown: expected that messages[1] is what was shown, with the answer"
        " attached",
        f"{broken}:19 history-is-what-was-shown: expected that text is all content that was shown",
        f"{broken}:19 usage-complete: expected that model_calls is 1",
        f"2 turns: 4 violations, {2 * DECIDED - 3} clauses upheld, {2 * REST} not decidable here",
    ]


def test_all_names_what_is_upheld_and_what_cannot_be_decided(path: Path) -> None:
    code, out, _ = verified(path, everything=True)
    assert code == 0
    assert len(out) == 2 * len(CLAUSES) + 1
    assert f"{path}:2 reasoning-apart: upheld" in out
    assert f"{path}:11 surface-parity: not decidable here: a trace of one turn cannot show it" in out


def test_a_trace_of_what_was_shown_alone(tmp_path: Path) -> None:
    path = tmp_path / "shown.jsonl"
    path.write_text(
        '{"record": "trace", "format": 1, "version": "0.1.0"}\n'
        '{"record": "shown", "turn": 0, "chunk": {"call": 0, "content": "Hello"}}\n'
    )
    code, out, _ = verified(path, everything=True)
    assert code == 0
    needs = "needs the turn_started record, and those of the model calls"
    assert f"{path}:2 synthesis-never-streams: not decidable here: {needs}" in out


def test_files_that_cannot_be_read_are_2(path: Path, tmp_path: Path) -> None:
    odd = tmp_path / "odd.jsonl"
    odd.write_text("secret\n")
    code, out, err = verified(tmp_path / "none.jsonl", odd, path, tmp_path)
    assert code == 2
    assert out[0].startswith("2 turns: no violations")
    assert err[:2] == [
        f"{tmp_path / 'none.jsonl'}: No such file or directory",
        f"{odd}:1: the line is not JSON",
    ]
    assert len(err) == 3


def test_a_file_without_a_turn_is_2(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text('{"record": "trace", "format": 1, "version": "0.1.0"}\n')
    assert verified(path) == (2, [], [f"{path}: there is no turn in it"])


def test_the_command_has_these_exit_codes(broken: Path, tmp_path: Path) -> None:
    assert invoke("contract", "verify", str(broken)).returncode == 1
    assert invoke("contract", "verify", str(tmp_path / "none.jsonl")).returncode == 2
    done = invoke("contract", "verify")
    assert done.returncode == 2
    assert b"TRACE" in done.stderr
