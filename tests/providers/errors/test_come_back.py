"""When a provider says to come back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._providers.errors.come_back import (
    asked_by_headers,
    asked_by_record,
    asked_in_words,
    duration,
    is_daily,
)


def test_headers_that_say_when_to_come_back_are_read() -> None:
    cases: list[tuple[dict[str, str], float | None]] = [
        ({}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "86400"}, 86400.0),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after-ms": "x", "retry-after": "7"}, 7.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:30 GMT"}, 20.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:05 GMT"}, 0.0),
        ({"retry-after": "Thu, 01 Jan 1970 01:00:00 GMT"}, 3590.0),
        ({"retry-after": "Thu, 99 Jan 99999 01:00:00 GMT"}, None),
    ]
    for headers, seconds in cases:
        assert asked_by_headers(headers, now=10.0) == seconds, headers


def test_a_date_is_held_against_the_clock() -> None:
    assert asked_by_headers({"retry-after": "Thu, 01 Jan 1970 00:00:30 GMT"}) == 0.0


def test_each_spelling_of_a_duration_is_read() -> None:
    cases: list[tuple[object, float | None]] = [
        ("2.5s", 2.5),
        ("26s", 26.0),
        ("45.837906927s", 45.837906927),
        ("0.847655010s", 0.84765501),
        ("0s", 0.0),
        ("3s", 3.0),
        ("3.000000001s", 3.000000001),
        (".5s", 0.5),
        ("3.s", 3.0),
        (" 2s ", 2.0),
        ("-1s", 0.0),
        ("579ms", 0.579),
        ("1m9.696s", 69.696),
        ("2h3m", 7380.0),
        ("1d", 86400.0),
        ("250µs", 0.00025),
        ("7", 7.0),
        ("7.5", 7.5),
        (7, 7.0),
        (7.5, 7.5),
        ({"seconds": "2", "nanos": 500000000}, 2.5),
        ({"seconds": 2}, 2.0),
        ({"nanos": 500000000}, 0.5),
        ({"seconds": 2, "nanos": 5e8}, 2.5),
        ({"seconds": "x"}, None),
        ({"other": 1}, None),
        ({}, None),
        ("", None),
        ("s", None),
        ("1e3s", None),
        ("soon", None),
        ("inf", None),
        ("nan", None),
        (float("inf"), None),
        (float("nan"), None),
        (10**400, None),
        ("9" * 400 + "s", None),
        (True, None),
        (None, None),
        ([], None),
    ]
    for value, seconds in cases:
        assert duration(value) == (None if seconds is None else pytest.approx(seconds)), value


@given(st.integers(0, 10**7), st.integers(0, 999_999_999), st.integers(0, 9))
def test_a_duration_of_protobuf(seconds: int, nanos: int, digits: int) -> None:
    fraction = f"{nanos:09d}"
    expected = pytest.approx(seconds + nanos / 1e9)
    assert duration(f"{seconds}.{fraction}s") == expected
    assert duration({"seconds": str(seconds), "nanos": nanos}) == expected
    short = fraction[:digits]
    assert duration(f"{seconds}{'.' if short else ''}{short}s") == pytest.approx(
        float(f"{seconds}.{short or 0}")
    )


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(["details", "metadata", "headers", "retryDelay", "retry_after", "seconds", "nanos"])


@given(
    st.lists(
        st.dictionaries(
            FIELDS, JSON | st.lists(st.dictionaries(FIELDS, JSON, max_size=3), max_size=3), max_size=4
        ),
        max_size=3,
    ),
    st.text(),
)
def test_nothing_that_is_said_breaks_it(parts: list[dict[str, Any]], words: str) -> None:
    for seconds in (asked_by_record(parts, now=0.0), asked_in_words(words)):
        assert seconds is None or 0 <= seconds < float("inf")
    assert is_daily(parts) in (True, False)


RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo"
QUOTA_FAILURE = "type.googleapis.com/google.rpc.QuotaFailure"


def test_a_record_that_says_when_to_come_back_is_read() -> None:
    cases: list[tuple[dict[str, Any], float | None]] = [
        ({"details": [{"@type": RETRY_INFO, "retryDelay": "2.5s"}]}, 2.5),
        ({"details": [{"@type": QUOTA_FAILURE}, {"@type": RETRY_INFO, "retryDelay": {"seconds": 3}}]}, 3.0),
        ({"details": [{"@type": RETRY_INFO, "retry_delay": "1s"}]}, 1.0),
        ({"details": [{"@type": RETRY_INFO}]}, None),
        ({"details": "x"}, None),
        ({"retry_after": 4}, 4.0),
        ({"retryAfterSeconds": "5"}, 5.0),
        ({"retry_after_ms": 250}, 0.25),
        ({"metadata": {"retry_after_seconds": 6}}, 6.0),
        ({"metadata": {"headers": {"Retry-After": "7"}}}, 7.0),
        ({"metadata": {"headers": {"X-RateLimit-Reset": "18000"}}}, 8.0),
        ({"metadata": {"headers": {"X-RateLimit-Reset": 1000}}}, 0.0),
        ({"message": "x"}, None),
    ]
    for part, seconds in cases:
        assert asked_by_record([{}, part], now=10.0) == seconds, part


def test_words_that_say_when_to_come_back_are_read() -> None:
    cases: list[tuple[str, float | None]] = [
        ("Rate limit reached on tokens per min: Limit 10, Used 9. Please try again in 7.66s. Visit", 7.66),
        ("Please try again in 579ms. Visit", 0.579),
        ("Please try again in 9m38.016s.", 578.016),
        ("Please try again in 1h2m3s", 3723.0),
        ("Please retry in 36.429760048s.", 36.429760048),
        ("Please retry after 27 seconds. To learn", 27.0),
        ("Try again in 2 minutes 3 seconds", 123.0),
        ("try again in 1 second", 1.0),
        ("Please try again in a moment", None),
        ("please reduce your message size and try again. Visit", None),
        ("try again in 5", None),
        ("", None),
    ]
    for words, seconds in cases:
        assert asked_in_words(words) == (None if seconds is None else pytest.approx(seconds)), words


def test_a_quota_of_the_day_is_told_from_others() -> None:
    cases: list[tuple[list[Any], bool]] = [
        ([{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}], True),
        ([{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}], False),
        ([{"quotaId": "InputTokensPerModelPerMinute"}, {"quotaId": "RequestsPerDay"}], True),
        ([{"quotaMetric": "a/requests_per_day"}], True),
        ([{"subject": "project:x", "description": "Requests per day of the project"}], True),
        ([{"quotaId": "daily_requests"}], True),
        ([{"description": "The limit for today is used up"}], True),
        ([{"description": "Monthly spend limit"}], True),
        ([{"quotaUnit": "1/d/{project}"}], True),
        ([{"quotaId": "RPD"}], True),
        ([{"quotaUnit": "1/min/{project}"}], False),
        ([{"quotaId": "RPM"}], False),
        ([{"description": "1000 tokens each minute, or a second more"}], False),
        ([{"quotaDimensions": {"model": "x"}}], False),
        ([], False),
    ]
    for violations, daily in cases:
        found = [{"details": [{"@type": QUOTA_FAILURE, "violations": violations}]}]
        assert is_daily(found) is daily, violations


def test_a_quota_of_the_day_may_stand_in_its_metadata() -> None:
    info = {"reason": "RATE_LIMIT_EXCEEDED", "metadata": {"quota_limit": "GeminiRequestsPerDay"}}
    assert is_daily([{"details": [info]}])
    assert not is_daily([{"details": [{"metadata": {"quota_limit": "RequestsPerMinute"}}]}])


@pytest.mark.parametrize(
    ("words", "daily"),
    [
        ("Too many tokens per day, please wait before trying again.", True),
        ("Rate limit exceeded: free-models-per-day. Add credits", True),
        ("Your daily limit is reached", True),
        ("Too many requests, please wait before trying again.", False),
        ("Rate limit of 5 requests per minute", False),
        ("", False),
    ],
)
def test_a_quota_of_the_day_in_words(words: str, daily: bool) -> None:
    assert is_daily([], words) is daily
