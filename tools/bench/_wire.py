"""What the server says: chat completions as servers stream them, rendered beforehand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from typing import Any

from pydantic_core import to_json

# Text as a model writes it, and JSON as it answers with; cut into pieces about as large as tokens.
_PROSE = """Thanks for waiting - I have looked up order A-1042 for you.

It left our warehouse on Tuesday, and the carrier scanned it in Rotterdam this morning. Deliveries from
there usually take two more days, so it should be with you on Friday (21 March), before 6 pm.

- **Address**: Lange Poten 12, as you gave it
- **Parcel**: 3.2 kg, signature needed
- **Refund**: the 14.90 EUR express fee is on its way back to your card

If Friday doesn't suit you, tell me which day would; I can still change it until tomorrow noon.
"""
_STEP = (
    '{"title": "Call the carrier", "minutes": 15, "done": false, "notes": ["ask for \\"depot\\"", "be kind"]}'
)
_TOKEN = re.compile(r" ?[A-Za-z']+| ?[0-9]+|\s+|[^\sA-Za-z0-9]{1,2}")

_USAGE = {
    "prompt_tokens": 853,
    "completion_tokens": 215,
    "total_tokens": 1068,
    "prompt_tokens_details": {"cached_tokens": 512, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
}

TICKET = '{"topic": "delivery of order A-1042", "urgent": false, "days": 2}'
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def prose(count: int) -> list[str]:
    """So many pieces of running text."""
    return list(islice(cycle(_TOKEN.findall(_PROSE)), count))


def json_block(count: int) -> list[str]:
    """So many pieces of one JSON object that is not closed yet."""
    return list(islice(_json_pieces(), count))


def _json_pieces() -> Iterator[str]:
    yield from _TOKEN.findall('{"steps": [')
    while True:
        yield from _TOKEN.findall(f"\n  {_STEP},")


def text_answer(pieces: Sequence[str]) -> list[bytes]:
    """An answer that is text."""
    return _answer([{"content": piece} for piece in pieces], "stop")


def records(count: int) -> list[bytes]:
    """So many pieces of running text, each as the record that a server sends."""
    return [_record({"content": piece}) for piece in prose(count)]


def call_answer(name: str, arguments: str) -> list[bytes]:
    """An answer that calls a tool."""
    function = {"name": name, "arguments": ""}
    first = {
        "content": None,
        "tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}],
    }
    pieces = _TOKEN.findall(arguments)
    rest = [{"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in pieces]
    return _answer([first, *rest], "tool_calls")


def _answer(deltas: Sequence[dict[str, Any]], reason: str) -> list[bytes]:
    """One HTTP chunk for each record, as servers send them."""
    records = [_record({"role": "assistant", "content": "", "refusal": None}), *map(_record, deltas)]
    records.append(_record({}, reason))
    records.append(_event({**_ENVELOPE, "choices": [], "usage": _USAGE}))
    records.append(b"data: [DONE]\n\n")
    return [*(b"%x\r\n%b\r\n" % (len(record), record) for record in records), b"0\r\n\r\n"]


_ENVELOPE = {
    "id": "chatcmpl-BxQ1Zr7h2K9vYc4mNpLs8TdWuEj3F",
    "object": "chat.completion.chunk",
    "created": 1782955817,
    "model": "gpt-4o-mini-2024-07-18",
    "service_tier": "default",
    "system_fingerprint": "fp_34a54ae93c",
}


def _record(delta: dict[str, Any], reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
    return _event({**_ENVELOPE, "choices": [choice], "usage": None, "obfuscation": "Xy7Q2m"})


def _event(record: dict[str, Any]) -> bytes:
    return b"data: " + to_json(record) + b"\n\n"
