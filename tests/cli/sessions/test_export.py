"""Sessions as JSON Lines."""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path

from finalturn._cli.sessions import run_export
from tests.cli._command import run
from tests.cli._database import fill


def test_each_turn_is_a_line(tmp_path: Path) -> None:
    fill(str(tmp_path / "finalturn.db"), "b", "a")
    done = run("sessions", "export", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    turns = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(turn["session"], turn["version"]) for turn in turns] == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    assert turns[0]["messages"][1] == {"role": "assistant", "content": "höllo\n"}
    assert list(turns[0]) == ["session", "version", "saved", "messages"]


def test_a_damaged_turn_ends_it(tmp_path: Path) -> None:
    file = tmp_path / "x.db"
    fill(str(file), "a", "b")
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE finalturn_turns SET messages = '[secret' WHERE session = 'b'")
    out, err = io.StringIO(), io.StringIO()
    assert run_export(str(file), out, err) == 2
    assert out.getvalue().count("\n") == 2
    assert err.getvalue().startswith(f"{file}: turn 1 of session 'b' is damaged, or of a newer version")
    assert "secret" not in err.getvalue()


def test_some_sessions_alone(tmp_path: Path) -> None:
    fill(str(tmp_path / "x.db"), "key:a", "b")
    out = io.StringIO()
    assert run_export(str(tmp_path / "x.db"), out, io.StringIO(), prefix="key:") == 0
    assert {json.loads(line)["session"] for line in out.getvalue().splitlines()} == {"key:a"}
