"""Messages bodies, written by hand, and what a decoder makes of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from finalturn._core.model import ModelEvent
from finalturn._providers.answers.decode import WireDecoder
from finalturn._providers.anthropic.answer import AnthropicAnswer
from finalturn._providers.blocks.replay import Prefix, replay_data
from tests.providers._wire import Read, summary

KEY = "sk-SENTINEL"
SERVER = "http://127.0.0.1:1/v1/messages"


def event(record: Any, *, name: bool = True, ascii_only: bool = True) -> bytes:
    """One record, as an event."""
    head = b"event: " + str(record["type"]).encode() + b"\n" if name else b""
    data = json.dumps(record, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    return head + b"data: " + data + b"\n\n"


def start(**usage: int) -> bytes:
    """The record that begins an answer."""
    message: dict[str, Any] = {
        "type": "message",
        "role": "assistant",
        "content": [],
        "stop_reason": None,
        "usage": usage,
    }
    return event({"type": "message_start", "message": message})


def begin(index: int | None, kind: str, **fields: Any) -> bytes:
    """A block begins."""
    return event({"type": "content_block_start", **at(index), "content_block": {"type": kind, **fields}})


def piece(index: int | None, kind: str, **fields: Any) -> bytes:
    """A piece of a block."""
    return event({"type": "content_block_delta", **at(index), "delta": {"type": kind, **fields}})


def stop(index: int | None) -> bytes:
    """A block ends."""
    return event({"type": "content_block_stop", **at(index)})


def finish(reason: Any = "end_turn", **usage: Any) -> bytes:
    """The model says why it stopped."""
    delta = {"stop_reason": reason, "stop_sequence": None}
    return event({"type": "message_delta", "delta": delta, "usage": usage})


def at(index: int | None) -> dict[str, int]:
    return {} if index is None else {"index": index}


END = event({"type": "message_stop"})
PING = event({"type": "ping"})


def text(index: int | None, *pieces: str) -> bytes:
    """A block of text."""
    deltas = b"".join(piece(index, "text_delta", text=item) for item in pieces)
    return begin(index, "text", text="") + deltas + stop(index)


def call(index: int | None, call_id: str, name: str, *pieces: str) -> bytes:
    """A call."""
    deltas = b"".join(piece(index, "input_json_delta", partial_json=item) for item in ("", *pieces))
    return begin(index, "tool_use", id=call_id, name=name, input={}) + deltas + stop(index)


def thought(index: int | None, *pieces: str, signature: str = "sig") -> bytes:
    """A thought."""
    deltas = b"".join(piece(index, "thinking_delta", thinking=item) for item in pieces)
    signed = piece(index, "signature_delta", signature=signature)
    return begin(index, "thinking", thinking="", signature="") + deltas + signed + stop(index)


def answer() -> AnthropicAnswer:
    """An answer to a request of nothing."""
    return AnthropicAnswer(KEY, lambda layout: replay_data(layout, lambda: Prefix(SERVER)))


def read(body: bytes, cuts: Iterable[int] = ()) -> Read:
    """Decode a body that arrives cut at these places."""
    decoder = WireDecoder(answer(), secret=KEY)
    events: list[ModelEvent] = []
    begun = 0
    for end in (*cuts, len(body)):
        if not decoder.done:
            events += decoder.feed(body[begun:end])
        begun = end
    events += decoder.close()
    return summary(events, decoder.failure)


def size_of(body: bytes) -> int:
    """How much of an answer a body holds."""
    found = answer()
    WireDecoder(found, secret=KEY).feed(body)
    return found.size


def layout_of(got: Read) -> list[Any]:
    """What is kept with the first call, without where it is from."""
    data = got.calls[0].provider_data or {}
    found: list[Any] = data["anthropic"]["blocks"] if data else []
    return found
