"""Errors that are safe to show, and what they are worth."""

from __future__ import annotations

import json

import pytest

from finalturn._providers.errors.failures import MAX_DETAIL, error_in_answer, http_error

KEY = "sk-SENTINEL"


def test_the_status_says_whether_to_ask_again() -> None:
    cases: list[tuple[int, bool]] = [
        *((status, False) for status in (101, 302, 400, 401, 402, 403, 404, 413, 418, 422)),
        *((status, True) for status in (408, 409, 425, 429, 500, 502, 503, 529)),
    ]
    for status, retryable in cases:
        error = http_error(status, b"", secret=None)
        assert (error.status, error.retryable, error.detail, error.code) == (status, retryable, None, None), (
            status
        )
        assert f"status {status}" in str(error), status


@pytest.mark.parametrize(
    ("body", "code", "detail"),
    [
        ({"error": {"message": "No.", "type": "invalid_request_error", "code": "bad"}}, "bad", "No."),
        ({"error": {"message": "No.", "type": "rate_limit_error", "code": None}}, "rate_limit_error", "No."),
        (
            {"error": {"code": 429, "message": "No.", "status": "RESOURCE_EXHAUSTED"}},
            "RESOURCE_EXHAUSTED",
            "No.",
        ),
        ({"error": "No."}, None, "No."),
        ([{"error": {"message": "No."}}], None, "No."),
        ({"message": "No.", "code": "x y"}, None, "No."),
        (
            {"detail": [{"msg": "field required", "loc": ["body"]}]},
            None,
            '[{"msg":"field required","loc":["body"]}]',
        ),
        ({"error": {"reason": 7}}, None, '{"reason":7}'),
        ("No.", None, "No."),
        (None, None, "null"),
    ],
)
def test_what_the_vendor_says_is_for_developers_only(body: object, code: str | None, detail: str) -> None:
    error = http_error(400, json.dumps(body).encode(), secret=KEY)
    assert (error.code, error.detail) == (code, detail)
    assert "No." not in str(error)


def test_a_body_that_is_not_json_is_kept_as_text() -> None:
    error = http_error(502, b"<html>Bad \xff gateway" + b"x" * 5000, secret=None)
    assert error.detail is not None
    assert error.detail.startswith("<html>Bad \ufffd gateway")
    assert len(error.detail) == MAX_DETAIL


def test_the_key_is_nowhere() -> None:
    body = json.dumps({"error": {"message": "x" * (MAX_DETAIL - 4) + KEY, "code": KEY}}).encode()
    for error in (http_error(401, body, secret=KEY), error_in_answer(json.loads(body), secret=KEY)):
        assert KEY not in str(error)
        assert KEY not in (error.detail or "")
        assert "sk-" not in (error.detail or "")
        assert KEY not in repr(error)
        assert error.code is None


def test_a_used_up_quota_does_not_come_back_by_asking() -> None:
    body = b'{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}'
    assert not http_error(429, body, secret=None).retryable


def says(message: str = "x", **fields: object) -> dict[str, object]:
    return {"error": {"message": message, **fields}}


@pytest.mark.parametrize(
    ("record", "status", "code", "retryable"),
    [
        (says(), None, None, True),
        ({"error": "x"}, None, None, True),
        ("x", None, None, True),
        ({"message": "x"}, None, None, True),
        ({"object": "error", "message": "x", "code": 7}, None, "7", True),
        (says(type="server_error"), None, "server_error", True),
        (says(type="invalid_request_error"), None, "invalid_request_error", False),
        (says(code="context_length_exceeded"), None, "context_length_exceeded", False),
        (says(code=400), 400, None, False),
        (says(code=502), 502, None, True),
        (says(status_code=400, code="failed"), 400, "failed", False),
        (says(status_code=429, code="insufficient_quota"), 429, "insufficient_quota", False),
    ],
)
def test_an_error_within_an_answer(
    record: object, status: int | None, code: str | None, retryable: bool
) -> None:
    error = error_in_answer(record, secret=None)
    assert (error.status, error.code, error.retryable, error.detail) == (status, code, retryable, "x")
    assert "x" not in str(error)


def test_halves_of_surrogate_pairs_do_not_survive() -> None:
    assert error_in_answer({"error": "a\ud83d"}, secret=None).detail == "a\ufffd"


def test_an_error_that_is_nested_too_deeply_says_less() -> None:
    record: dict[str, object] = {}
    for _ in range(3000):
        record = {"message": record}
    error = error_in_answer({"error": record, "code": "overloaded"}, secret=None)
    assert error.detail is None
