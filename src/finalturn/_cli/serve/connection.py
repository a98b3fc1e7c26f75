"""`PatientConnection`: one client's connection, with time limits, which refuses bad requests with a problem.

uvicorn waits for ever for a request that does not come, and for a client that does not read its answer. Here
a sweep asks each connection about once a second whether its client is late. Nothing is done for each record.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
from http import HTTPStatus
from typing import Any, NamedTuple

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from finalturn._cli.serve.parser import Parser

__all__ = ["Patience", "PatientConnection"]


class Patience(NamedTuple):
    """How long a client may take, in seconds.

    Attributes:
        request: to send a request, head and body.
        stall: to take more of an answer.
    """

    request: float
    stall: float


class PatientConnection(H11Protocol):
    """A connection; `overdue` and `quiet_for` are asked from outside."""

    def __init__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.conn: Parser = Parser()
        self._since = self.loop.time()
        # Whether a request is on its way: a new connection is there to send one.
        self._receiving = True
        self._unsent = 0
        self._taken = 0.0

    def data_received(self, data: bytes) -> None:
        """Some of a request has arrived."""
        if not self._receiving:
            self._receiving, self._since = True, self.loop.time()
        super().data_received(data)
        if self.conn.their_state not in _RECEIVING:
            self._receiving = False

    def on_response_complete(self) -> None:
        """The client may send the next request."""
        self._since = self.loop.time()
        super().on_response_complete()
        state = self.conn.their_state
        # A part of it may have come with the one before.
        self._receiving = state is h11.SEND_BODY or (state is h11.IDLE and bool(self.conn.trailing_data[0]))

    def send_400_response(self, msg: str) -> None:
        """What has arrived is no request, or one beyond a limit."""
        self._refuse(self.conn.status)

    def quiet_for(self, now: float) -> float:
        """For how many seconds it has been open without a whole head of a request; else 0."""
        return now - self._since if self.conn.their_state is h11.IDLE else 0.0

    def end_if_overdue(self, now: float, patience: Patience) -> None:
        """End it when its client is late.

        Args:
            now: the event loop's time.
            patience: how long it may take.
        """
        if self.flow.write_paused or self.transport.is_closing():
            self._end_if_stalled(now, patience.stall)
        elif self._receiving:
            if self.flow.read_paused:
                # What waits is the application.
                self._since = now
            elif now - self._since >= patience.request:
                self._too_late()

    def _end_if_stalled(self, now: float, stall: float) -> None:
        """Nothing more is written now, so that what waits gets less exactly when the client takes some."""
        unsent = self.transport.get_write_buffer_size()
        if unsent == 0:
            self._unsent = 0
        elif self._unsent == 0 or unsent < self._unsent:
            self._unsent, self._taken = unsent, now
        elif now - self._taken >= stall:
            self.drop()

    def drop(self) -> None:
        """End it at once: what its client has not read is kept by nobody, not by the system either."""
        connection = self.transport.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NOT_A_MOMENT)
        self.transport.abort()

    def _too_late(self) -> None:
        if self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]:
            # Browsers open connections that they may need, and say nothing.
            self.transport.close()
        else:
            self._refuse(408)

    def _refuse(self, status: int) -> None:
        """Answer in the place of the application, and close; without an answer where one has begun."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.drop()
            return
        phrase = HTTPStatus(status).phrase
        body = _WORDS.get(status, f"{phrase}.").encode()
        head = [
            f"HTTP/1.1 {status} {phrase}",
            "Content-Type: text/plain; charset=utf-8",
            f"Content-Length: {len(body)}",
            "Connection: close",
        ]
        # Past h11, which has its own state of what went wrong: nothing more goes through it.
        self.transport.write("\r\n".join([*head, "", ""]).encode() + body)
        self._receiving = False
        # It is None until there is a request, whatever uvicorn's annotation says.
        cycle: Any = self.cycle
        if cycle is not None and not cycle.response_complete:
            # The application waits for the rest of a body: for it, the client is gone.
            cycle.disconnected = True
            cycle.message_event.set()
        self.transport.close()


_NOT_A_MOMENT = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
_RECEIVING = (h11.IDLE, h11.SEND_BODY)
_WORDS = {
    400: "This is no HTTP request that can be read.",
    408: "The request did not arrive in time.",
    414: "The address is too long.",
    431: "The head of the request is too large.",
}
