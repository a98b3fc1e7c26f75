"""Reads the header ``Last-Event-ID``, with which a client resumes a stream."""

from __future__ import annotations

from typing import Annotated

from fastapi import Header

from finalturn._serve.problems.problem import Problem

__all__ = ["LastEventId", "LastEventIdOfPost", "number_of"]

_HEADER = "Last-Event-ID"
_PATTERN = {"pattern": "^[0-9]{1,9}$"}

LastEventId = Annotated[
    str | None,
    Header(
        alias=_HEADER,
        description="The id of the last event that you have; without it, the run is sent from its start.",
        json_schema_extra=_PATTERN,
    ),
]
LastEventIdOfPost = Annotated[
    str | None,
    Header(
        alias=_HEADER,
        description="With it, no turn begins: the request goes on with the turn of its session that the same"
        " request has begun, after the event of that id.",
        json_schema_extra=_PATTERN,
    ),
]


def number_of(last_event_id: str) -> int:
    """The number of a record.

    Args:
        last_event_id: the header's value.

    Raises:
        Problem: it is none.
    """
    if not (last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) < 10):
        raise Problem.field(_HEADER, "must be the id of an event", code="malformed_request")
    return int(last_event_id)
