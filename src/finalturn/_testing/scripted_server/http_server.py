"""The HTTP side of a scripted server: accepts, parses, hands over."""

from __future__ import annotations

import selectors
import socket
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer, ThreadingMixIn
from typing import Any, cast

from finalturn._core.errors import ProviderError
from finalturn._core.result import Usage
from finalturn._providers.scripted.script import Script
from finalturn._testing.scripted_server.chat_wire import error_body
from finalturn._testing.scripted_server.items import HttpAnswer, ReceivedRequest
from finalturn._testing.scripted_server.player import Player
from finalturn._testing.scripted_server.sinks import write_answer
from finalturn._testing.scripted_server.state import ClientConnection, ClientGone, ServerState

__all__ = ["HttpServer"]


class HttpServer(ThreadingMixIn, TCPServer):
    """Listens on a free port of the loopback interface; a thread for each connection."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128
    # A client that was there a moment ago is not waited for.
    timeout = 0.0

    def __init__(self, script: Script[ReceivedRequest, Any], usage: Usage | None, state: ServerState) -> None:
        self.script = script
        self.usage = usage
        self.state = state
        self.live: dict[socket.socket, tuple[ClientConnection, threading.Thread]] = {}
        super().__init__(("127.0.0.1", 0), _Handler)
        self._bell, self._stopped = socket.socketpair()
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.server_address[1])

    def stop(self) -> None:
        """Close every connection, and wait for their threads."""
        self._bell.close()
        self._accepting.join()
        self._stopped.close()
        self.server_close()
        for connection, thread in list(self.live.values()):
            connection.close()
            thread.join()

    def _accept(self) -> None:
        # `serve_forever` would see only at its next poll that it is to end.
        with selectors.DefaultSelector() as selector:
            selector.register(self.socket, selectors.EVENT_READ)
            selector.register(self._stopped, selectors.EVENT_READ)
            while self._stopped not in [key.fileobj for key, _ in selector.select()]:
                self.handle_request()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Give the connection a thread. It is known before the thread runs, so that `stop` finds it."""
        request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
        connection = ClientConnection(request, self.state)
        thread = threading.Thread(
            target=self.process_request_thread, args=(request, client_address), daemon=True
        )
        self.live[request] = connection, thread
        thread.start()

    def shutdown_request(self, request: Any) -> None:
        """Forget the connection."""
        connection, _ = self.live[request]
        connection.lost()
        super().shutdown_request(request)
        del self.live[request]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep what went wrong in a connection's thread."""
        error = sys.exc_info()[1]
        if error is not None:
            self.state.mistake(error)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HttpServer  # pyright: ignore[reportIncompatibleVariableOverride] - no other makes one

    def handle(self) -> None:
        with suppress(ClientGone, ConnectionError):
            super().handle()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""

    def do_GET(self) -> None:
        models = {"object": "list", "data": [{"id": "scripted", "object": "model"}]}
        is_models_path = self.path.partition("?")[0] == "/v1/models"
        write_answer(
            self._connection, HttpAnswer(200, models) if is_models_path else _failure(404, "no such path")
        )

    def do_POST(self) -> None:
        body = self._body()
        if self.path.partition("?")[0] != "/v1/chat/completions":
            write_answer(self._connection, _failure(404, "no such path"))
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        connection = self._connection
        connection.begin_answer()
        try:
            lives_on = self._play(ReceivedRequest(self.command, self.path, headers, body))
        except ClientGone:
            raise
        except BaseException as error:
            # The script's own mistake, which the test is told of at its end.
            self.server.state.mistake(error)
            lives_on = False
        if not lives_on:
            self.close_connection = True
            connection.close()

    def _play(self, request: ReceivedRequest) -> bool:
        server = self.server
        try:
            number, answer = server.script.take(request)
        except AssertionError as error:
            server.state.mistake(error)
            write_answer(self._connection, _failure(400, str(error)))
            return True
        finally:
            with server.state.changed:
                server.state.changed.notify_all()
        player = Player(self._connection, server.state, _request_object(request), number)
        return player.play(answer(request) if callable(answer) else answer, server.usage)

    @property
    def _connection(self) -> ClientConnection:
        return self.server.live[cast(socket.socket, self.request)][0]

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("transfer-encoding", "").lower():
            return self.rfile.read(int(self.headers.get("content-length", 0)))
        parts: list[bytes] = []
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return b"".join(parts)


def _request_object(request: ReceivedRequest) -> Mapping[str, Any]:
    try:
        body = request.json
    except ValueError:
        return {}
    return cast("dict[str, Any]", body) if isinstance(body, dict) else {}


def _failure(status: int, message: str) -> HttpAnswer:
    return HttpAnswer(status, error_body(ProviderError(message)))
