"""Log lines: whole, safe to show, and without anything that was said."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Generator
from typing import Any

import pytest

from finalturn import SessionError, ToolError
from finalturn._serve.logs.logs import JsonLines, LogFormat, TextLines, log_to

EVIL = "a\nb\x1b[31m\x7f\u202eé"


def record(
    message: str = "run completed", *, name: str = "finalturn.serve", **more: Any
) -> logging.LogRecord:
    found = logging.LogRecord(name, logging.INFO, "/secret/path.py", 1, message, (), None)
    found.created = 1_800_000_000.25
    vars(found).update(more)
    return found


def raised(error: Exception) -> Any:
    try:
        raise error
    except Exception:
        return sys.exc_info()


@pytest.fixture
def quiet() -> Generator[None, None, None]:
    """What a test sets up of logging is taken back."""
    root, own = logging.getLogger(), logging.getLogger("finalturn")
    before = root.handlers[:], root.level, own.level
    yield
    root.handlers[:], root.level, own.level = before


def test_a_record_is_a_json_object() -> None:
    line = JsonLines().format(record(run_id="r-1", session=None, duration_ms=1.5, complete=True))
    assert json.loads(line) == {
        "time": "2027-01-15T08:00:00.250Z",
        "level": "info",
        "logger": "finalturn.serve",
        "message": "run completed",
        "run_id": "r-1",
        "session": None,
        "duration_ms": 1.5,
        "complete": True,
    }


def test_a_record_is_a_line_for_people() -> None:
    line = TextLines().format(record(run_id="r-1", session=None, what="two words", empty=""))
    assert line == '2027-01-15T08:00:00.250Z INFO run completed run_id=r-1 what="two words" empty=""'


@pytest.mark.parametrize("formatter", [JsonLines(), TextLines()])
def test_no_line_can_move_a_cursor_or_look_like_two(formatter: logging.Formatter) -> None:
    line = formatter.format(record(EVIL, owner=EVIL))
    assert line.isprintable()


@pytest.mark.parametrize("formatter", [JsonLines(), TextLines()])
@pytest.mark.parametrize("error", [ValueError("TEXT"), ToolError("TEXT"), KeyError("TEXT")])
def test_what_an_exception_says_stays_out(formatter: logging.Formatter, error: Exception) -> None:
    line = formatter.format(record(exc_info=raised(error)))
    assert type(error).__name__ in line and "test_logs.py" in line and "in raised" in line
    assert "TEXT" not in line and "/secret" not in line and "tests/serve" not in line


def test_what_an_exception_of_ours_says_is_told() -> None:
    line = TextLines().format(record(exc_info=raised(SessionError("the session could not be read"))))
    assert "SessionError: the session could not be read" in line


def test_what_is_no_plain_value_is_named_by_its_type() -> None:
    assert json.loads(JsonLines().format(record(found=["TEXT"])))["found"] == "list"


def test_other_libraries_have_one_line() -> None:
    said = record("it failed\nfuture: <Task exception=ValueError('TEXT')>", name="asyncio")
    assert json.loads(JsonLines().format(said))["message"] == "it failed"


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(("format", "start"), [("json", "{"), ("text", "2")])
def test_our_records_are_logged_and_the_warnings_of_others(format: LogFormat, start: str) -> None:
    out = io.StringIO()
    log_to(out, format)
    log_to(out, format)
    logging.getLogger("finalturn.serve").info("one")
    logging.getLogger("finalturn.serve").debug("two")
    logging.getLogger("httpx").info("GET http://host/?key=SECRET")
    logging.getLogger("uvicorn.error").warning("three")
    lines = out.getvalue().splitlines()
    assert [line[0] for line in lines] == [start, start]
    assert "one" in lines[0] and "three" in lines[1]
