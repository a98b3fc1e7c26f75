"""One error in every spelling means one thing, whichever way it comes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.errors import ProviderError
from finalturn._providers.errors.failures import error_in_answer, http_error
from finalturn._providers.errors.record import VendorErrorRecord, is_error

STATUSES = [400, 401, 402, 403, 404, 408, 409, 413, 422, 424, 429, 500, 501, 502, 503, 504, 529]
NAMES = [
    "rate_limit_exceeded",
    "insufficient_quota",
    "overloaded_error",
    "RESOURCE_EXHAUSTED",
    "content_filter",
    "tool_use_failed",
    "context_length_exceeded",
    "server_error",
    "ThrottlingException",
    "1301",
]
WORDS = [
    "It is so.",
    "Please try again in 2s.",
    "Failed to parse input at pos 3: <tool_call>",
    "Content Exists Risk",
    "Grüße \u2028 {",
]


@st.composite
def errors(draw: st.DrawFn) -> tuple[int, dict[str, Any]]:
    """A status, and what a vendor says inside its error."""
    status = draw(st.sampled_from(STATUSES))
    told: dict[str, Any] = {"message": draw(st.sampled_from(WORDS))}
    name = draw(st.none() | st.sampled_from(NAMES))
    if name is not None:
        told[draw(st.sampled_from(["type", "status", "error_type"]))] = name
    if draw(st.booleans()):
        told["details"] = [
            {"@type": "x/google.rpc.RetryInfo", "retryDelay": draw(st.sampled_from(["2.5s", "90s"]))}
        ]
    if draw(st.booleans()):
        told |= {"param": None, "failed_generation": None} if draw(st.booleans()) else {"param": "messages"}
    return status, told


@st.composite
def numbered(draw: st.DrawFn, status: int, told: dict[str, Any]) -> dict[str, Any]:
    """The same with its status, as a number or as text."""
    field = draw(st.sampled_from(["code", "status_code", "statusCode", "http_status"]))
    return {**told, field: draw(st.sampled_from([status, str(status), float(status)]))}


@st.composite
def wrapped(draw: st.DrawFn, told: dict[str, Any]) -> object:
    """The same in one of the places where vendors put it."""
    record: object = {draw(st.sampled_from(["error", "error", "errors", "detail"])): told}
    match draw(st.sampled_from(["plain", "typed", "list", "inner list", "twice", "text"])):
        case "typed":
            return {"type": "error", "request_id": "r", "error": told}
        case "list":
            return [record]
        case "inner list":
            return {"errors": [told]}
        case "twice":
            return {"error": {"error": told}}
        case "text":
            return {"error": {"message": json.dumps({"error": told})}}
        case _:
            return record


def facts(error: ProviderError) -> tuple[object, ...]:
    return type(error), error.status, error.code, error.retryable, error.retry_after, error.detail


@given(st.data(), errors())
def test_the_way_it_comes_changes_nothing(data: st.DataObject, error: tuple[int, dict[str, Any]]) -> None:
    status, told = error
    record = data.draw(wrapped(data.draw(numbered(status, told))))
    over_http = http_error(status, json.dumps(record).encode(), secret=None)
    in_stream = error_in_answer(record, secret=None)
    assert facts(over_http) == facts(in_stream)
    assert in_stream.status == status
    # A status in the record or none: over HTTP there is one.
    bare = http_error(status, json.dumps({"error": told}).encode(), secret=None)
    plain = error_in_answer({"error": data.draw(numbered(status, told))}, secret=None)
    assert facts(bare) == facts(plain)


@given(st.data(), errors())
def test_the_spelling_changes_nothing(data: st.DataObject, error: tuple[int, dict[str, Any]]) -> None:
    status, told = error
    one, other = (
        error_in_answer(data.draw(wrapped({**told, "code": code})), secret=None)
        for code in (status, str(status))
    )
    assert facts(one)[:-1] == facts(other)[:-1]


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["error", "errors", "detail", "message", "code", "status", "type", "details", "metadata"]
            ),
            inner,
        )
    ),
)


@given(JSON)
def test_nothing_that_is_said_breaks_it(record: object) -> None:
    error = error_in_answer(record, secret="k")
    assert error.status is None or 400 <= error.status < 600
    assert error.retry_after is None or 0 <= error.retry_after < float("inf")
    assert error.detail is None or "k" not in error.detail.replace("[key]", "")


def test_status_and_name_are_read_from_each_form_of_record() -> None:
    cases: list[tuple[object, int | None, str | None]] = [
        ({"error": {"code": "403", "message": "x"}}, 403, None),
        ({"error": {"status": "429", "message": "x"}}, 429, None),
        ({"error": {"code": "401", "type": "bad_key"}}, 401, "bad_key"),
        ({"error": {"code": 3001}}, None, "3001"),
        ({"error": {"code": "3001"}}, None, "3001"),
        ({"error": {"code": "200", "message": "x"}}, None, None),
        ({"error": "Unauthorized", "message": "No.", "statusCode": 401}, 401, None),
        ({"error": "x", "code": "bad_key"}, None, "bad_key"),
        ({"error": {"message": "x"}, "status": 503}, 503, None),
        ({"type": "https://x/problem", "title": "No", "status": 403, "detail": "x"}, 403, None),
        ({"error": {"type": "overloaded_error"}}, 529, "overloaded_error"),
        ({"error": {"status": "UNAVAILABLE"}}, 503, "UNAVAILABLE"),
        (
            {"__type": "com.amazon.coral.service#ThrottlingException", "message": "x"},
            429,
            "ThrottlingException",
        ),
        ({"error": {"code": 429, "errors": [{"reason": "rateLimitExceeded"}]}}, 429, "rateLimitExceeded"),
        ({"status": "failed", "error": {"code": None}}, None, None),
        ("x", None, None),
        (None, None, None),
        ([], None, None),
    ]
    for record, status, name in cases:
        found = VendorErrorRecord(record)
        assert (found.status, next(iter(found.names), None)) == (status, name), record


AZURE = {
    "error": {
        "message": "The response was filtered due to the prompt triggering content management policy.",
        "type": None,
        "param": "prompt",
        "code": "content_filter",
        "status": 400,
        "innererror": {
            "code": "ResponsibleAIPolicyViolation",
            "content_filter_result": {"jailbreak": {"filtered": True, "detected": True}},
        },
    }
}


@pytest.mark.parametrize(
    ("status", "record"),
    [
        (400, AZURE),
        (400, {"error": {"code": None, "innererror": {"code": "ResponsibleAIPolicyViolation"}}}),
        (400, {"error": {"code": "content_policy_violation", "message": "x"}}),
        (
            400,
            {
                "type": "error",
                "error": {
                    "type": "invalid_request_error",
                    "message": "Output blocked by content filtering policy",
                },
            },
        ),
        (400, {"error": {"message": "Content Exists Risk", "code": "invalid_request_error"}}),
        (400, {"detail": "Content Exists Risk"}),
        (
            400,
            {
                "error": {
                    "code": "data_inspection_failed",
                    "message": "Input data may contain inappropriate content.",
                }
            },
        ),
        (
            400,
            {
                "error": {
                    "code": "invalid_prompt",
                    "message": "Invalid prompt: your prompt was flagged as potentially violating a policy.",
                }
            },
        ),
        (
            403,
            {
                "error": {
                    "code": 403,
                    "message": "x",
                    "metadata": {"reasons": ["violence"], "flagged_input": "y"},
                }
            },
        ),
        (
            403,
            {"error": {"code": 403, "message": "x", "metadata": {"error_type": "content_policy_violation"}}},
        ),
        (400, {"error": {"code": "InputTextSensitiveContentDetected"}}),
        (400, {"error": {"code": "guardrail_violation", "message": "x"}}),
    ],
)
def test_a_safety_filter(status: int, record: object) -> None:
    assert VendorErrorRecord(record, status=status).refused
    assert VendorErrorRecord(record).refused


@pytest.mark.parametrize(
    ("status", "record"),
    [
        (400, {"error": {"code": "content_filter_error", "message": "The contents are not filtered"}}),
        (400, {"message": "Guardrail was enabled but input is in incorrect format."}),
        (400, {"error": {"code": "invalid_prompt", "message": "The messages are empty."}}),
        (401, {"error": {"code": "content_filter"}}),
        (429, {"error": {"code": "content_filter"}}),
        (500, AZURE),
        (403, {"error": {"code": "permission_denied", "message": "policy"}}),
    ],
)
def test_an_error_that_is_no_safety_filter_is_no_refusal(status: int, record: object) -> None:
    assert not VendorErrorRecord(record, status=status).refused


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"code": "tool_use_failed", "message": "x", "failed_generation": ""}),
        (
            400,
            {
                "type": "invalid_request_error",
                "message": "Failed to call a function. Please adjust your prompt.",
            },
        ),
        (400, {"code": "json_validate_failed", "message": "Failed to generate JSON."}),
        (500, {"type": "server_error", "message": "Failed to parse input at pos 12: </tool_call>"}),
        (500, {"type": "api_error", "message": "error parsing tool call: raw='{', err=unexpected end"}),
        (
            400,
            {
                "type": "BadRequestError",
                "message": "1 validation error for list[function-wrap[__x()]]\n  Invalid JSON",
            },
        ),
        (
            424,
            {"code": "ModelErrorException", "message": "Model produced invalid sequence as part of ToolUse."},
        ),
        (400, {"status": "MALFORMED_FUNCTION_CALL", "message": "x"}),
    ],
)
def test_what_the_model_wrote_may_be_better_next_time(status: int, error: dict[str, Any]) -> None:
    for failure in (
        http_error(status, json.dumps({"error": error}).encode(), secret=None),
        error_in_answer({"error": error}, secret=None),
        error_in_answer({"error": {**error, "status_code": status}}, secret=None),
    ):
        assert failure.retryable
        assert str(failure).endswith(": the model wrote a call or an answer that cannot be read")


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, {"code": "tool_use_failed"}),
        (400, {"message": "messages[3]: the text 'error parsing tool call' is too long"}),
        (400, {"code": "invalid_tool_schema", "message": "tools[0] is no function"}),
    ],
)
def test_what_the_caller_wrote_will_not(status: int, error: dict[str, Any]) -> None:
    assert not http_error(status, json.dumps({"error": error}).encode(), secret=None).retryable


def test_a_quota_of_the_day_is_not_asked_for_again() -> None:
    violations = [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]
    details: list[Any] = [
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": violations},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "36s"},
    ]
    error = {"error": {"code": 429, "message": "x", "status": "RESOURCE_EXHAUSTED", "details": details}}
    for body in (error, [error]):
        failure = http_error(429, json.dumps(body).encode(), secret=None)
        assert (failure.retryable, failure.code) == (False, "RESOURCE_EXHAUSTED")
    violations[0]["quotaId"] = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"
    failure = error_in_answer(error, secret=None)
    assert (failure.retryable, failure.retry_after) == (True, 36.0)


def test_a_record_of_an_error_is_told_from_others() -> None:
    cases: list[tuple[dict[str, Any], bool]] = [
        ({"error": "x"}, True),
        ({"errors": [{"message": "x"}]}, True),
        ({"object": "error", "message": "x"}, True),
        ({"type": "error", "message": "x"}, True),
        ({"message": "x", "code": "429"}, True),
        ({"message": "x", "status": 500}, True),
        ({"message": "x"}, False),
        ({"message": {"usage": {}}, "type": "message_start"}, False),
        ({"error": None, "code": 500}, False),
        ({}, False),
    ]
    for record, expected in cases:
        assert is_error(record) is expected, record


@pytest.mark.parametrize(
    "text",
    ["429", " 429 ", "429 Too Many Requests", "429.0", "HTTP 429", "HTTP_429", "http429", "HTTP/1.1 429 X"],
)
def test_a_status_may_be_written_in_many_ways(text: str) -> None:
    cases: list[str] = ["code", "status", "status_code"]
    for field in cases:
        record = VendorErrorRecord({"error": {field: text, "message": "x"}})
        assert (record.status, record.names) == (429, []), field


@pytest.mark.parametrize("text", ["4290", "42", "429x", "E429", "429-1", "\u0664\u0662\u0669", "v1.429"])
def test_another_number_is_not_taken_for_a_status(text: str) -> None:
    assert VendorErrorRecord({"error": {"code": text, "message": "x"}}).status is None


@pytest.mark.parametrize(
    "error",
    [
        {
            "code": "BadRequest",
            "innererror": {"code": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}},
        },
        {"code": "BadRequest", "details": [{"code": "x"}, {"code": "content_filter"}]},
    ],
)
def test_what_explains_an_error_may_lie_deeper(error: dict[str, Any]) -> None:
    record = VendorErrorRecord({"error": {"message": "x", **error}}, status=400)
    assert record.refused
    assert record.names[0] == "BadRequest"


def test_a_day_in_words_counts_where_nothing_says_when_to_come_back() -> None:
    words = "Too many tokens per day, please wait before trying again."
    assert not VendorErrorRecord({"message": words}, status=429).may_pass
    assert VendorErrorRecord({"message": words}, status=429, asked=2.0).may_pass
    assert VendorErrorRecord({"message": f"{words} Please try again in 2s."}, status=429).may_pass
    # Of another fault it means nothing.
    assert VendorErrorRecord({"message": words}, status=500).may_pass


@pytest.mark.parametrize(
    ("header", "record", "seconds"), [(0.0, "2s", 2.0), (1.0, "2s", 1.0), (5.0, "2s", 5.0), (None, "2s", 2.0)]
)
def test_headers_count_first_unless_they_ask_for_no_pause(
    header: float | None, record: str, seconds: float
) -> None:
    error = {"error": {"message": "x", "retryDelay": record}}
    assert VendorErrorRecord(error, status=429, asked=header).asks_to_wait() == seconds
