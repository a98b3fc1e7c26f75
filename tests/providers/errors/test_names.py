"""Names of errors, as vendors write them."""

from __future__ import annotations

import pytest

from finalturn._providers.errors.names import is_final, is_malformed, is_refusal, status_of


def test_a_name_stands_for_a_status() -> None:
    cases: list[tuple[list[str], int | None]] = [
        (["overloaded_error"], 529),
        (["RESOURCE_EXHAUSTED"], 429),
        (["INVALID_ARGUMENT"], 400),
        (["FAILED_PRECONDITION"], 400),
        (["INTERNAL"], 500),
        (["too_many_requests"], 429),
        (["insufficient_quota"], 429),
        (["ResourceExhausted"], 429),
        (["throttlingException"], 429),
        (["of_tomorrow", "rate_limit_exceeded"], 429),
        (["invalid_request_error"], None),
        (["server_error"], None),
        ([], None),
    ]
    for names, status in cases:
        assert status_of(names) == status, names


@pytest.mark.parametrize(
    ("name", "final"),
    [
        ("invalid_request_error", True),
        ("model_not_found", True),
        ("Insufficient_Quota", True),
        ("context_length_exceeded", True),
        ("server_error", False),
        ("overloaded", False),
        ("", False),
    ],
)
def test_a_name_says_whether_asking_again_helps(name: str, final: bool) -> None:
    assert is_final([name]) is final


def test_each_name_of_a_safety_filter_is_one() -> None:
    cases: list[tuple[str, bool]] = [
        ("content_filter", True),
        ("ContentFiltered", True),
        ("PROHIBITED_CONTENT", True),
        ("SAFETY", True),
        ("safety_settings", False),
        ("ResponsibleAIPolicyViolation", True),
        ("content_policy_violation", True),
        ("guardrail_intervened", True),
        ("GuardrailsViolation", True),
        ("moderation_blocked", True),
        ("DataInspectionFailed", True),
        ("OutputTextSensitiveContentDetected", True),
        ("content_filter_error", False),
        ("policy", False),
        ("guardrail_not_found", False),
        ("permission_denied", False),
    ]
    for name, refusal in cases:
        assert is_refusal(["other", name], "") is refusal, name


@pytest.mark.parametrize(
    ("name", "malformed"),
    [
        ("tool_use_failed", True),
        ("MALFORMED_FUNCTION_CALL", True),
        ("malformed_tool_use", True),
        ("json_validate_failed", True),
        ("output_parse_failed", True),
        ("invalid_model_output", True),
        ("invalid_tool_call", True),
        ("UNEXPECTED_TOOL_CALL", True),
        ("invalid_tool", False),
        ("tool_use", False),
    ],
)
def test_a_name_for_what_the_model_wrote_is_no_refusal(name: str, malformed: bool) -> None:
    assert is_malformed([name], "") is malformed
    assert not is_refusal([name], "")


def test_words_of_the_model_itself_are_not_taken_for_the_server_s() -> None:
    assert is_malformed([], " Failed to parse input at pos 7: x")
    assert not is_malformed([], "The messages hold: Failed to parse input at pos 7")
