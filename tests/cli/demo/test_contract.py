"""Each path over real HTTP, and paths that do not do as promised."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path as FilePath

import pytest

from finalturn import StructuredOutputConfig
from finalturn._cli.demo import contract as _contract
from finalturn._cli.demo.contract import play_path
from finalturn._cli.demo.desk import order_database
from finalturn._cli.demo.paths import JSON, PATHS, PROSE, Path
from finalturn._cli.view import PlainStage
from finalturn._cli.view.terminal import TerminalStage
from finalturn.testing import HttpAnswer
from tests.cli._turns import Pipe

SYNTHESIS, REUSE, HOLD, HOLD_IN_A_LINE, SINGLE_PASS, SKIP = PATHS


@pytest.fixture(scope="module")
def database() -> Iterator[FilePath]:
    with order_database() as path:
        yield path


def play(path: Path, database: FilePath) -> tuple[bool, list[str]]:
    out = Pipe()
    good = play_path(PlainStage(out), path, database)
    return good, out.text.splitlines()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_a_path_is_as_promised(path: Path, database: FilePath) -> None:
    good, lines = play(path, database)
    assert good, lines
    assert lines[-1] == f"✓ as promised by {', '.join(clause.id for clause in path.clauses)}"
    assert lines.count(f"agent: {JSON}") == (path is REUSE)


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        (replace(SYNTHESIS, says=(*SYNTHESIS.says[:2], "nonsense")), "ProviderError"),
        (replace(SYNTHESIS, says=SYNTHESIS.says[:2]), "ProviderError"),
        (replace(REUSE, says=(PROSE, JSON)), "what is shown: expected"),
        (replace(HOLD, config=StructuredOutputConfig(final_turn_only=True)), "the text: expected"),
        (
            replace(SINGLE_PASS, config=StructuredOutputConfig(final_turn_only=True)),
            "the schema on the requests",
        ),
        (replace(SKIP, config=StructuredOutputConfig(final_turn_only=True)), "ProviderError"),
        (replace(SKIP, says=(HttpAnswer(503),)), "it is overloaded or down"),
    ],
)
def test_what_is_not_as_promised_is_named(path: Path, problem: str, database: FilePath) -> None:
    good, lines = play(path, database)
    assert not good
    wrong = [line for line in lines if line.startswith("✗ ")]
    assert wrong and lines[-len(wrong) :] == wrong
    assert any(line.startswith(f"✗ {path.name}: ") and problem in line for line in wrong), wrong


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_a_path_on_a_terminal(path: Path, database: FilePath, monkeypatch: pytest.MonkeyPatch) -> None:
    for pause in ("_BETWEEN_PIECES", "_BEFORE_ANSWER", "_AT_EVENT"):
        monkeypatch.setattr(_contract, pause, 0.0)
    out = Pipe(terminal=True)
    assert play_path(TerminalStage(out), path, database)
    assert "as promised" in out.text


def test_there_are_pauses_only_where_a_person_watches() -> None:
    assert _contract.paced("Hello there", False) == ["Hello", " ther", "e"]
    paced = _contract.paced("Hello there", True)
    assert [item for item in paced if isinstance(item, str)] == ["Hello", " ther", "e"]
    assert len(paced) == 7
