"""The requests that a scripted server has counted, and the connections that it holds open."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress

__all__ = ["ClientConnection", "ClientGone", "ServerState"]


class ClientGone(Exception):
    """The client has closed the connection, or the server is closing."""


class ServerState:
    """Counters that any thread may change, and wait for."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.connections = 0
        self.open_connections = 0
        self.disconnects = 0
        self.mistakes: list[BaseException] = []

    def mistake(self, error: BaseException) -> None:
        """Keep what the test's own script did wrong, for the test's end."""
        with self.changed:
            self.mistakes.append(error)
            self.changed.notify_all()

    def wait_until(self, condition: Callable[[], bool], timeout: float) -> None:
        """Wait until the condition holds; it is looked at after every change.

        Raises:
            TimeoutError: it did not.
        """
        with self.changed:
            if not self.changed.wait_for(condition, timeout):
                raise TimeoutError(
                    f"the condition did not hold within {timeout} s; the server has seen"
                    f" {self.connections} connections, of which {self.open_connections} are open, and"
                    f" {self.disconnects} clients that left during an answer"
                )


class ClientConnection:
    """One client's connection. Its thread answers; another one watches for the client to leave."""

    def __init__(self, client: socket.socket, state: ServerState) -> None:
        self._socket = client
        self._state = state
        self._answering = False
        self._open = True
        with state.changed:
            state.connections += 1
            state.open_connections += 1
            state.changed.notify_all()

    def begin_answer(self) -> None:
        """From here to `end_answer`, a client that leaves is a disconnect."""
        self._answering = True
        threading.Thread(target=self._watch, daemon=True).start()

    def end_answer(self) -> None:
        """Called just before the last bytes: a client may close as soon as it has read them."""
        self._answering = False

    def write(self, data: bytes) -> None:
        """Send bytes.

        Raises:
            ClientGone: nobody reads them.
        """
        if not self._open:
            raise ClientGone
        try:
            self._socket.sendall(data)
        except OSError:
            self.lost()
            raise ClientGone from None

    def wait(self, is_done: Callable[[], bool], timeout: float | None = None) -> None:
        """Wait until something is done, or the time is over.

        Raises:
            ClientGone: the client left first.
        """
        with self._state.changed:
            self._state.changed.wait_for(lambda: is_done() or not self._open, timeout)
            if not self._open:
                raise ClientGone

    def lost(self) -> None:
        """The connection is no more."""
        with self._state.changed:
            if self._open:
                self._open = False
                self._state.open_connections -= 1
                self._state.disconnects += self._answering
                self._state.changed.notify_all()

    def close(self) -> None:
        """End the connection from this side."""
        self.end_answer()
        self.lost()
        # Closing alone would not wake a thread that reads.
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def _watch(self) -> None:
        # Nothing is due from the client before the answer is over: what can be read then is the end of
        # the connection, or the next request, which stays for the thread that answers.
        try:
            has_left = not self._socket.recv(1, socket.MSG_PEEK)
        except OSError:
            has_left = True
        if has_left:
            self.lost()
