"""Checks that a turn did what its path promises, from the requests on the wire and the items shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from finalturn import AgentResult, StreamChunk
from finalturn._cli.demo.paths import TICKET, Path
from finalturn._cli.view import Item
from finalturn.testing import ReceivedRequest

__all__ = ["problems"]


def problems(path: Path, items: Sequence[Item], requests: Sequence[ReceivedRequest]) -> Iterator[str]:
    """What is not as promised, in words. Nothing, when all is well.

    Args:
        path: what is promised.
        items: all that the turn's stream gave.
        requests: all that the model's server received.
    """
    results = [place for place, item in enumerate(items) if isinstance(item, AgentResult)]
    if results != [len(items) - 1]:
        yield "the stream must end with its one result"
        return
    chunks = [item for item in items if isinstance(item, StreamChunk)]
    result: Any = items[-1]
    text = "".join(chunk.content for chunk in chunks)
    schema_on = tuple("response_format" in request.json for request in requests)
    parsed = TICKET if path.status == "ok" else None
    for subject, expected, actual in (
        ("what is shown", list(path.shows), _shape(chunks)),
        ("the text", path.text, text),
        ("the result's text", path.text, result.text),
        ("the model calls", len(path.says), len(requests)),
        ("the result's model_calls", len(path.says), result.model_calls),
        ("the schema on the requests", path.schema_on, schema_on),
        ("the status", path.status, result.structured_status),
        ("the object", parsed, result.parsed),
    ):
        if actual != expected:
            yield f"{subject}: expected {expected!r}, got {actual!r}"


def _shape(chunks: Sequence[StreamChunk]) -> list[str]:
    """The purposes of the chunks in order, neighbouring text joined."""
    purposes: list[str] = []
    for chunk in chunks:
        purpose = _purpose(chunk)
        if purpose != "text" or purposes[-1:] != ["text"]:
            purposes.append(purpose)
    return purposes


def _purpose(chunk: StreamChunk) -> str:
    if chunk.content:
        return "text"
    if chunk.tool_calls:
        return f"call {chunk.tool_calls[0].name}"
    if chunk.tool_message is not None:
        return f"result {chunk.tool_message.tool_name}"
    if chunk.activity is not None:
        return f"activity {chunk.activity.tool}"
    return f"event {chunk.event}" if chunk.event else "reasoning"
