"""The parts of a Messages answer that are not its content."""

from __future__ import annotations

from finalturn._providers.anthropic.message import finish_reason


def test_finish_reasons_are_mapped() -> None:
    cases: list[tuple[object, str | None]] = [
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
    ]
    for given, expected in cases:
        assert finish_reason(given) == expected, given
