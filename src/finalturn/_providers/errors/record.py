"""Reads a vendor's record of an error, however it is spelt and wherever its fields stand.

The same record comes as the body of an HTTP error, in the midst of a stream, and as the only document of an
answer that began well. It may be nested, in a list, text, or JSON written as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from finalturn._core import json_text
from finalturn._providers.errors.come_back import asked_by_record, asked_in_words, is_daily
from finalturn._providers.errors.names import is_final, is_malformed, is_refusal, status_of
from finalturn._providers.json_types import as_array, as_int, as_object, as_text

_DEEPEST = 4
_PLACES = ("error", "errors", "detail")
_STATUSES = ("status_code", "statusCode", "http_status", "code", "status")
_NAMES = ("code", "__type", "type", "status", "error_type", "provider_code", "reason")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
# "429", "429 Too Many Requests", "503.0", "HTTP 502", "HTTP_502", "HTTP/1.1 502 Bad Gateway".
_STATUS_TEXT = re.compile(
    r"\s*(?:HTTP(?:/\d(?:\.\d)?)?[\s_-]*)?([1-5]\d\d)(?:\.0+)?(?![\w.-])", re.IGNORECASE | re.ASCII
)
# As a code, these say that there is none.
_FINE = frozenset({"0", "ok", "success", "200"})
# As a type or a status, these say no more than that there is an error.
_EMPTY = frozenset({"error", "failed", "failure"})

# A refusal or a fault of the model has one of these, or none; any other says something else.
_OF_REQUEST = frozenset({400, 403, 422, 451})
_OF_MODEL = frozenset({400, 422, 424, 500, 502})
_PAUSED = frozenset({429, 503, 529})
_PASSING = frozenset({408, 409, 424, 425, 429})
_LASTING = frozenset({501, 505})


def is_error(record: dict[str, Any]) -> bool:
    """Whether a record of an answer is about an error."""
    if record.get("error") or record.get("errors") or "error" in (record.get("object"), record.get("type")):
        return True
    # Without a word for it: what is wrong, and a status or the vendor's name for it.
    if not record.get("message"):
        return False
    if _status_in(record) is not None:
        return True
    name = _name("code", record.get("code") or record.get("__type"))
    return name is not None and name.lower() not in _FINE


class VendorErrorRecord:
    """Reads one record.

    Args:
        record: as JSON types, or as text.
        status: the HTTP status that it came with, if it came as an HTTP error. It counts before the record's.
        name: the vendor's name of the error from elsewhere, such as a header.
        asked: the seconds that the headers ask to wait; ``None`` when they do not.

    Attributes:
        status: the HTTP status of the error, such as 429, ``None`` when it has none.
        names: the vendor's names of it, the most telling first.
        message: the vendor's words, ``""`` when there are none.
    """

    def __init__(
        self,
        record: object,
        *,
        status: int | None = None,
        name: str | None = None,
        asked: float | None = None,
    ) -> None:
        self._asked = asked
        self._parts = list(_parts_of(record))
        self.message = _message_of(record, self._parts)
        # One of them may be quoted inside another.
        self._messages = {self.message, *(as_text(part.get("message")) for part in self._parts)}
        self.names: list[str] = [*self._names(), *([name] if name else [])]
        statuses = (_status_in(part) for part in self._parts)
        self.status = status or next(filter(None, statuses), None) or status_of(self.names)

    @property
    def refused(self) -> bool:
        """A safety filter has stopped the request, or the answer."""
        if self.status not in _OF_REQUEST | {None}:
            return False
        flagged = any("flagged_input" in as_object(part.get("metadata")) for part in self._parts)
        return flagged or any(is_refusal(self.names, message) for message in self._messages)

    @property
    def malformed(self) -> bool:
        """The model has written a call or an answer that its server could not read."""
        if self.status not in _OF_MODEL | {None}:
            return False
        has_failed_generation = any("failed_generation" in part for part in self._parts)
        return has_failed_generation or any(is_malformed(self.names, message) for message in self._messages)

    @property
    def may_pass(self) -> bool:
        """Whether asking again may help."""
        if self.malformed:
            return True
        silent = self.status in _PAUSED and self.asks_to_wait() is None
        if is_daily(self._parts, self.message if silent else ""):
            return False
        if any("quota" in name.lower() for name in self.names):
            return False
        if self.status is None:
            return not is_final(self.names)
        return self.status in _PASSING or (self.status >= 500 and self.status not in _LASTING)

    def asks_to_wait(self) -> float | None:
        """The seconds after which the vendor says to come back; ``None`` when it does not.

        Headers count first, unless they ask for no pause at all.
        """
        if self._asked:
            return self._asked
        asked = asked_by_record(self._parts)
        if asked is None and self.status in _PAUSED and self._asked is None:
            asked = asked_in_words(self.message)
        return self._asked if asked is None else asked

    def _names(self) -> Iterator[str]:
        for part in self._parts:
            for place in (part, *_inner_errors(part), as_object(part.get("metadata"))):
                yield from filter(None, (_name(field, place.get(field)) for field in _NAMES))


def _parts_of(record: object, depth: int = 0) -> Iterator[dict[str, Any]]:
    """The objects that speak of the error, the most telling first."""
    if depth > _DEEPEST:
        return
    if items := as_array(record):
        record = next((item for item in items if as_object(item).get("error")), items[0])
    outer = as_object(record)
    inner = next((outer[place] for place in _PLACES if outer.get(place)), None)
    inner_parts = list(_parts_of(inner, depth + 1))
    if depth == 0:
        yield from inner_parts
        if inner_parts:
            # Around an error, a type is that of the record.
            outer = {name: value for name, value in outer.items() if name not in ("type", "reason")}
    if outer:
        yield outer
    if depth > 0:
        # What an error holds of others explains it.
        yield from inner_parts
    for text in (outer.get("message"), as_object(outer.get("metadata")).get("raw")):
        if isinstance(text, str) and text.lstrip()[:1] in ("{", "["):
            yield from _parts_of(_decoded(text), depth + 1)


def _inner_errors(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What explains an error, from the outside in, as Microsoft writes it: "Azure REST API Guidelines"."""
    inner = part
    for _ in range(_DEEPEST):
        inner = as_object(inner.get("innererror") or inner.get("inner_error"))
        if not inner:
            break
        yield inner
    # Google's, of which there may be many, have a type, and each its own meaning.
    yield from (detail for detail in map(as_object, as_array(part.get("details"))) if "@type" not in detail)


