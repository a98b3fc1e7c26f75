"""``finalturn serve``, put together: it serves, or says in one line why it cannot."""

from __future__ import annotations

import io
import logging
import socket
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from finalturn._cli.serve.serve import ServeOptions, serve
from finalturn._serve.access.keys import new_key
from tests.cli._serving import MODULE, serving


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path, None, None]:
    """A working directory with a module; what serving sets up in this process is taken back."""
    root, own = logging.getLogger(), logging.getLogger("finalturn")
    before = root.handlers[:], root.level, own.level
    (tmp_path / "held.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    yield tmp_path
    sys.modules.pop("held", None)
    root.handlers[:], root.level, own.level = before


def refusal(options: ServeOptions, capsys: pytest.CaptureFixture[str]) -> str:
    out = io.StringIO()
    assert serve(options, out) == 2
    assert out.getvalue() == ""
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_without_keys_it_listens_to_this_machine_alone(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = refusal(ServeOptions(agent="held:agent", host="0.0.0.0"), capsys)
    assert line.startswith("error: --host 0.0.0.0: without --keys")
    assert "held" not in sys.modules


def test_what_cannot_be_served_is_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "bad.txt").write_text("alice SECRET\n", encoding="utf-8")
    for options, said in (
        (ServeOptions(agent="held:x"), "error: held:x: there is no x in held; it has agent"),
        (
            ServeOptions(agent="held:agent", keys="no.txt"),
            "error: --keys no.txt: the key file cannot be read",
        ),
        (ServeOptions(agent="held:agent", keys="bad.txt"), "error: --keys bad.txt: line 1 is malformed"),
        (ServeOptions(agent="held:agent", sessions="mysql://u:SECRET@h/n"), "error: --sessions: "),
        (ServeOptions(agent="held:agent", cors_origins=("*",)), "error: --cors-origin: "),
        (ServeOptions(agent="held:agent", deps="held:x"), "error: --deps: held:x: there is no x in held"),
        (ServeOptions(agent="held:agent", agent_for="x"), "error: --agent-for: x: give a module and a name"),
        (ServeOptions(agent="held:agent", deps="held:go_on"), "error: deps is given, and the agent has none"),
    ):
        line = refusal(options, capsys)
        assert line.startswith(said) and "SECRET" not in line


def test_a_port_in_use_is_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert refusal(ServeOptions(agent="held:agent", port=port), capsys).startswith(
            f"error: --port {port}: it is in"
        )


def test_a_database_that_does_not_work_is_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "no.db").write_text("This is no database, as it is a text of some length.", encoding="utf-8")
    line = refusal(ServeOptions(agent="held:agent", port=0, sessions="no.db"), capsys)
    assert line.startswith(f"error: {here / 'no.db'}: ")
    assert line.endswith(": the file is no SQLite database")


def test_a_postgresql_that_says_nothing_is_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}/name"
        url = f"postgresql://user:SECRET@{address}?connect_timeout=2"
        line = refusal(ServeOptions(agent="held:agent", port=0, sessions=url), capsys)
    assert line.startswith(f"error: PostgreSQL on {address}: ") and "SECRET" not in line
    assert line.endswith("did not answer in time: see that it runs, and that it can be reached from here")


def test_who_has_a_key_is_served(tmp_path: Path) -> None:
    key, line = new_key("ann")
    (tmp_path / "keys.txt").write_text(line, encoding="utf-8")
    with serving(tmp_path, "--host", "0.0.0.0", "--keys", "keys.txt", "--resume-for", "60") as server:
        assert server.send("GET", "/health") == (200, {"status": "ok"})
        assert server.send("GET", "/v1/sessions")[0] == 401
        mine = {"Authorization": f"Bearer {key}"}
        assert server.send("GET", "/v1/sessions", headers=mine) == (200, {"sessions": [], "next": None})
