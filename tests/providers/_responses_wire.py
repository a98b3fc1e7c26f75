"""Responses bodies, written by hand, and what a decoder makes of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from finalturn._core.model import ModelEvent
from finalturn._providers.answers.decode import WireDecoder
from finalturn._providers.openai_responses.answer import ResponsesAnswer
from tests.providers._wire import Read, summary

ORIGIN = "origin"
KEY = "sk-SENTINEL"
DONE = b"data: [DONE]\n\n"


def event(kind: str, /, **fields: Any) -> bytes:
    """One record, as an event with its name."""
    return f"event: {kind}\n".encode() + data(kind, **fields)


def data(kind: str, /, **fields: Any) -> bytes:
    """One record, as an event without a name."""
    record = json.dumps({"type": kind, **fields}, ensure_ascii=False)
    return b"data: " + record.encode("utf-8", "surrogatepass") + b"\n\n"


def message(text: str, item_id: str = "msg_1", **fields: Any) -> dict[str, Any]:
    """A message item."""
    content: list[dict[str, Any]] = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": item_id, "role": "assistant", "content": content, **fields}


def call(name: str, arguments: str, call_id: str = "call_1", **fields: Any) -> dict[str, Any]:
    """A call item."""
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments, **fields}


def reasoning(text: str = "", **fields: Any) -> dict[str, Any]:
    """A reasoning item, with a summary when there is text."""
    summaries = [{"type": "summary_text", "text": text}] if text else []
    return {"type": "reasoning", "id": "rs_1", "summary": summaries, **fields}


def added(index: int, item: dict[str, Any]) -> bytes:
    """An item begins."""
    return event("response.output_item.added", output_index=index, item=item)


def done(index: int, item: dict[str, Any]) -> bytes:
    """An item is complete."""
    return event("response.output_item.done", output_index=index, item=item)


def text(index: int, *pieces: str, item_id: str = "msg_1") -> bytes:
    """Pieces of a message's text."""
    return b"".join(
        event("response.output_text.delta", output_index=index, content_index=0, item_id=item_id, delta=piece)
        for piece in pieces
    )


def arguments(index: int, *pieces: str, item_id: str = "fc_1") -> bytes:
    """Pieces of a call's arguments."""
    kind = "response.function_call_arguments.delta"
    return b"".join(event(kind, output_index=index, item_id=item_id, delta=piece) for piece in pieces)


def whole(*output: dict[str, Any], status: str = "completed", **fields: Any) -> dict[str, Any]:
    """A whole answer."""
    usage = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
    return {"object": "response", "status": status, "output": list(output), "usage": usage, **fields}


def end(*output: dict[str, Any], status: str = "completed", **fields: Any) -> bytes:
    """The record that ends a stream."""
    return event(f"response.{status}", response=whole(*output, status=status, **fields))


def spoken(index: int, item: dict[str, Any], *pieces: str) -> bytes:
    """A whole message in a stream."""
    begun: dict[str, Any] = {**item, "content": []}
    return added(index, begun) + text(index, *pieces, item_id=item["id"]) + done(index, item)


def read(body: bytes, cuts: Iterable[int] = ()) -> Read:
    """Decode a body that arrives cut at these places."""
    decoder = WireDecoder(ResponsesAnswer(ORIGIN, KEY), secret=KEY)
    events: list[ModelEvent] = []
    start = 0
    for stop in (*cuts, len(body)):
        if not decoder.done:
            events += decoder.feed(body[start:stop])
        start = stop
    events += decoder.close()
    return summary(events, decoder.failure)


def rec(kind: str, /, **fields: Any) -> dict[str, Any]:
    """One record."""
    return {"type": kind, **fields}


def ended(*output: dict[str, Any], status: str = "completed", **fields: Any) -> dict[str, Any]:
    """The record that ends an answer."""
    return rec(f"response.{status}", response=whole(*output, status=status, **fields))


def take(*records: dict[str, Any]) -> tuple[list[ModelEvent], ResponsesAnswer]:
    """What an answer makes of records."""
    answer = ResponsesAnswer(ORIGIN, None)
    events: list[ModelEvent] = []
    for record in records:
        answer.take(record, events)
    return events, answer


def events_of(*records: dict[str, Any]) -> list[ModelEvent]:
    """The events of an answer that is told in these records."""
    events, answer = take(*records)
    events += answer.end()
    assert answer.failure is None
    return events
