"""What one block of a text call says."""

from __future__ import annotations

import pytest

from finalturn._core.messages import ToolCall
from finalturn._core.textcalls.read import NOT_EXACT, exact, is_json, malformed


@pytest.mark.parametrize(
    ("block", "name", "arguments", "text"),
    [
        ('{"name": "f", "arguments": {"x": 1}}', "f", {"x": 1}, '{"x": 1}'),
        ('\n{ "name" : "f" ,\t"arguments" :\r{}\n}\n', "f", {}, "{}"),
        ('{"arguments": {"x": 1.00}, "name": "f"}', "f", {"x": 1.0}, '{"x": 1.00}'),
        ('{"name": "\\u0066", "arguments": {"name": "g"}}', "f", {"name": "g"}, '{"name": "g"}'),
        ('{"name": "a\\"b", "arguments": {}}', 'a"b', {}, "{}"),
        (
            '{"arguments": {"name": "g", "arguments": {}}, "name": "f"}',
            "f",
            {"name": "g", "arguments": {}},
            None,
        ),
    ],
)
def test_an_exact_block_is_a_call(block: str, name: str, arguments: object, text: str | None) -> None:
    call = exact(block)
    assert call is not None
    assert (call.name, call.arguments) == (name, arguments)
    assert call.id is None and call.error is None
    if text is not None:
        assert call.arguments_json() == text


INEXACT = [
    "",
    "f",
    "{}",
    '{"name": "f"}',
    '{"name": "f", "arguments": "{}"}',
    '{"name": "f", "arguments": [1]}',
    '{"name": "", "arguments": {}}',
    '{"name": 1, "arguments": {}}',
    '{"name": "f", "arguments": {}, "id": 1}',
    '{"id": 1, "name": "f", "arguments": {}}',
    '{"name": "f", "arguments": {}',
    '{"name": "f", "arguments": {"x": NaN}}',
    '{"name": "f", "arguments": {"x": "\\ud83d"}}',
    '{"name": "\\ud83d", "arguments": {}}',
    '{"name": "f", "name": "g", "arguments": {}}',
    '{"name": "f", "arguments": {}} {}',
    '[{"name": "f", "arguments": {}}]',
    '{"name": "f", "arguments": {"x": ' + "[" * 150 + "]" * 150 + "}}",
    '{"arguments": {}, "x": "name": "f"}',
]


@pytest.mark.parametrize("block", INEXACT)
def test_any_other_is_none(block: str) -> None:
    assert exact(block) is None


@pytest.mark.parametrize(
    ("block", "name"),
    [
        ('{"name": "f", "arguments": {', "f"),
        ('{"arguments": [1], "name": "f"}', "f"),
        ('  {"name":"f"', "f"),
        ('{"name": 1}', ""),
        ('{"name": "\\ud83d"', ""),
        ("[1]", ""),
        ("f(x)", ""),
        ("", ""),
    ],
)
def test_a_malformed_one_has_the_name_as_far_as_it_can_be_read(block: str, name: str) -> None:
    assert malformed(block, NOT_EXACT) == ToolCall(name, {}, error=NOT_EXACT)


def test_the_error_quotes_nothing() -> None:
    assert "secret" not in repr(malformed('{"name": "f", "x": "secret"}', NOT_EXACT))


@pytest.mark.parametrize(
    ("block", "found"), [("1", True), (' {"a": []} ', True), ("{", False), ("NaN", False)]
)
def test_what_is_json(block: str, found: bool) -> None:
    assert is_json(block) is found
