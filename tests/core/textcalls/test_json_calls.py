"""Calls that are JSON."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.textcalls.json_calls import json_calls, named_call

F = '{"name": "f", "arguments": {"n": 1.00}}'


@pytest.mark.parametrize(
    "text",
    [
        F,
        f" [ {F} ] ",
        '{"arguments": {"n": 1.00}, "name": "f"}',
        '{"name": "f", "parameters": {"n": 1.00}}',
        '{"tool_name": "f", "parameters": {"n": 1.00}, "tool_call_id": "0"}',
        '{"type": "function", "id": 1, "index": 0, "function": {"name": "f", "arguments": {"n": 1.00}}}',
        '{"name": "f", "arguments": "{\\"n\\": 1.00}"}',
        '{"name": "f", "arguments": " {\\"n\\": 1.00} "}',
    ],
)
def test_a_call_keeps_the_text_of_its_arguments(text: str) -> None:
    calls = json_calls(text)
    assert calls is not None
    assert [(call.name, call.arguments_json(), call.id) for call in calls] == [("f", '{"n": 1.00}', None)]


@pytest.mark.parametrize("between", ["\n", " ", "\n\n\t"])
def test_several_stand_one_behind_the_other(between: str) -> None:
    assert json_calls(f"{F}{between}{F}") == json_calls(f"[{F}, {F}]")


def test_several_stand_in_an_array() -> None:
    calls = json_calls(f"[{F},\n{F.replace('f', 'g', 1)}]")
    assert calls is not None and [call.name for call in calls] == ["f", "g"]


@pytest.mark.parametrize(
    "text",
    [
        *("", "f", "1", "[]", "{}", "[", "{", "[1]", "[[]]", f"[{F}", f"[{F},]", f"[{F} {F}]", f"[{F}] x"),
        *(f"{F} x", f"{F}{F}", '{"name" "f"}', '{1: "f"}', '{"name": "f", "arguments": {}'),
        *(
            '{"name": "f"}',
            '{"arguments": {}}',
            '{"name": 1, "arguments": {}}',
            '{"name": "", "arguments": {}}',
        ),
        *('{"name": "f", "arguments": []}', '{"name": "f", "arguments": null}'),
        *('{"name": "f", "arguments": "x"}', '{"name": "f", "arguments": "[]"}'),
        '{"name": "f", "arguments": {}, "parameters": {}}',
        '{"name": "f", "tool_name": "g", "arguments": {}}',
        '{"name": "f", "arguments": {}, "more": 1}',
        '{"name": "f", "name": "g", "arguments": {}}',
        '{"name": "f", "arguments": {}, "arguments": {}}',
        '{"name": "f", "arguments": {"n": NaN}}',
        '{"name": "f", "arguments": {"n": 1e999}}',
        '{"function": {"name": "f"}}',
        '{"function": 1}',
        '{"name": "f", "function": {"name": "f", "arguments": {}}}',
        '{"name": "f", "arguments": ' + "[" * 100_000,
        '{"name": "f", "arguments": {"x": ' + "[" * 150 + "]" * 150 + "}}",
    ],
)
def test_anything_else_is_none(text: str) -> None:
    assert json_calls(text) is None


def test_half_a_surrogate_pair_is_replaced() -> None:
    calls = json_calls('{"name": "f", "arguments": {"q": "\ud83d"}}')
    assert calls is not None and calls[0].arguments == {"q": "\ufffd"}


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [("f", '{"n": 1}', True), ("", "{}", False), ("f", "[]", False), ("f", "", False)],
)
def test_a_name_may_stand_before_its_arguments(name: str, text: str, found: bool) -> None:
    call = named_call(name, text)
    assert (call is not None) is found
    assert call is None or (call.name, call.arguments_json()) == (name, text)


@given(
    st.lists(st.sampled_from(['"', "{", "}", "[", "]", ",", ":", "name", "f", '"arguments"', F, " "])).map(
        "".join
    )
)
def test_no_text_makes_it_fail(text: str) -> None:
    for call in json_calls(text) or ():
        assert call.name and call.error is None
