"""Reads how long a provider asks to wait: from the headers of its answer, or from the record of the error.

Sources: ``Retry-After``, RFC 9110, section 10.2.3; ``google.rpc.RetryInfo`` and ``google.rpc.QuotaFailure``
(Google, "Error model"), with the JSON form of ``google.protobuf.Duration``; OpenRouter, "Limits", for the
headers that it repeats in the record.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from finalturn._providers.json_types import as_array, as_object, as_text

_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = re.compile(r"(\d+\.?\d*|\.\d+)\s*(ns|us|µs|ms|s|m|h|d)")
_DURATION = re.compile(r"-?(?:(?:\d+\.?\d*|\.\d+)\s*(?:ns|us|µs|ms|s|m|h|d)\s*)+")
_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)")
# "Please try again in 1m9.696s." (OpenAI, Groq); "Please retry after 27 seconds." (Azure).
_IN_WORDS = re.compile(
    r"(?:try again|retry) (?:in|after) "
    r"((?:\d+\.?\d*\s*(?:milliseconds?|seconds?|minutes?|hours?|ms|s|m|h)(?![a-z])\s*)+)",
    re.IGNORECASE,
)
_LONG_UNITS = re.compile(r"(millisecond|second|minute|hour)s?", re.IGNORECASE)
_SHORT = {"millisecond": "ms", "second": "s", "minute": "m", "hour": "h"}

# Fields of vendors and of gateways, and their units in seconds where a bare number stands in them.
_FIELDS = {
    "retryDelay": 1.0,
    "retry_delay": 1.0,
    "retry_after_ms": 0.001,
    "retryAfterMs": 0.001,
    "retry_after": 1.0,
    "retryAfter": 1.0,
    "retry_after_seconds": 1.0,
    "retryAfterSeconds": 1.0,
}
# A quota by the day or longer, by its id ("GenerateRequestsPerDayPerProject"), its unit ("1/d/{project}"), or
# in words.
_LONG_QUOTA = re.compile(
    r"per[ _-]?(?:day|week|month)|daily|weekly|monthly|\b(?:24[ -]?h(?:ours?|rs?)?|1 ?d(?:ay)?)\b"
    r"|/ ?(?:1 ?)?d(?:ay)?\b|\b[RT]PD\b|\b(?:for|a|each|every|this) (?:to)?(?:day|month)\b|\btoday\b",
    re.IGNORECASE,
)
_RESET = "x-ratelimit-reset"


def asked_by_headers(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """The seconds that an answer's headers ask to wait: ``retry-after-ms``, or ``Retry-After``.

    Args:
        headers: by their names, in lower case or in any.
        now: the time as seconds since the epoch; by default, now.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(seconds, 0.0)
    return _seconds_until(headers.get("retry-after", ""), now)


def asked_by_record(parts: Iterable[Mapping[str, Any]], *, now: float | None = None) -> float | None:
    """The seconds that the record of an error asks to wait.

    Args:
        parts: the objects that speak of the error.
        now: the time as seconds since the epoch; by default, now.
    """
    for part in parts:
        metadata = as_object(part.get("metadata"))
        for place in (*map(as_object, as_array(part.get("details"))), part, metadata):
            for name, unit in _FIELDS.items():
                seconds = duration(place.get(name), unit=unit)
                if seconds is not None:
                    return seconds
        seconds = _asked_by_repeated(as_object(metadata.get("headers")), now)
        if seconds is not None:
            return seconds
    return None


def asked_in_words(message: str) -> float | None:
    """The seconds that the words of a rate limit ask to wait.

    In the midst of a stream there are no headers, and OpenAI and Groq say it nowhere else.
    """
    match = _IN_WORDS.search(message)
    if match is None:
        return None
    return duration(_LONG_UNITS.sub(lambda unit: _SHORT[unit[1].lower()], match[1]).lower().strip())


def is_daily(parts: Iterable[Mapping[str, Any]], words: str = "") -> bool:
    """Whether a quota is used up that counts by the day or longer: no short pause brings it back.

    Google names the quota, and asks to come back in a minute all the same.

    Args:
        parts: the objects that speak of the error.
        words: what the vendor says of a limit, where it does not say when to come back: "Too many tokens per
            day, please wait before trying again." (Bedrock)
    """
    details = [as_object(detail) for part in parts for detail in as_array(part.get("details"))]
    places = [
        *map(as_object, (violation for detail in details for violation in as_array(detail.get("violations"))))
    ]
    places += [as_object(detail.get("metadata")) for detail in details]
    texts = (as_text(value) for place in places for value in place.values())
    return any(map(_LONG_QUOTA.search, texts)) or _LONG_QUOTA.search(words) is not None


def duration(value: object, *, unit: float = 1.0) -> float | None:
    """Seconds, from a duration in any of its spellings; ``None`` when it is none.

    They are ``"2.5s"``, ``"1m9s"``, a number, a number as text, and ``{"seconds": "2", "nanos": 500000000}``.

    Args:
        unit: the seconds in one of a bare number.
    """
    seconds: float | None = None
    if isinstance(value, str):
        text = value.strip()
        if _NUMBER.fullmatch(text):
            seconds = float(text) * unit
        elif _DURATION.fullmatch(text):
            seconds = sum(float(count) * _UNITS[name] for count, name in _PART.findall(text))
            seconds = -seconds if text.startswith("-") else seconds
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        seconds = _product(value, unit)
    elif place := as_object(value):
        whole, nanos = duration(place.get("seconds", 0)), duration(place.get("nanos", 0), unit=1e-9)
        if whole is not None and nanos is not None and ("seconds" in place or "nanos" in place):
            seconds = whole + nanos
    if seconds is None or not math.isfinite(seconds):
        return None
    return max(seconds, 0.0)


def _product(value: float, unit: float) -> float:
    try:
        return value * unit
    except OverflowError:
        return math.inf


def _asked_by_repeated(headers: dict[str, Any], now: float | None) -> float | None:
    """What headers ask that a gateway repeats in its record. It gives the time of a reset in milliseconds."""
    plain = {name.lower(): str(value) for name, value in headers.items()}
    seconds = asked_by_headers(plain, now=now)
    if seconds is not None:
        return seconds
    reset = duration(plain.get(_RESET), unit=0.001)
    return None if reset is None else max(reset - _time(now), 0.0)


def _seconds_until(date: str, now: float | None) -> float | None:
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(date).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(moment - _time(now), 0.0)


def _time(now: float | None) -> float:
    import time

    return time.time() if now is None else now
