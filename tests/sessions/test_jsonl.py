"""Turns as lines."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn import Message
from finalturn._sessions.jsonl import BadLine, ImportProblem, ImportReport, StoredTurn, read_line, write_line
from finalturn._sessions.turn_text import encode_turn
from tests.core._values import EVERY_CHARACTER, EVERY_PAIR, MESSAGES, PITFALLS, filled
from tests.sessions._times import NOW

TURNS = st.builds(
    StoredTurn,
    st.from_regex(r"[A-Za-z0-9_-][A-Za-z0-9._:@-]{0,127}", fullmatch=True),
    st.integers(1, 2**31 - 1),
    st.datetimes(datetime(1970, 1, 2), datetime(9998, 12, 30), timezones=st.just(UTC)),
    st.lists(MESSAGES, max_size=3).map(encode_turn),
)


@given(TURNS)
def test_a_turn_comes_back(turn: StoredTurn) -> None:
    line = write_line(turn)
    assert line.isascii() and "\n" not in line
    assert read_line(line) == turn == read_line(f" {line}\r\n".encode())
    assert write_line(read_line(line)) == line


def test_every_character_comes_back() -> None:
    messages = [Message.user(EVERY_CHARACTER), *filled(EVERY_PAIR)]
    turn = StoredTurn("s", 1, NOW, encode_turn(messages))
    line = write_line(turn)
    # One line, whoever splits it.
    assert line.splitlines() == [line]
    assert read_line(line) == turn


def test_every_pair_of_pitfalls_comes_back() -> None:
    for first in PITFALLS:
        turn = StoredTurn("s", 1, NOW, encode_turn([Message.user(first + second) for second in PITFALLS]))
        assert write_line(turn).splitlines() == [write_line(turn)], ascii(first)
        assert read_line(write_line(turn)) == turn, ascii(first)


def fields(**changes: Any) -> dict[str, Any]:
    return {"session": "s", "version": 1, "saved": "2026-01-31T12:00:00Z", "messages": [], **changes}


def test_a_time_is_read_in_any_zone() -> None:
    read = read_line(json.dumps(fields(saved="2026-01-31T12:00:00.5+05:30")))
    assert read.saved == datetime(2026, 1, 31, 12, 0, 0, 500_000, timezone(timedelta(hours=5.5)))
    assert read.saved.tzinfo is UTC
    assert write_line(read) == (
        '{"session":"s","version":1,"saved":"2026-01-31T06:30:00.500000Z","messages":[]}'
    )


@pytest.mark.parametrize(
    "line", ["", "{", "[]", "7", "nul", b"\xff", b'{"session": "\xff"}', "\ud800", "NaN"]
)
def test_what_is_no_object_belongs_to_no_session(line: str | bytes) -> None:
    with pytest.raises(BadLine) as caught:
        read_line(line)
    assert caught.value.session is None


@pytest.mark.parametrize("session", [None, 7, "", "../x", "a\x00"])
def test_what_has_no_session_that_is_allowed_belongs_to_none(session: object) -> None:
    with pytest.raises(BadLine, match="not allowed") as caught:
        read_line(json.dumps(fields(session=session)))
    assert caught.value.session is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"version": 0}, "version: must be a whole number from 1"),
        ({"version": True}, "version: must be"),
        ({"version": 1.0}, "version: must be"),
        ({"version": 2**31}, "version: must be"),
        ({"saved": "2026-01-31T12:00:00"}, "saved: must be a time with its zone"),
        ({"saved": "yesterday"}, "saved: must be"),
        ({"saved": 7}, "saved: must be"),
        ({"saved": "0001-01-01T00:00:00+05:00"}, "saved: must be"),
        ({"saved": "9999-12-31T23:00:00Z"}, "saved: must be"),
        ({"messages": {}}, "messages: must be an array"),
        ({"messages": [{"role": "user", "content": 1}]}, r"messages\[0\].content: must be a str"),
        ({"more": 1}, "it has other fields than session, version, saved, messages"),
    ],
)
def test_any_other_mistake_is_named_with_the_session(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadLine, match=f"^{reason}") as caught:
        read_line(json.dumps(fields(**changes)))
    assert caught.value.session == "s"


@pytest.mark.parametrize("name", ["version", "saved", "messages"])
def test_a_field_that_is_missing_is_named(name: str) -> None:
    found = fields()
    del found[name]
    with pytest.raises(BadLine, match=f"^{name}: is missing$"):
        read_line(json.dumps(found))


def test_a_report_is_a_value() -> None:
    problem = ImportProblem(3, "s", "the session exists already")
    assert ImportReport(1, 2, (problem,)) == ImportReport(1, 2, (ImportProblem(3, "s", problem.reason),))
