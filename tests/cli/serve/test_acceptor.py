"""What many clients do to a server that runs: they are silent, and there are more than it has room for."""

from __future__ import annotations

import asyncio
import errno
import json
import signal
import socket
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import NoReturn
from unittest.mock import patch

import pytest
from uvicorn.server import ServerState

from finalturn._cli.serve.acceptor import Acceptor
from finalturn._cli.serve.connection import Patience
from tests.cli._serving import Serving, eventually, open_files, serving

pytestmark = pytest.mark.processes

BIG = """
from finalturn import Agent
from finalturn.providers import Scripted

agent = Agent(Scripted(then="x" * 1_000_000))
"""


def silent(server: Serving, count: int) -> list[socket.socket]:
    """Connections of which each second has sent half a head; those that are refused count, too."""
    found: list[socket.socket] = []
    for number in range(count):
        with suppress(ConnectionError):
            found.append(server.connect(b"GET / HTTP/1.1\r\n" if number % 2 else b""))
    return found


def test_silent_connections_take_no_place_from_honest_ones(tmp_path: Path) -> None:
    with serving(tmp_path, "--max-connections", "20") as server:
        stream = server.stream()
        kept = silent(server, 100)
        # At first they are all young, and then they make room.

        def answered() -> bool:
            nonlocal kept
            with suppress(OSError, HTTPException):
                answer = server.ask("GET", "/health")
                if answer.status == 200:
                    return True
                assert (answer.status, answer.getheader("Retry-After")) == (503, "1")
                assert json.load(answer)["code"] == "overloaded"
            # A silent one that comes later is not older.
            kept += silent(server, 1)
            return False

        eventually(answered, "nobody makes room")
        server.go_on()
        assert b'"type":"result"' in stream.read()


def test_at_the_limit_of_descriptors_it_neither_spins_nor_fails(tmp_path: Path) -> None:
    with serving(tmp_path, "--sessions", "kept.db", module=BIG, descriptors=256) as server:
        kept = silent(server, 400)
        assert kept
        assert open_files(server.pid) < 200

        def answered() -> bool:
            with suppress(OSError, HTTPException):
                status, _ = server.send("POST", "/v1/chat", {"input": "hi", "session": "s"})
                assert status in (200, 503)
                return status == 200
            return False

        eventually(answered, "nobody makes room")
        server.signal(signal.SIGTERM)
        assert server.ends() == 0
        log = server.log_to_end()
        full = [one for one in log if one["message"].startswith("there are too many connections")]
        assert len(full) == 1 and len(log) < 60


async def accepting(error: OSError) -> int:
    """How often a listener is asked for a connection that always fails, while others have some turns."""
    asked = 0

    async def fails(listener: socket.socket) -> NoReturn:
        nonlocal asked
        asked += 1
        raise error

    with socket.create_server(("127.0.0.1", 0)) as listener:
        acceptor = Acceptor(
            listener,
            lambda: pytest.fail("nobody has come"),
            ServerState(),
            most=9,
            patience=Patience(9.0, 9.0),
        )
        with patch.object(asyncio.get_running_loop(), "sock_accept", fails):
            acceptor.open()
            for _ in range(20):
                await asyncio.sleep(0)
            await acceptor.close()
    return asked


@pytest.mark.parametrize("number", [errno.ECONNABORTED, errno.EBADF, errno.EMFILE])
def test_an_error_that_stays_takes_no_turn_from_others(number: int) -> None:
    assert asyncio.run(accepting(OSError(number, "no"))) == 1
