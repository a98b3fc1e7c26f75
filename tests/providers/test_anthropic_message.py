"""The parts of a Messages answer that are not its content."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn.core.result import Usage
from finalturn.providers._anthropic_message import Tokens, arguments_text, finish_reason


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


def usage(*records: Any) -> Usage | None:
    tokens = Tokens()
    for record in records:
        tokens.take(record)
    return tokens.usage()


class TestTokens:
    def test_what_is_read_from_and_into_a_cache_is_read_too(self) -> None:
        given = {
            "input_tokens": 10,
            "cache_read_input_tokens": 4,
            "cache_creation_input_tokens": 3,
            "output_tokens": 5,
            "output_tokens_details": {"thinking_tokens": 2},
        }
        assert usage(given) == Usage(17, 4, 5, 2, 22)

    def test_a_later_count_replaces_an_earlier_one_field_by_field(self) -> None:
        first = {"input_tokens": 7, "cache_read_input_tokens": 2, "output_tokens": 1}
        assert usage(first, {"output_tokens": 9}) == Usage(9, 2, 9, 0, 18)
        assert usage(first, {"input_tokens": 3, "output_tokens": 9}) == Usage(5, 2, 9, 0, 14)

    def test_a_count_that_is_not_known_any_more_is_kept(self) -> None:
        later = {"input_tokens": 0, "cache_read_input_tokens": None, "output_tokens": 9}
        assert usage({"input_tokens": 7, "cache_read_input_tokens": 1}, later) == Usage(8, 1, 9, 0, 17)

    def test_nothing_used_is_not_nothing_said(self) -> None:
        assert usage({"input_tokens": 0, "output_tokens": 0}) == Usage()

    @pytest.mark.parametrize("given", [None, {}, [], 7, "x", {"input_tokens": "7"}, {"input_tokens": True}])
    def test_what_is_no_count_is_none(self, given: object) -> None:
        assert usage(given) is None

    def test_no_count_is_below_zero(self) -> None:
        assert usage({"input_tokens": -5, "output_tokens": 1.0}) == Usage(0, 0, 1, 0, 1)