def _message_of(record: object, parts: list[dict[str, Any]]) -> str:
    for part in parts:
        message = part.get("message") or part.get("Message")
        if message:
            return message if isinstance(message, str) else _written(message)
    words = next((part[place] for part in parts for place in _PLACES if part.get(place)), record)
    words = as_object(words).get("msg") or words
    return words if isinstance(words, str) else _written(words)


def _status_in(part: dict[str, Any]) -> int | None:
    numbers = (_number(part.get(name)) for name in _STATUSES)
    return next((number for number in numbers if number is not None and 400 <= number < 600), None)


def _number(value: object) -> int | None:
    if isinstance(value, str):
        match = _STATUS_TEXT.match(value)
        return None if match is None else int(match[1])
    return as_int(value)


def _name(field: str, value: object) -> str | None:
    """A name, or a code that is a number of the vendor's own; a status is none."""
    number = as_int(value)
    if number is not None or _number(value) is not None:
        return str(number) if field == "code" and number is not None and not 100 <= number < 600 else None
    # AWS writes a namespace before it.
    name = as_text(value).rpartition("#")[2]
    if not _NAME.fullmatch(name) or (field != "code" and name.lower() in _EMPTY):
        return None
    return name


def _written(value: object) -> str:
    try:
        return "" if value is None else json_text.encode(value).decode()
    except (RecursionError, ValueError):
        return ""


def _decoded(text: str) -> object:
    try:
        return json_text.decode(text.encode("utf-8", "replace"))
    except ValueError:
        return None
