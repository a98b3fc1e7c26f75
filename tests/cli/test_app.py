"""The commands and their options."""

from __future__ import annotations

from typing import Any

import pytest
from typer.testing import CliRunner

from finalturn import __version__
from finalturn._cli import chat, demo
from finalturn._cli.app import app
from finalturn._cli.chat import ChatOptions

RUNNER = CliRunner(env={"TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "100"})


def test_the_help_names_the_commands_that_there_are() -> None:
    for arguments in ([], ["--help"], ["-h"]):
        output = RUNNER.invoke(app, arguments).output
        assert " demo " in output and " chat " in output
        assert " contract " in output.replace("the contract", "") and " serve " in output


def test_the_version_is_shown() -> None:
    done = RUNNER.invoke(app, ["--version"])
    assert (done.exit_code, done.output) == (0, f"finalturn {__version__}\n")


@pytest.mark.parametrize("arguments", [["chat", "hi"], ["chat", "--model"], ["demo", "--fast"], ["sreve"]])
def test_a_wrong_command_line_is_2(arguments: list[str]) -> None:
    done = RUNNER.invoke(app, arguments)
    assert done.exit_code == 2
    assert "Error" in done.output


@pytest.mark.parametrize(("arguments", "with_model"), [([], True), (["--no-model"], False)])
def test_the_demo_gets_its_options(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], with_model: bool
) -> None:
    given: list[Any] = []

    def run_demo(stage: object, **options: object) -> int:
        given.append(options)
        return 1

    monkeypatch.setattr(demo, "run_demo", run_demo)
    assert RUNNER.invoke(app, ["demo", *arguments]).exit_code == 1
    assert given == [{"with_model": with_model}]


@pytest.mark.parametrize(
    ("arguments", "options", "text"),
    [
        (["--model", "m"], ChatOptions("m"), None),
        (["--model", "m", "hello", "there"], ChatOptions("m"), "hello there"),
        (
            ["--model=m", "--base-url=http://h/v1", "--api-key-env=KEY", "--schema=a:B", "--native-schema"],
            ChatOptions("m", "http://h/v1", "KEY", "a:B", native_schema=True),
            None,
        ),
        (
            ["--model=m", "--system=Be brief.", "--no-hold"],
            ChatOptions("m", system="Be brief.", hold=False),
            None,
        ),
    ],
)
def test_the_chat_gets_its_options(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], options: ChatOptions, text: str | None
) -> None:
    given: list[Any] = []

    def run_chat(options: ChatOptions, text: str | None) -> int:
        given.append((options, text))
        return 3

    monkeypatch.setattr(chat, "run_chat", run_chat)
    assert RUNNER.invoke(app, ["chat", *arguments]).exit_code == 3
    assert given == [(options, text)]
