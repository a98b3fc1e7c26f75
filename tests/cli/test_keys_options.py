"""The options of the commands for keys."""

from __future__ import annotations

from typing import Any

import pytest
from typer.testing import CliRunner

from finalturn._cli import app as _app
from finalturn._cli import keys
from finalturn._cli.app import app

RUNNER = CliRunner(env={"TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "100"})


@pytest.mark.parametrize(
    ("arguments", "function", "given"),
    [
        (["new", "alice"], "run_new", ("alice", "keys.txt")),
        (["new", "alice", "--file", "k"], "run_new", ("alice", "k")),
        (["list"], "run_list", ("keys.txt",)),
        (["list", "--file=k"], "run_list", ("k",)),
        (["revoke", "alice"], "run_revoke", ("alice", "keys.txt", None)),
        (["revoke", "alice", "--only", "0f", "--file=k"], "run_revoke", ("alice", "k", "0f")),
    ],
)
def test_each_command_gets_its_options(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], function: str, given: tuple[Any, ...]
) -> None:
    calls: list[tuple[Any, ...]] = []

    def called(*arguments: Any, **options: Any) -> int:
        *values, _, _ = arguments
        calls.append((*values, *options.values()))
        return 3

    monkeypatch.setattr(keys, function, called)
    assert RUNNER.invoke(app, ["keys", *arguments]).exit_code == 3
    assert calls == [given]


@pytest.mark.parametrize("arguments", [["new"], ["revoke"], ["list", "alice"], ["show"]])
def test_a_wrong_command_line_is_2(arguments: list[str]) -> None:
    assert RUNNER.invoke(app, ["keys", *arguments]).exit_code == 2


def test_without_the_packages_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_spec(name: str) -> None:
        return None

    monkeypatch.setattr(_app, "find_spec", find_spec)
    done = RUNNER.invoke(app, ["keys", "list"])
    assert (done.exit_code, done.output) == (2, "Keys need more packages: pip install 'finalturn[serve]'\n")
