"""A connection without a server, and the client's end of it."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from http.client import HTTPResponse

from finalturn._testing.scripted_server.state import Connection, State


@dataclass
class Received:
    """A response, as a client parses it."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass
class Peer:
    client: socket.socket
    server: socket.socket
    state: State = field(default_factory=State)

    def __post_init__(self) -> None:
        self.client.settimeout(10)
        self.connection = Connection(self.server, self.state)

    def response(self) -> Received:
        """The next response, to its end."""
        with HTTPResponse(self.client) as response:
            response.begin()
            headers = {name.lower(): value for name, value in response.getheaders()}
            return Received(response.status, headers, response.read())

    def rest(self) -> bytes:
        """Every byte that was sent and not read yet; it ends the connection."""
        self.connection.close()
        parts: list[bytes] = []
        while part := self.client.recv(65536):
            parts.append(part)
        return b"".join(parts)
