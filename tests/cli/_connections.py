"""Raw connections to a served process."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from time import monotonic, sleep

from tests.cli._serving import Serving

QUICK = ("--request-timeout", "0.5", "--stall-timeout", "0.5")
HEAD = b"POST /v1/chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
GET = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"

BIG = """
from finalturn import Agent
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions

agent = Agent(Scripted(then=["x" * 1_000_000] * 12), sessions=InMemorySessions())
"""


def to_end(connection: socket.socket) -> bytes:
    """What comes until the server closes the connection."""
    found = b""
    with suppress(ConnectionResetError):
        while part := connection.recv(65_536):
            found += part
    return found


def is_well(server: Serving) -> None:
    assert server.send("GET", "/health") == (200, {"status": "ok"})


def eventually(holds: Callable[[], bool], what: str) -> None:
    """Wait until it holds; a minute at most."""
    end = monotonic() + 60
    while not holds():
        assert monotonic() < end, what
        sleep(0.05)


def open_files(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))
