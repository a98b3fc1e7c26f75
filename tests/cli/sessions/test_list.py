"""The sessions of a database, in a list."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli._command import run
from tests.cli._database import fill


def test_each_session_is_a_line(tmp_path: Path) -> None:
    fill(str(tmp_path / "finalturn.db"), "b", "a", "key:c")
    done = run("sessions", "list", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    lines = [line.split("\t") for line in done.stdout.decode().splitlines()]
    assert [line[:2] for line in lines] == [["a", "2"], ["b", "2"], ["key:c", "2"]]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", line[2]) for line in lines)


def test_the_database_may_be_named_and_the_sessions_too(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/x.db"
    fill(url, "key:c", "d", turns=1)
    done = run("sessions", "list", "--prefix", "key:", FINALTURN_SESSIONS=url)
    assert done.stdout.decode().split("\t")[:2] == ["key:c", "1"]
    assert run("sessions", "list", "--sessions", url).stdout.count(b"\n") == 2
