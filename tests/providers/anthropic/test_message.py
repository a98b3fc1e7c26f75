"""The parts of a Messages answer that are not its content."""

from __future__ import annotations

import pytest

from finalturn._providers.anthropic.message import finish_reason


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
