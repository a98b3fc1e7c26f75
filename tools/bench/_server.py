"""``python -m tools.bench._server``: a loopback server that plays rendered answers, until its input ends.

``POST /SCRIPT/NUMBER/WHO/chat/completions`` gives the next answer of a script, in turn and for ever; ``GET``
of the same path gives the requests of the last round of it, as a JSON array. Who asks has a round of its own.
The answers are chat completions as servers stream them.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
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


# --- the server -------------------------------------------------------------------------------------------


def turn(number: int) -> list[list[bytes]]:
    """A whole turn: a tool call, so many deltas of text, the object."""
    answer = [TICKET[at : at + 5] for at in range(0, len(TICKET), 5)]
    return [
        call_answer("lookup_order", '{"order_id": "A-1042"}'),
        text_answer(prose(number)),
        text_answer(answer),
    ]


PAUSES = {"prose": None, "paced": 0.001, "woven": 0.0, "turn": None}
"""Seconds before each record of a script. None: all at once. Zero: other streams come between two records."""


class Script:
    """Answers in turn, and the requests for them."""

    def __init__(self, name: str, number: int, who: str) -> None:
        self._answers = turn(number) if name == "turn" else [text_answer(prose(number))]
        self._pause = PAUSES[name]
        self._requests: list[bytes] = []

    async def answer(self, request: bytes, writer: asyncio.StreamWriter) -> None:
        """Give the next answer."""
        if len(self._requests) == len(self._answers):
            self._requests.clear()
        self._requests.append(request)
        chunks = self._answers[len(self._requests) - 1]
        if self._pause is not None:
            writer.write(HEAD)
            for chunk in chunks:
                await asyncio.sleep(self._pause)
                writer.write(chunk)
        else:
            writer.write(b"".join((HEAD, *chunks)))
        await writer.drain()

    def requests(self) -> bytes:
        """The last requests, as a response."""
        body = b"[%b]" % b",".join(self._requests)
        return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)


script = cache(Script)


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One connection, kept alive."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            method, path, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
            _, name, number, who, *_ = path.split("/")
            played = script(name, int(number), who)
            if method == "GET":
                writer.write(played.requests())
            else:
                await played.answer(await reader.readexactly(_length(head)), writer)
    except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
        pass
    finally:
        writer.close()


def _length(head: bytes) -> int:
    return int(head.lower().split(b"\r\ncontent-length:", 1)[1].split(b"\r\n", 1)[0])


async def main() -> None:
    """Serve on a free port, and say which."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 26)
    print(server.sockets[0].getsockname()[1], flush=True)
    # A parent that is gone, however it went, has closed this.
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
