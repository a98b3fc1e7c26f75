"""Converse bodies, written by hand, and what a decoder makes of them."""

from __future__ import annotations

import json
from binascii import crc32
from collections.abc import Iterable, Mapping
from struct import pack
from typing import Any

from finalturn._core.model import ModelEvent
from finalturn._providers.bedrock.answer import BedrockAnswer
from finalturn._providers.bedrock.decode import BedrockDecoder
from finalturn._providers.blocks.replay import Prefix, replay_data
from tests.providers._wire import Read, summary

KEY = "sk-SENTINEL"
SERVER = "http://127.0.0.1:1/model/m/converse"


def frame(headers: Mapping[str, str], payload: bytes = b"") -> bytes:
    """One frame, as the specification has it: two lengths, headers, payload, each with a checksum."""
    named = b"".join(
        pack("!B", len(name)) + name.encode() + b"\7" + pack("!H", len(value.encode())) + value.encode()
        for name, value in headers.items()
    )
    return framed(named, payload)


def framed(headers: bytes, payload: bytes) -> bytes:
    """A frame with these bytes for headers."""
    prelude = pack("!II", 12 + len(headers) + len(payload) + 4, len(headers))
    message = prelude + pack("!I", crc32(prelude)) + headers + payload
    return message + pack("!I", crc32(message))


def event(name: str, record: Any = None, *, ascii_only: bool = True) -> bytes:
    """One record of a stream."""
    payload = json.dumps(record or {}, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    headers = {":event-type": name, ":content-type": "application/json", ":message-type": "event"}
    return frame(headers, payload)


def exception(name: str, **fields: Any) -> bytes:
    """The service reports an error."""
    headers = {":exception-type": name, ":content-type": "application/json", ":message-type": "exception"}
    return frame(headers, json.dumps(fields).encode())


def at(index: int | None) -> dict[str, int]:
    return {} if index is None else {"contentBlockIndex": index}


def begin(index: int | None, **start: Any) -> bytes:
    """A block begins."""
    return event("contentBlockStart", {"start": start, **at(index)})


def piece(index: int | None, **delta: Any) -> bytes:
    """A piece of a block."""
    return event("contentBlockDelta", {"delta": delta, **at(index), "p": "abc"})


def stop(index: int | None) -> bytes:
    """A block ends."""
    return event("contentBlockStop", at(index))


def finish(reason: str | None = "end_turn") -> bytes:
    """The model says why it stopped."""
    return event("messageStop", {"stopReason": reason})


def metadata(**usage: Any) -> bytes:
    """The last record."""
    return event("metadata", {"usage": usage, "metrics": {"latencyMs": 1}})


START = event("messageStart", {"role": "assistant", "p": "abc"})


def text(index: int | None, *pieces: str) -> bytes:
    """A block of text, which has no beginning."""
    return b"".join(piece(index, text=item) for item in pieces) + stop(index)


def call(index: int | None, call_id: str, name: str, *pieces: str) -> bytes:
    """A call."""
    deltas = b"".join(piece(index, toolUse={"input": item}) for item in pieces)
    return begin(index, toolUse={"toolUseId": call_id, "name": name}) + deltas + stop(index)


def thought(index: int | None, *pieces: str, signature: str = "sig") -> bytes:
    """A thought."""
    deltas = b"".join(piece(index, reasoningContent={"text": item}) for item in pieces)
    signed = piece(index, reasoningContent={"signature": signature}) if signature else b""
    return deltas + signed + stop(index)


def answer() -> BedrockAnswer:
    """An answer to a request of nothing."""
    return BedrockAnswer(KEY, lambda layout: replay_data(layout, lambda: Prefix(SERVER)))


def read(body: bytes, cuts: Iterable[int] = ()) -> Read:
    """Decode a body that arrives cut at these places."""
    decoder = BedrockDecoder(answer(), secret=KEY)
    events: list[ModelEvent] = []
    begun = 0
    for end in (*cuts, len(body)):
        if not decoder.done:
            events += decoder.feed(body[begun:end])
        begun = end
    events += decoder.close()
    return summary(events, decoder.failure)


def layout_of(got: Read) -> list[Any]:
    """What is kept with the first call, without where it is from."""
    data = got.calls[0].provider_data or {}
    found: list[Any] = data["anthropic"]["blocks"] if data else []
    return found
