"""A vendor on this machine: it answers requests in their order, in the words of its wire."""

from __future__ import annotations

import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import NamedTuple, Self

from finalturn._core.errors import ProviderError
from finalturn.testing import ScriptedAnswer


class UnsayableError(Exception):
    """The wire has no words for the answer; its text says why."""


class Received(NamedTuple):
    """A request."""

    target: str
    headers: dict[str, str]
    body: str


class Whole(NamedTuple):
    """A response that is sent in one piece."""

    status: int
    body: bytes
    headers: tuple[str, ...] = ("Content-Type: application/json",)


class Wire(ABC):
    """How a vendor writes its answers, as its documentation says it."""

    content_type = "text/event-stream"

    @abstractmethod
    def streams(self, request: Received) -> bool:
        """Whether the request asks for a stream."""

    @abstractmethod
    def stream(self, answer: ScriptedAnswer, request: Received) -> Iterator[bytes]:
        """The records of a stream. One that is cut, or that fails, has no end."""

    @abstractmethod
    def document(self, answer: ScriptedAnswer, request: Received) -> bytes:
        """The body of a whole answer, which ends well."""

    @abstractmethod
    def refusal(self, error: ProviderError) -> Whole:
        """The response to a request that is refused."""


class Vendor:
    """Listens on a free port of the loopback interface; a thread for each connection.

    Attributes:
        received: the requests, in order.
        unsayable: what the wire had no words for.
    """

    def __init__(self, wire: Wire, calls: Sequence[ScriptedAnswer]) -> None:
        self.received: list[Received] = []
        self.unsayable: str | None = None
        self._wire = wire
        self._calls = calls
        self._left = 0
        self._asked_too_often = False
        self._stopping = False
        self._changed = threading.Condition()
        self._connections: list[tuple[socket.socket, threading.Thread]] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._accepting = threading.Thread(target=self._accept, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def is_left(self) -> bool:
        """Wait until a client has left in the middle of an answer."""
        with self._changed:
            return self._changed.wait_for(lambda: self._left > 0, 5.0)

    def __enter__(self) -> Self:
        self._accepting.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping = True
        # Whoever waits for a client gets one.
        socket.create_connection(self._listener.getsockname()).close()
        self._accepting.join()
        self._listener.close()
        for client, thread in self._connections:
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
            thread.join()
            client.close()
        if error is None and self._asked_too_often:
            raise AssertionError("there were more requests than answers")

    def _accept(self) -> None:
        while True:
            client, _ = self._listener.accept()
            if self._stopping:
                client.close()
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
            thread = threading.Thread(target=self._serve, args=(client,), daemon=True)
            self._connections.append((client, thread))
            thread.start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError), client.makefile("rb") as reader:
            while (line := reader.readline()).strip():
                headers: dict[str, str] = {}
                while pair := reader.readline().decode("latin-1").strip():
                    name, _, value = pair.partition(":")
                    headers[name.lower()] = value.strip()
                body = reader.read(int(headers.get("content-length", "0"))).decode()
                request = Received(line.split()[1].decode(), headers, body)
                with self._changed:
                    number = len(self.received)
                    self.received.append(request)
                if number >= len(self._calls):
                    self._asked_too_often = True
                elif self._answer(client, request, self._calls[number]):
                    continue
                break
            client.shutdown(socket.SHUT_RDWR)

    def _answer(self, client: socket.socket, request: Received, answer: ScriptedAnswer) -> bool:
        """Answer, and tell whether the connection lives on."""
        try:
            if answer.error is not None and (not answer.events or not self._wire.streams(request)):
                client.sendall(_written(self._wire.refusal(answer.error)))
            elif self._wire.streams(request):
                self._stream(client, request, answer)
            elif answer.cut:
                return False
            else:
                client.sendall(_written(Whole(200, self._wire.document(answer, request))))
        except UnsayableError as error:
            self.unsayable = str(error)
            return False
        return True

    def _stream(self, client: socket.socket, request: Received, answer: ScriptedAnswer) -> None:
        kind = f"Content-Type: {self._wire.content_type}"
        head = f"HTTP/1.1 200 OK\r\n{kind}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        try:
            for record in self._wire.stream(answer, request):
                client.sendall(head + b"%x\r\n%s\r\n" % (len(record), record))
                head = b""
        except OSError:
            with self._changed:
                self._left += 1
                self._changed.notify_all()
            raise
        # What lacks its end is not told by the end of the body: that one comes in good order.
        client.sendall(head + b"0\r\n\r\n")


def _written(response: Whole) -> bytes:
    lines = (f"HTTP/1.1 {response.status} Said", *response.headers, f"Content-Length: {len(response.body)}")
    return "".join(f"{line}\r\n" for line in lines).encode("latin-1") + b"\r\n" + response.body
