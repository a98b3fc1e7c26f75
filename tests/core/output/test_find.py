"""Finding the JSON that is meant as the answer: alone, in a fence, in prose, or nowhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.output import Rejection
from finalturn._core.output import reasons as _reasons
from finalturn._core.output.find import decode_whole, find, is_empty
from finalturn._core.output.root import KINDS

OBJECT = frozenset({"object"})


@pytest.mark.parametrize(
    "text", ['{"a":1}', ' \n{"a":1}\n', '```json\n{"a":1}\n```', '  ```\n {"a":1} ```\n']
)
def test_the_whole_text_or_one_fence_around_it(text: str) -> None:
    assert decode_whole(text) == ('{"a":1}', {"a": 1})


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "x",
        '{"a":1} x',
        '{"a":1}{"a":1}',
        '{"a":1',
        "NaN",
        "[1e999]",
        '"\\ud83d"',
        '"\ud83d"',
        "[" * 100_000,
        "1" * 5000,
        '```json\n{"a":1}\n```\n```json\n{"a":1}\n```',
        '```json\n{"a":1}',
        "```json\nx\n```",
        '\ufeff{"a":1}',
    ],
)
def test_anything_else_is_not_whole(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        decode_whole(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1}',
        'internal\n</think>{"a":1}',
        '<think>{"a":0}</think>\n{"a":1}',
        '<think>x</think>{"a":0}</think> so {"a":1}',
        '</think>```json\n{"a":1}\n```',
        'Sure:\n```json\n{"a":1}\n```\nbye {"a":2}',
        'Sure: {"a":1}.',
        '{"a":1}{"a":1}',
        '{"a":1} { "a" : 1 }',
        '```json\n{"a":1}\n```\n```json\n{"a": 1}\n```',
    ],
)
def test_the_only_json_value_of_a_text_is_found(text: str) -> None:
    assert find(text, OBJECT) == '{"a":1}'


@pytest.mark.parametrize(
    "text", ['{"a":"x</think>{}"}', '```json\n{"a":"x</think>{}"}\n```', '</think>{"a":1} </think> {"a":"x"}']
)
def test_a_tag_in_the_answer_itself_cuts_nothing(text: str) -> None:
    found = find(text, OBJECT)
    assert isinstance(found, str) and found.startswith('{"a":"x')


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1", "2"),
        ("1", "true"),
        ("1", "1.0"),
        ("0", "false"),
        ("[1]", "[1,1]"),
        ('{"b":1}', '{"c":1}'),
        ('"x"', "null"),
        ('{"b":1}', '{"b":1,"c":1}'),
        ("[1]", "[2]"),
        ("9007199254740993", "9007199254740992"),
    ],
)
def test_different_values_are_never_picked_from(one: str, other: str) -> None:
    bare = f'{{"a":{one}}}{{"a":{other}}}'
    fenced = f'```\n{{"a":{one}}}\n```\n```\n{{"a":{other}}}\n```'
    assert find(bare, OBJECT) == find(fenced, OBJECT) == _reasons.SEVERAL


def test_the_order_of_keys_makes_no_difference() -> None:
    text = '{"a":1,"b":[{"c":null,"d":2}]} {"b":[{"d":2,"c":null}],"a":1}'
    assert find(text, OBJECT) == '{"a":1,"b":[{"c":null,"d":2}]}'


def test_the_first_of_equal_values_is_taken_as_it_is_written() -> None:
    assert find('{ "a":1 } and {"a":1}', OBJECT) == '{ "a":1 }'


@pytest.mark.parametrize(
    ("text", "rejection"),
    [
        ("", _reasons.EMPTY),
        (" \n", _reasons.EMPTY),
        ("<think>only this</think>\n", _reasons.EMPTY),
        ('<think>{"a":1}</think> Done.', _reasons.no_value(OBJECT)),
        ("Only prose.", _reasons.no_value(OBJECT)),
        ("x [1]", _reasons.no_value(OBJECT)),
    ],
)
def test_a_text_without_one_value_is_rejected_with_the_reason(text: str, rejection: Rejection) -> None:
    assert find(text, OBJECT) == rejection


@pytest.mark.parametrize(
    "text",
    [
        '{"name":"A","items":["x","y"',
        '{"a":NaN}',
        '{"a":-Infinity}',
        '{"a":"\\ud83d"}',
        '{"a":"\ud83d"}',
        '{"a":1e999}',
        "[" * 100_000,
        '{"a":' + "1" * 5000 + "}",
        '{"a":' * 500 + "1" + "}" * 500,
        'x {"a":"\\ud83d"} y',
        'x {"a":1e999} {"a":1}',
        '{"a":1} {"a":1e999}',
    ],
)
def test_what_json_does_not_have_is_rejected(text: str) -> None:
    found = find(text, OBJECT)
    assert isinstance(found, Rejection)
    assert found.reason == "the answer is not valid JSON"


@given(text=st.text(alphabet='{}[]"`\\,: \n</think>a1'), roots=st.sets(st.sampled_from(sorted(KINDS))))
def test_what_is_found_stands_in_the_text(text: str, roots: set[str]) -> None:
    found = find(text, frozenset(roots))
    if isinstance(found, str):
        assert found in text
        assert decode_whole(found)[0] == found


@pytest.mark.parametrize("value", [None, "", [], {}])
def test_empty_values_are_known_as_empty(value: object) -> None:
    assert is_empty(value)


@pytest.mark.parametrize("value", [0, 0.0, False, True, " ", [None], {"a": None}])
def test_values_that_say_something(value: object) -> None:
    assert not is_empty(value)
