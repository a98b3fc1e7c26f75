"""What went wrong, as a `ProviderError` that is safe to show.

Its message is made of our own words and the HTTP status. What the vendor said goes into ``detail``, for a
developer's eyes.
"""

from __future__ import annotations

import re

from finalturn.core import json_text
from finalturn.core.errors import ProviderError
from finalturn.providers._json_types import as_array, as_int, as_object, as_text

MAX_DETAIL = 1000

_RETRYABLE = frozenset({408, 409, 425, 429})
_MEANING = {
    400: "it did not understand the request",
    401: "the key is missing or wrong",
    402: "the account has no credit",
    403: "the key may not do this",
    404: "there is no such address or model",
    408: "it gave up waiting",
    413: "the request is too large",
    422: "it did not understand the request",
    429: "too many requests, or a quota is used up",
    503: "it is overloaded or down",
    529: "it is overloaded",
}
_CODE = re.compile(r"[A-Za-z0-9_.-]{1,64}")
# Words in a vendor's code or type that mean that asking again changes nothing.
_FINAL = re.compile(
    r"invalid|not_found|permission|authenti|unauthorized|context|quota|billing|policy|unsupported"
)


def http_error(status: int, body: bytes, *, secret: str | None) -> ProviderError:
    """The answer has a status other than 200.

    Args:
        body: its first bytes.
        secret: the key, which is taken out of whatever the vendor said.
    """
    try:
        record: object = json_text.decode(body)
    except ValueError:
        record = None
    text = _message_of(record) or body.decode("utf-8", "replace")
    code = _code_of(record, secret)
    meaning = _MEANING.get(status, "it failed" if status >= 500 else "it refused the request")
    if 300 <= status < 400:
        meaning = "it sends requests elsewhere, and they are not followed with the key; check base_url"
    retryable = (status in _RETRYABLE or status >= 500) and not (code and "quota" in code)
    return ProviderError(
        f"the provider answered with status {status}: {meaning}",
        status=status,
        code=code,
        retryable=retryable,
        detail=_clean(text, secret),
    )


def error_in_answer(record: object, *, secret: str | None) -> ProviderError:
    """The answer began well, and holds an error.

    Args:
        record: the record that says so, as JSON types, or its text.
    """
    code, status = _code_of(record, secret), _status_of(record)
    if status is not None:
        retryable = status in _RETRYABLE or status >= 500
    else:
        retryable = not _FINAL.search(" ".join(_words_of(record)).lower())
    return ProviderError(
        "the provider reported an error in its answer" + ("" if status is None else f" (status {status})"),
        status=status,
        code=code,
        retryable=retryable and not (code and "quota" in code),
        detail=_clean(_message_of(record) or "", secret),
    )


def transport_error(error: Exception) -> ProviderError | None:
    """An exception of httpx2 or httpx; ``None`` for any other.

    Known by name, so that neither needs to be imported to tell.
    """
    kinds = {kind.__name__ for kind in type(error).__mro__ if kind.__module__.partition(".")[0] in _CLIENTS}
    for name, problem in _TRANSPORT.items():
        if name in kinds:
            return ProviderError(problem, retryable=name not in _FAULTS, detail=type(error).__name__)
    return None


_CLIENTS = frozenset({"httpx", "httpx2"})
_TRANSPORT = {
    "ConnectTimeout": "the provider could not be reached in time",
    "PoolTimeout": "no connection to the provider came free in time",
    "TimeoutException": "the provider said nothing for too long",
    "ConnectError": "the provider could not be reached",
    "ProxyError": "the provider could not be reached through the proxy",
    "DecodingError": "the provider's answer could not be decompressed",
    "LocalProtocolError": "the request to the provider could not be written; check the client's headers",
    "UnsupportedProtocol": "the provider's address cannot be used; check base_url",
    "TransportError": "the connection to the provider broke",
}
_FAULTS = frozenset({"LocalProtocolError", "UnsupportedProtocol"})


def _error_part(record: object) -> object:
    """The part of a record that says what is wrong; some servers put it into a list."""
    record = next(iter(as_array(record)), record)
    found = as_object(record)
    return next((found[name] for name in ("error", "errors", "detail") if found.get(name)), record)


def _message_of(record: object) -> str | None:
    part = _error_part(record)
    found = as_object(part)
    part = found.get("message") or found.get("msg") or part
    if part is None or isinstance(part, str):
        return part
    try:
        return json_text.encode(part).decode()
    except ValueError:
        return None


def _words_of(record: object) -> list[str]:
    part = as_object(_error_part(record))
    return [as_text(part.get(name)) for name in ("code", "type", "status")]


def _code_of(record: object, secret: str | None) -> str | None:
    words = (word for word in _words_of(record) if not secret or secret not in word)
    return next((word for word in words if _CODE.fullmatch(word)), None)


def _status_of(record: object) -> int | None:
    part = as_object(_error_part(record))
    found = (as_int(part.get(name)) for name in ("status_code", "code", "status"))
    return next((value for value in found if value is not None and 400 <= value < 600), None)


def _clean(text: str, secret: str | None) -> str | None:
    text = json_text.without_surrogates(text)
    if secret:
        text = text.replace(secret, "[key]")
    return text[:MAX_DETAIL] or None
