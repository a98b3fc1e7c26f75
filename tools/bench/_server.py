"""``python -m tools.bench._server``: a loopback server that plays rendered answers, until its input ends.

``POST /SCRIPT/NUMBER/WHO/chat/completions`` gives the next answer of a script, in turn and for ever; ``GET``
of the same path gives the requests of the last round of it, as a JSON array. Who asks has a round of its own.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from functools import cache

from tools.bench._wire import HEAD, TICKET, call_answer, prose, text_answer

PAUSE = 0.001
"""Seconds before each record of a paced answer."""


def turn(number: int) -> list[list[bytes]]:
    """A whole turn: a tool call, so many deltas of text, the object."""
    answer = [TICKET[at : at + 5] for at in range(0, len(TICKET), 5)]
    return [
        call_answer("lookup_order", '{"order_id": "A-1042"}'),
        text_answer(prose(number)),
        text_answer(answer),
    ]


SCRIPTS: dict[str, Callable[[int], list[list[bytes]]]] = {
    "prose": lambda number: [text_answer(prose(number))],
    "paced": lambda number: [text_answer(prose(number))],
    "woven": lambda number: [text_answer(prose(number))],
    "turn": turn,
}


class Script:
    """Answers in turn, and the requests for them."""

    def __init__(self, name: str, number: int, who: str) -> None:
        self._answers = SCRIPTS[name](number)
        # None: all at once. Zero: other streams come between two records.
        self._pause = {"paced": PAUSE, "woven": 0.0}.get(name)
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
