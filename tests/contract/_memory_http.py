"""A chat-completions server without a socket: what `ScriptedServer` would send reaches a client in memory."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Any

import httpx2

from finalturn._providers.scripted.script import Script
from finalturn._testing.scripted_server.player import Player
from finalturn._testing.scripted_server.sinks import write_answer
from finalturn._testing.scripted_server.state import ClientConnection, ServerState
from finalturn.testing import HttpAnswer, ReceivedRequest


class _Sent(ClientConnection):
    """Keeps what would be sent. Nothing here can wait: what waits needs a server."""

    def __init__(self) -> None:
        self.writes: list[bytes] = []

    def begin_answer(self) -> None: ...

    def end_answer(self) -> None: ...

    def write(self, data: bytes) -> None:
        self.writes.append(data)

    def wait(self, is_done: Callable[[], bool], timeout: float | None = None) -> None:
        raise NotImplementedError("a script that waits is played by a server: Play(..., sockets=True)")


class MemoryServer(httpx2.AsyncBaseTransport):
    """The transport of a client that asks no other server.

    Args:
        calls: what the requests are answered with, as for `ScriptedServer`.
    """

    def __init__(self, *calls: Any) -> None:
        self._script: Script[ReceivedRequest, Any] = Script(calls, None)
        self._state = ServerState()

    @property
    def requests(self) -> list[ReceivedRequest]:
        """Every request so far."""
        return self._script.requests

    def check(self) -> None:
        """Raise what the script itself did wrong."""
        if self._state.mistakes:
            raise self._state.mistakes[0]

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        received = ReceivedRequest(request.method, request.url.path, dict(request.headers), request.content)
        sent = _Sent()
        try:
            number, answer = self._script.take(received)
            if callable(answer):
                answer = answer(received)
            lives_on = Player(sent, self._state, received.json, number).play(answer, None)
        except BaseException as error:
            self._state.mistake(error)
            write_answer(sent, HttpAnswer(400, str(error)))
            lives_on = True
        return _response(sent.writes, whole=lives_on)


def _response(writes: list[bytes], *, whole: bool) -> httpx2.Response:
    if not writes:
        raise httpx2.RemoteProtocolError("Server disconnected without sending a response.")
    head, _, first = writes[0].partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    headers = [(name, value) for name, _, value in (line.partition(": ") for line in lines)]
    chunked = ("transfer-encoding", "chunked") in headers
    pieces = [first, *writes[1:]]
    body = _Body([b"".join(_chunks(piece)) for piece in pieces] if chunked else pieces, whole=whole)
    return httpx2.Response(int(status.split()[1]), headers=headers, stream=body)


def _chunks(data: bytes) -> Iterator[bytes]:
    """The content of a piece of a chunked body (RFC 9112, section 7.1)."""
    while data:
        size, _, rest = data.partition(b"\r\n")
        length = int(size, 16)
        yield rest[:length]
        data = rest[length + 2 :]


class _Body(httpx2.AsyncByteStream):
    def __init__(self, pieces: list[bytes], *, whole: bool) -> None:
        self._pieces = pieces
        self._whole = whole

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        for piece in self._pieces:
            if piece:
                yield piece
        if not self._whole:
            raise httpx2.RemoteProtocolError("peer closed connection without sending complete message body")
