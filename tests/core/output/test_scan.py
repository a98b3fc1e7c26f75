"""Reading one JSON value out of a text: whole, broken or cut, and where."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.output.scan import (
    Reading,
    ScannedValue,
    balance,
    is_scalar,
    scan,
    scan_string,
    skip_space,
)

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(
    value=JSON,
    indent=st.sampled_from([None, 1]),
    ascii_only=st.booleans(),
    after=st.sampled_from(["", " x", ",1"]),
)
def test_a_value_is_read_to_its_end(value: Any, indent: int | None, ascii_only: bool, after: str) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    read = scan(f"  {text}{after}", 1)
    assert (read.reading, read.end, read.depth) == (Reading.WHOLE, len(text) + 2, 0)


@given(value=st.lists(JSON, max_size=3) | st.dictionaries(st.text(), JSON, max_size=3), data=st.data())
def test_no_part_of_a_bracketed_value_is_whole(value: Any, data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = data.draw(st.integers(0, len(text) - 1))
    read = scan(text[:cut], 0)
    assert read.reading is not Reading.WHOLE
    assert read.end <= cut


@given(text=st.text(alphabet='{}[]",:\\ ab1truefalsn-.\n'))
def test_whole_means_that_a_json_reader_agrees(text: str) -> None:
    read = scan(text, 0)
    if read.reading is Reading.WHOLE:
        # It reads control characters in keys as well.
        json.loads(text[: read.end], strict=False)
    else:
        assert text.strip() == "" or not _loads(text)


def _loads(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    "text",
    [
        "[1 2]",
        "[1,]",
        "[,1]",
        '{"a" 1}',
        '{"a":1,}',
        "{a:1}",
        '{"a":1 "b":2}',
        "[1}",
        '{"a":1]',
        "[NaN]",
        "[+1]",
        "[01]",
        "[.5]",
        "[1.]",
        "['a']",
        '["\\x"]',
        '{"\n":1}',
        '["\\u12g4"]',
        "[Infinity]",
        "[tru]",
        '{"a":}',
        "{,}",
        "{1:2}",
    ],
)
def test_what_is_not_json_breaks(text: str) -> None:
    assert scan(text, 0).reading is Reading.BROKEN


@pytest.mark.parametrize(
    "text", ["", "[", "[1", "[1,", "{", '{"a', '{"a"', '{"a":', '{"a":"', '{"a":1', '{"a":1,']
)
def test_what_the_text_ends_in_is_cut(text: str) -> None:
    assert scan(text, 0).reading is Reading.CUT


@pytest.mark.parametrize(
    ("text", "depth", "content", "keyed"),
    [
        ("[x", 1, False, False),
        ("[[x", 2, False, False),
        ("{x", 1, False, False),
        ("[1 x", 1, True, False),
        ("[[] x", 1, True, False),
        ('{"a" x', 1, True, True),
        ('[{"a": x', 2, True, True),
        ('[{"a": 1}, x', 1, True, True),
    ],
)
def test_what_was_read_before_the_break_is_told(text: str, depth: int, content: bool, keyed: bool) -> None:
    read = scan(text, 0)
    assert read == ScannedValue(Reading.BROKEN, len(text) - 1, depth, content, keyed)


def test_the_break_is_where_its_token_starts() -> None:
    assert scan('{"a": "\\x"}', 0).end == 6
    assert scan('{"x\ny": 1}', 0).end == 1


@pytest.mark.parametrize("text", ['{"a": "x\ny"}', '["\t"]', '"\x00"'])
def test_the_string_of_a_value_may_hold_control_characters(text: str) -> None:
    assert scan(text, 0) == ScannedValue(Reading.WHOLE, len(text))


def test_depth_and_length_do_not_matter() -> None:
    many = 100_000
    assert scan("[" * many, 0) == ScannedValue(Reading.CUT, many, many, content=False)
    assert scan("[" * many + "]" * many, 0) == ScannedValue(Reading.WHOLE, 2 * many)
    assert scan("[" + "1" * many + "]", 0) == ScannedValue(Reading.WHOLE, many + 2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"a"b', (Reading.WHOLE, 3)),
        ('"a\\"" ', (Reading.WHOLE, 5)),
        ('"\\ud83d"', (Reading.WHOLE, 8)),
        ('"a', (Reading.CUT, 2)),
        ('"a\nb"', (Reading.BROKEN, 2)),
        ('"a\\qb"', (Reading.BROKEN, 2)),
        ("a", (Reading.BROKEN, 0)),
    ],
)
def test_a_string_is_whole_broken_or_cut(text: str, expected: tuple[Reading, int]) -> None:
    assert scan_string(text, 0) == expected


@pytest.mark.parametrize("word", ["0", "-0", "12", "1.5", "1e5", "-1E-5", "true", "false", "null"])
def test_numbers_and_literals_are_scalars(word: str) -> None:
    assert is_scalar(word)


@pytest.mark.parametrize("word", ["", "-", "01", "1.", ".5", "1e", "True", "nul", "NaN", "1,000", "٣", "1 "])
def test_other_words_are_no_scalars(word: str) -> None:
    assert not is_scalar(word)


def test_only_json_white_space_is_skipped() -> None:
    assert skip_space(" \t\r\n\u00a0", 0) == 4


@pytest.mark.parametrize(
    ("text", "depth", "expected"),
    [
        ("} x", 1, 1),
        ("x] }", 2, 4),
        ("{a} ] x", 1, 5),
        ('"}" }', 1, 5),
        ('"\n}\\"" }', 1, 8),
        ("x", 1, None),
        ("[ ]", 1, None),
        ('} " }', 2, None),
    ],
)
def test_where_open_brackets_of_a_broken_value_close(text: str, depth: int, expected: int | None) -> None:
    assert balance(text, 0, depth) == expected


@pytest.mark.parametrize("text", ['"', '{"a": "', '{"a": "b', '["a", "b\\n', '{"a": 1, "b": "c'])
def test_a_text_that_ends_in_a_string_of_a_value_says_so(text: str) -> None:
    assert scan(text, 0).in_string


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"', '{"a', '{"a"', '{"a": ', '{"a": "b"', '{"a": "b", "c', '["a", ', "[1", '{"a": "\\x'],
)
def test_a_text_that_ends_elsewhere_does_not(text: str) -> None:
    assert not scan(text, 0).in_string
