"""Makes `ProviderError` from HTTP errors and from error records, with words that are safe to show.

Its message is made of our own words and the HTTP status. What the vendor said goes into ``detail``, for a
developer's eyes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from finalturn._core import json_text
from finalturn._core.errors import ProviderError
from finalturn._providers.errors.come_back import asked_by_headers
from finalturn._providers.errors.record import VendorErrorRecord

MAX_DETAIL = 1000

_MEANING = {
    400: "it did not understand the request",
    401: "the key is missing or wrong",
    402: "the account has no credit",
    403: "the key may not do this",
    404: "there is no such address or model",
    407: "the proxy wants to know who asks",
    408: "it gave up waiting",
    413: "the request is too large",
    422: "it did not understand the request",
    429: "too many requests, or a quota is used up",
    503: "it is overloaded or down",
    529: "it is overloaded",
}
_BY_MODEL = "the model wrote a call or an answer that cannot be read"
_PLAIN_HTTP = re.compile(r"HTTP request (?:was sent )?to (?:an )?HTTPS (?:port|server)", re.IGNORECASE)


class RefusedError(ProviderError):
    """A safety filter has stopped the request or the answer. That is an answer: no caller sees it raised."""


class BrokeOffError(ProviderError):
    """The provider says that it has failed, and not yet why: the next record may say it."""

    def __init__(self) -> None:
        super().__init__("the provider broke off its answer: it reported a failure", retryable=True)


def is_settled(failure: ProviderError | None) -> bool:
    """Whether an answer has failed for good: nothing that follows says more of it."""
    return failure is not None and not isinstance(failure, BrokeOffError)


def http_error(
    status: int,
    body: bytes,
    *,
    secret: str | None,
    headers: Mapping[str, str] | None = None,
    name: str | None = None,
) -> ProviderError:
    """The answer has a status other than 200.

    Args:
        body: its first bytes.
        secret: the key, which is taken out of whatever the vendor said.
        headers: of the answer.
        name: the vendor's name of the error, where it stands outside the body; one in the body comes first.
    """
    try:
        record: object = json_text.decode(body)
    except ValueError:
        record = None
    text = body.decode("utf-8", "replace")
    asked = asked_by_headers(headers or {})
    reported = VendorErrorRecord(text if record is None else record, status=status, name=name, asked=asked)
    if 300 <= status < 400:
        meaning = "it sends requests elsewhere, and they are not followed with the key; check base_url"
    elif _PLAIN_HTTP.search(text):
        meaning = "it speaks HTTPS at this port; base_url must begin with https://"
    else:
        meaning = _meaning(reported) or ("it failed" if status >= 500 else "it refused the request")
    problem = f"the provider answered with status {status}: {meaning}"
    return _error(problem, reported, secret)


def error_in_answer(record: object, *, secret: str | None) -> ProviderError:
    """The answer began well, and holds an error.

    Args:
        record: the record that says so, as JSON types, or its text.
    """
    reported = VendorErrorRecord(record)
    status = "" if reported.status is None else f" (status {reported.status})"
    meaning = f": {_BY_MODEL}" if reported.malformed else ""
    problem = f"the provider reported an error in its answer{status}{meaning}"
    return _error(problem, reported, secret)


def _meaning(reported: VendorErrorRecord) -> str:
    if reported.malformed:
        return _BY_MODEL
    return _MEANING.get(reported.status or 0, "")


def _error(problem: str, reported: VendorErrorRecord, secret: str | None) -> ProviderError:
    make = RefusedError if reported.refused else ProviderError
    return make(
        problem,
        status=reported.status,
        code=next((name for name in reported.names if not secret or secret not in name), None),
        retryable=reported.may_pass,
        retry_after=reported.asks_to_wait(),
        detail=_clean(reported.message, secret),
    )


def _clean(text: str, secret: str | None) -> str | None:
    text = json_text.without_surrogates(text)
    if secret:
        text = text.replace(secret, "[key]")
    return text[:MAX_DETAIL] or None
