"""How many connections there is room for."""

from __future__ import annotations

import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

from finalturn._cli.serve.descriptors import connections_for, raise_descriptors
from tests.cli._command import environment
from tests.cli._serving import Serving, serving

pytestmark = pytest.mark.processes

needs_limits = pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")


def test_half_of_the_descriptors_are_for_connections() -> None:
    assert connections_for(1024, 10_000) == 464
    assert connections_for(65_536, 10_000) == 10_000
    assert connections_for(1024, 5) == 5
    assert connections_for(10, 10_000) == 1


@needs_limits
def test_the_limit_is_raised_as_far_as_allowed() -> None:
    code = (
        "import resource as r; from finalturn._cli.serve.descriptors import raise_descriptors as up;"
        "r.setrlimit(r.RLIMIT_NOFILE, (100, 300)); assert up() == up() == 300;"
        "assert r.getrlimit(r.RLIMIT_NOFILE) == (300, 300)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=environment(), timeout=60)
    assert raise_descriptors() >= 256


DESCRIPTORS = 256
MANY = 300
WAITING = """
import asyncio, sys
from functools import cache
from finalturn import Agent
from finalturn.providers import Scripted

@cache
def line():
    return asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)

async def go_on():
    await asyncio.shield(line())

agent = Agent(Scripted(then=["One", go_on, " two."]))
"""


@pytest.fixture
def room_for_clients() -> Generator[None]:
    """Descriptors for the clients of a test."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if raise_descriptors() < 2 * MANY:
        pytest.skip(f"the test needs {2 * MANY} open files (ulimit -Hn)")
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def begin(server: Serving, number: int) -> socket.socket:
    """A client that has asked for a stream. It may be refused before it has sent all."""
    body = b'{"input": "hi", "session": "s%d"}' % number
    head = b"POST /v1/chat/stream HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    client = server.connect()
    with suppress(ConnectionError):
        client.sendall(
            head + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        )
    return client


def read_until(client: socket.socket, end: bytes) -> bytes:
    """What comes, up to something; all of it when that does not come."""
    found = b""
    with suppress(ConnectionResetError):
        while end not in found and (part := client.recv(65_536)):
            found += part
    return found


@needs_limits
@pytest.mark.usefixtures("room_for_clients")
@pytest.mark.parametrize("may_raise", [True, False], ids=["soft", "hard"])
def test_more_streams_than_descriptors(tmp_path: Path, may_raise: bool) -> None:
    options = ("--sessions", "kept.db", "--max-runs", str(2 * MANY), "--request-timeout", "300")
    with (
        ThreadPoolExecutor(1) as pool,
        serving(tmp_path, *options, module=WAITING, descriptors=DESCRIPTORS, may_raise=may_raise) as server,
    ):
        # Its log must not wait for a reader.
        log = pool.submit(server.log_to_end)
        clients = [begin(server, number) for number in range(MANY)]
        beginnings = {client: read_until(client, b"One") for client in clients}
        streams = [client for client, found in beginnings.items() if found.startswith(b"HTTP/1.1 200 ")]
        refusals = [found for found in beginnings.values() if not found.startswith(b"HTTP/1.1 200 ")]
        if may_raise:
            assert not refusals
            assert server.send("GET", "/health") == (200, {"status": "ok"})
        else:
            assert 0 < len(streams) <= connections_for(DESCRIPTORS, 10_000)
            # A client that sends on as it is refused may lose the answer.
            assert all(found.startswith(b"HTTP/1.1 503 ") or not found for found in refusals)
            assert sum(b'"code": "overloaded"' in found for found in refusals) > 0
        server.go_on()
        assert all(b'"type":"result"' in read_until(client, b'"type":"result"') for client in streams)
        server.signal(signal.SIGTERM)
        assert server.ends() == 0
        with closing(sqlite3.connect(tmp_path / "kept.db")) as database:
            saved = database.execute("SELECT count(*) FROM finalturn_turns").fetchone()
        assert saved == (len(streams),)
        worst = [record["message"] for record in log.result(60) if record["level"] != "info"]
        assert worst == ([] if may_raise else ["there are too many connections: new ones are refused"])
