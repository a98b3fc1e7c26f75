"""Reasons, tokens and errors."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._providers.bedrock.message import (
    error_code,
    finish_reason,
    reported_error,
)


def test_finish_reasons_are_mapped() -> None:
    cases: list[tuple[object, str | None]] = [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("of_tomorrow", "stop"),
        (7, "stop"),
        ("tool_use", "tool_calls"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("pause_turn", "length"),
        ("guardrail_intervened", "refusal"),
        ("content_filtered", "refusal"),
        ("refusal", "refusal"),
        ("malformed_model_output", None),
        ("malformed_tool_use", None),
    ]
    for given, expected in cases:
        assert finish_reason(given) == expected, given


@pytest.mark.parametrize(
    ("name", "status", "retryable"),
    [
        ("throttlingException", 429, True),
        ("ThrottlingException", 429, True),
        ("internalServerException", 500, True),
        ("serviceUnavailableException", 503, True),
        ("modelTimeoutException", 408, True),
        ("modelNotReadyException", 429, True),
        ("modelStreamErrorException", None, True),
        ("validationException", 400, False),
        ("accessDeniedException", 403, False),
        ("resourceNotFoundException", 404, False),
        ("ofTomorrowException", None, True),
    ],
)
def test_an_error_s_name_says_whether_to_ask_again(name: str, status: int | None, retryable: bool) -> None:
    error = reported_error(name, {"message": "no sk-SENTINEL"}, secret="sk-SENTINEL")
    assert (error.code, error.status, error.retryable) == (name, status, retryable)
    assert error.detail == "no [key]"
    assert "no" not in str(error).split()


@pytest.mark.parametrize(
    ("given", "detail"),
    [
        ({"message": "a", "originalMessage": "b", "originalStatusCode": 500}, "a / b"),
        ({"Message": "a"}, "a"),
        ({"message": None}, "xException"),
        ({"message": {"deep": 1}}, "xException"),
        ([], "xException"),
    ],
)
def test_an_error_s_words(given: Any, detail: str) -> None:
    assert reported_error("xException", given, secret=None).detail == detail


def test_an_error_may_be_without_a_name() -> None:
    error = reported_error("", {}, secret=None)
    assert (error.code, error.status) == (None, None)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("ValidationException", "ValidationException"),
        ("ValidationException:http://internal.amazon.com/coral/com.amazon.bedrock/", "ValidationException"),
        ("aws.runtime#ThrottlingException", "ThrottlingException"),
        ("aws.runtime#ThrottlingException:http://x/", "ThrottlingException"),
        ("", None),
        ("two words", None),
        ("x" * 65, None),
    ],
)
def test_a_header_names_an_error(given: str, code: str | None) -> None:
    assert error_code({"x-amzn-errortype": given}) == code
    assert error_code({}) is None
