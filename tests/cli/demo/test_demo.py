"""The demo from top to bottom."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from finalturn._cli.demo import demo as _demo
from finalturn._cli.demo import run_demo
from finalturn._cli.demo.paths import PATHS
from finalturn._cli.view import PlainStage
from tests.cli._command import invoke, run
from tests.cli._turns import Pipe


def test_in_a_pipe_it_is_plain_and_stable() -> None:
    first = run("demo", "--no-model", FORCE_COLOR="1", TERM="xterm-256color")
    second = invoke("demo", "--no-model", FORCE_COLOR="1", TERM="xterm-256color")
    assert first.returncode == 0, first.stderr.decode()
    assert first.stderr == b""
    text = first.stdout.decode()
    assert "\x1b" not in text and "\r" not in text.replace(os.linesep, "\n")
    assert text.count("✓ as promised by ") == len(PATHS)
    assert text.endswith(f"✓ all 6 paths are as promised{os.linesep}")
    assert first.stdout == second.stdout


def test_a_wrong_path_is_1_and_named_at_the_end() -> None:
    out = Pipe()
    paths = (PATHS[4], replace(PATHS[4], name="small talk", text="Good bye."))
    assert run_demo(PlainStage(out), with_model=False, paths=paths) == 1
    lines = out.text.splitlines()
    assert lines[-1] == "✗ not as promised: small talk"
    assert "== Path 2 of 2: small talk ==" in lines


def test_with_the_model_it_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[object] = []

    def play_model(stage: object, database: Path) -> None:
        played.append(database.is_file())

    monkeypatch.setattr(_demo, "play_model", play_model)
    assert run_demo(PlainStage(Pipe()), paths=()) == 0
    assert played == [True]


@pytest.mark.parametrize("before", [None, "example.com"])
def test_a_proxy_is_not_in_the_way(monkeypatch: pytest.MonkeyPatch, before: str | None) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    if before is None:
        monkeypatch.delenv("no_proxy", raising=False)
    else:
        monkeypatch.setenv("no_proxy", before)
    assert run_demo(PlainStage(Pipe()), with_model=False, paths=PATHS[:1]) == 0
    assert os.environ.get("no_proxy") == before
