"""Chat completions bodies, written by hand, and what a decoder makes of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from finalturn._core.assembly import ToolCallAssembler
from finalturn._core.errors import ProviderError
from finalturn._core.messages import ToolCall
from finalturn._core.model import FinishReason, ModelEnd, ModelEvent, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn._core.result import Usage
from finalturn._providers.answers.decode import MAX_ANSWER, WireDecoder
from finalturn._providers.openai_chat.answer import OpenAIChatAnswer
from finalturn._providers.openai_chat.profiles import ANY_SERVER

DONE = b"data: [DONE]\n\n"


def event(record: Any, *, ascii_only: bool = True) -> bytes:
    """One record, as an event."""
    return b"data: " + json.dumps(record, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass") + b"\n\n"


def delta(content: Any = None, finish: str | None = None, /, **fields: Any) -> bytes:
    """A record with one delta."""
    if content is not None:
        fields["content"] = content
    return event({"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]})


def call(index: int | None, call_id: str | None, name: str | None, arguments: str | None) -> bytes:
    """A record with one piece of a tool call."""
    entry: dict[str, Any] = {"type": "function", "function": {"name": name, "arguments": arguments}}
    if index is not None:
        entry["index"] = index
    if call_id is not None:
        entry["id"] = call_id
    return delta(tool_calls=[entry])


def usage(**tokens: Any) -> bytes:
    """The record with usage that ends a stream."""
    return event({"choices": [], "usage": tokens})


STOP = delta(None, "stop")


class Read(NamedTuple):
    """What came out of a decoder."""

    text: str
    reasoning: str
    calls: tuple[ToolCall, ...]
    finish: FinishReason | None
    usage: Usage | None
    failure: ProviderError | None
    events: list[ModelEvent]


def read(body: bytes, cuts: Iterable[int] = (), *, limit: int = MAX_ANSWER) -> Read:
    """Decode a body that arrives cut at these places."""
    decoder = WireDecoder(OpenAIChatAnswer(ANY_SERVER, "sk-SENTINEL"), secret="sk-SENTINEL", limit=limit)
    events: list[ModelEvent] = []
    start = 0
    for end in (*cuts, len(body)):
        if not decoder.done:
            events += decoder.feed(body[start:end])
        start = end
    events += decoder.close()
    return summary(events, decoder.failure)


def summary(events: list[ModelEvent], failure: ProviderError | None = None) -> Read:
    """The events, put together."""
    ends = [item for item in events if isinstance(item, ModelEnd)]
    end = ends[0] if ends else None
    assembler = ToolCallAssembler()
    for item in events:
        if isinstance(item, ToolCallDelta):
            assembler.add(item)
    return Read(
        text="".join(item.text for item in events if isinstance(item, TextDelta)),
        reasoning="".join(item.text for item in events if isinstance(item, ReasoningDelta)),
        calls=assembler.finish(cut=end.finish_reason == "length") if end else (),
        finish=end.finish_reason if end else None,
        usage=end.usage if end else failure.usage if failure else None,
        failure=failure,
        events=events,
    )
