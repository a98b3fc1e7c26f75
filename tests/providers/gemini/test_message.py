"""Finish reasons, calls and tokens as generateContent writes them."""

from __future__ import annotations

from finalturn._providers.gemini.message import FAILURES, finish_reason


def test_finish_reasons_are_mapped() -> None:
    cases: list[tuple[str, str]] = [
        ("STOP", "stop"),
        ("OTHER", "stop"),
        ("SOMETHING_NEW", "stop"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "refusal"),
        ("RECITATION", "refusal"),
        ("PROHIBITED_CONTENT", "refusal"),
        ("BLOCKLIST", "refusal"),
        ("SPII", "refusal"),
        ("LANGUAGE", "refusal"),
        ("IMAGE_SAFETY", "refusal"),
        ("MODEL_ARMOR", "refusal"),
        ("FUNCTION_CALL", "tool_calls"),
    ]
    for name, reason in cases:
        assert finish_reason(name) == reason, name


def test_a_failure_is_no_reason_to_stop() -> None:
    assert {name for name, (_, retryable) in FAILURES.items() if retryable} == {
        "MALFORMED_FUNCTION_CALL",
        "MALFORMED_RESPONSE",
        "UNEXPECTED_TOOL_CALL",
    }
