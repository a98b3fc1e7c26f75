"""The options of ``finalturn serve``."""

from __future__ import annotations

from typing import Any

import pytest
from typer.testing import CliRunner

from finalturn._cli import app as _app
from finalturn._cli.serve import command as _command
from finalturn._cli.serve.serve import ServeOptions
from finalturn.serve import ServeConfig

RUNNER = CliRunner(env={"TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "200"})


def given(monkeypatch: pytest.MonkeyPatch, *arguments: str, **env: str) -> ServeOptions:
    """What the command would do."""
    found: list[ServeOptions] = []

    def serve(options: ServeOptions, out: object) -> int:
        found.append(options)
        return 7

    monkeypatch.setattr(_command, "serve", serve)
    done = RUNNER.invoke(_app.app, ["serve", *arguments], env=env)
    assert done.exit_code == 7, done.output
    (options,) = found
    return options


def test_an_agent_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    assert given(monkeypatch, "desk:agent") == ServeOptions(agent="desk:agent")


def test_all_options_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = (
        "--host=::1 --port=0 --keys=k.txt --sessions=memory --log-format=json --max-runs=7 --resume-for=2.5"
        " --deps=desk:deps --agent-for=desk:choose"
    )
    origins = ["--cors-origin", "https://a.example", "--cors-origin", "https://b.example"]
    assert given(monkeypatch, *arguments.split(), "desk:agent", *origins) == ServeOptions(
        agent="desk:agent",
        host="::1",
        port=0,
        keys="k.txt",
        deps="desk:deps",
        agent_for="desk:choose",
        sessions="memory",
        cors_origins=("https://a.example", "https://b.example"),
        log_format="json",
        config=ServeConfig(max_runs=7, resume_for=2.5),
    )


def test_a_database_need_not_stand_on_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "postgresql://user:password@host/name"
    assert given(monkeypatch, "desk:agent", FINALTURN_SESSIONS=url).sessions == url


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["a:b", "c:d"],
        ["a:b", "--port", "65536"],
        ["a:b", "--max-runs", "0"],
        ["a:b", "--max-runs", "x"],
        ["a:b", "--reload"],
        ["a:b", "--log-format", "xml"],
    ],
)
def test_a_wrong_command_line_is_2(arguments: list[str]) -> None:
    done = RUNNER.invoke(_app.app, ["serve", *arguments])
    assert done.exit_code == 2 and "Error" in done.output


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_the_help_names_each_option(flag: str) -> None:
    output: Any = RUNNER.invoke(_app.app, ["serve", flag]).output
    for word in ("--keys", "--max-session-messages", "finalturn.db", "exit code", "env var"):
        assert word in output


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn", "sqlalchemy"])
def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    def find(name: str) -> object:
        return None if name == missing else name

    monkeypatch.setattr(_app, "find_spec", find)
    done = RUNNER.invoke(_app.app, ["serve", "--help"])
    assert done.exit_code == 2 and "pip install 'finalturn[serve]'" in done.output
