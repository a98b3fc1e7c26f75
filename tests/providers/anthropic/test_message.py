"""The parts of a Messages answer that are not its content."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._providers.anthropic.message import arguments_text, finish_reason


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("pause_turn", "length"),
        ("tool_use", "tool_calls"),
        ("refusal", "refusal"),
        ("a_reason_of_tomorrow", "stop"),
        ("MAX_TOKENS", "length"),
        (7, "stop"),
        ("error", None),
    ],
)
def test_finish_reasons(given: object, expected: str | None) -> None:
    assert finish_reason(given) == expected


def nested(depth: int) -> Any:
    found: Any = {}
    for _ in range(depth):
        found = {"a": found}
    return found


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, ""),
        ("", ""),
        ('{"a":1}', '{"a":1}'),
        ({"a": 1}, '{"a":1}'),
        ({}, "{}"),
        ([1], "[1]"),
        (7, "7"),
        (nested(2000), "["),
    ],
)
def test_the_input_of_a_call_is_text(given: object, expected: str) -> None:
    assert arguments_text(given) == expected
