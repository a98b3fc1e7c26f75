from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.output.bare import bare_values
from finalturn._core.output.kinds import KINDS

OBJECT = frozenset({"object"})
ARRAY = frozenset({"array"})
PROSE = st.text(alphabet="ab c.,'!?:-\n", max_size=12)
OBJECTS = st.dictionaries(
    st.text(max_size=3),
    st.recursive(
        st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3), max_leaves=4
    ),
    max_size=3,
)


@given(parts=st.lists(st.tuples(PROSE, OBJECTS), max_size=4), end=PROSE)
def test_every_object_in_prose_is_found_and_nothing_else(parts: list[tuple[str, Any]], end: str) -> None:
    texts = [json.dumps(value) for _, value in parts]
    text = "".join(prose + value for (prose, _), value in zip(parts, texts, strict=True)) + end
    assert bare_values(text, OBJECT) == texts


@given(value=OBJECTS, cut=st.data(), before=PROSE)
def test_nothing_is_found_in_a_cut_object(value: dict[str, Any], cut: st.DataObject, before: str) -> None:
    text = json.dumps({"outer": [value, {"inner": 1}]})
    end = cut.draw(st.integers(0, len(text) - 1))
    assert bare_values(before + text[:end], OBJECT) == []


@pytest.mark.parametrize(
    "text",
    [
        '{"a": {"b": 1}',
        '[{"b": 1}, {"b": 2}',
        'x [ {"b": 1}',
        '{"a": oops, "b": {"b": 1}}',
        '{"a": {"b": 1}, oops {"b": 2}',
        '{"kids": [{"b": 1}, oops, {"b": 2}]}',
        '{"kids": [{"b": 1}, {"b": 2}, "note": 1, "last": {"b": 3}}',
        '{"a": 1, "line\nbreak :-} ": 1, "c": {"b": 1}}',
        '{"a" {"b": 1}}',
        '{"a": "x"y", "c": {"b": 1}}',
        '[1, oops, {"b": 1}]',
        '[[1, oops [2], {"b": 1}], {"b": 1}]',
        '[{"b": 1}]',
        'rows[{"b": 1}]',
    ],
)
def test_no_part_of_another_value_is_taken(text: str) -> None:
    assert bare_values(text, OBJECT) == []


@pytest.mark.parametrize(
    "text",
    [
        'The interval [1, 2) gives {"b": 1}',
        'For {name} see [the page](x): {"b": 1}',
        '{"a": oops} then {"b": 1}',
        '{"a": 1,} then {"b": 1}',
        "{'a': 1} then {\"b\": 1}",
        '[1, 2) and (3, 4] give {"b": 1}',
        '[1, 2), {x} and {"b": 1}',
        '{{"b": 1}}',
        'json{"b": 1}.',
        '{"b": 1}\n{"c":',
        '] } {"b": 1} ]',
    ],
)
def test_prose_and_what_is_over_do_not_hide_an_answer(text: str) -> None:
    assert bare_values(text, OBJECT) == ['{"b": 1}']


def test_a_bracket_that_closes_after_an_item_owned_what_it_held() -> None:
    assert bare_values('{"b": 1} [2, x {"c": 1} ] {"d": 1}', OBJECT) == ['{"b": 1}', '{"d": 1}']
    assert bare_values('[1, x [2, y {"c": 1} ] {"c": 2} ] {"d": 1}', OBJECT) == ['{"d": 1}']


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see [1] and [2]", ["[1]", "[2]"]),
        ("rows[0] of f(x)[1]", []),
        ("[1][2]", ["[1]", "[2]"]),
        ("[[1], [2]]", ["[[1], [2]]"]),
        ('{"items": [1]}', []),
    ],
)
def test_arrays(text: str, found: list[str]) -> None:
    assert bare_values(text, ARRAY) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The answer is 42.", ["42"]),
        ("It is **42**!", ["42"]),
        ("(42) `42` -4.2e1", ["42", "42", "-4.2e1"]),
        ("1,000 or 3.14.15 or 10:30 or 5-6 or $42 or 42% or v42 or .5 or 007", []),
        ('5" and "5" and {5} and [5', []),
        ("[1, 2, 3] and true", []),
        ('{"a": 5}', []),
    ],
)
def test_numbers(text: str, found: list[str]) -> None:
    assert bare_values(text, frozenset({"number"})) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('He said "yes".', ['"yes"']),
        ('"a""b"', ['"a"', '"b"']),
        ('x"a" "b"c "d"', ['"d"']),
        ('"a \\" b" and "cut', ['"a \\" b"']),
        ('"a\nb" is "c', []),
        ('"\\q" "ok"', ['"ok"']),
        ('{"a": "b"} ["c"]', []),
        ('"{\\"a\\": 1}"', ['"{\\"a\\": 1}"']),
    ],
)
def test_strings(text: str, found: list[str]) -> None:
    assert bare_values(text, frozenset({"string"})) == found


def test_literals() -> None:
    assert bare_values("It is true, not false.", frozenset({"boolean"})) == ["true", "false"]
    assert bare_values("null and nullable", frozenset({"null"})) == ["null"]


def test_a_root_of_any_kind() -> None:
    assert bare_values('1 "a" null true {"a": [1]} [1]', KINDS) == [
        "1",
        '"a"',
        "null",
        "true",
        '{"a": [1]}',
        "[1]",
    ]


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "{",
        "[1, ",
        "{x",
        '{"a":',
        "[1)",
        "{}",
        '"',
        '"\\',
        "[]",
        '["\\"',
        '{"a"',
        "1 ",
        "]",
        '"\\"',
        '"\\q',
    ],
)
def test_long_texts_are_read_in_linear_time(unit: str) -> None:
    # Reading each unit again for each unit before it would take minutes.
    text = unit * 12_000
    bare_values(text, KINDS)
    bare_values('{"a": x' + text, OBJECT)
