"""Words, marks, and what a terminal must not be sent."""

from __future__ import annotations

import pytest

from finalturn import Message, Role, ToolCall
from finalturn._cli.view import ToolUse
from finalturn._cli.view.words import clean, marks_for, outcome_text, short, tool_text, value_text

MARKS = marks_for("utf-8")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", None, "no-such-encoding"])
def test_marks_are_plain_where_the_encoding_has_no_others(encoding: str | None) -> None:
    marks = marks_for(encoding)
    assert all(sign.isascii() for sign in (marks.good, marks.bad, marks.arrow, marks.more, marks.cursor))


def test_marks_are_signs_where_there_are_some() -> None:
    assert (MARKS.good, marks_for("utf-16").good) == ("✓", "✓")


def test_control_characters_never_reach_a_terminal() -> None:
    hostile = "a\x1b[2Jb\x07c\x9bd\re\x00f\x7fg"
    assert clean(hostile) == "a[2Jbcdefg"
    assert clean("two\nlines\tand é 漢 🙂") == "two\nlines\tand é 漢 🙂"


def test_a_long_text_is_cut_to_one_line() -> None:
    assert short(" a\n b ", MARKS) == "a b"
    assert short("x" * 300, MARKS) == "x" * 200 + "…"


def test_a_call_reads_like_code() -> None:
    use = ToolUse(ToolCall("lookup", {"order": "A\x1b1", "deep": {"a": [1, None]}}))
    assert tool_text(use, MARKS) == 'lookup(order="A\\u001b1", deep={"a":[1,null]})'
    assert outcome_text(use, MARKS) == ""


@pytest.mark.parametrize(("content", "text"), [("on its\nway", "on its way"), ("", "(nothing)")])
def test_an_outcome_is_a_line(content: str, text: str) -> None:
    done = Message(Role.TOOL, content, tool_name="lookup", tool_result=content)
    assert outcome_text(ToolUse(ToolCall("lookup"), done), MARKS) == text
    failed = Message(Role.TOOL, content, tool_name="lookup")
    assert outcome_text(ToolUse(ToolCall("lookup"), failed), MARKS) == f"failed: {text}"


@pytest.mark.parametrize(
    ("value", "text"), [("a\x1b", "a"), (True, "true"), (None, "null"), ({"a": ["é"]}, '{"a":["é"]}')]
)
def test_a_value_is_text_or_json(value: object, text: str) -> None:
    assert value_text(value) == text
