"""What a client does to a server that runs: it is silent or slow, or sends too much of what is no body."""

from __future__ import annotations

import json
import socket
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli._serving import Serving, eventually, open_files, serving

pytestmark = pytest.mark.processes

QUICK = ("--request-timeout", "0.5", "--stall-timeout", "0.5")
HEAD = b"POST /v1/chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
GET = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"

BIG = """
from finalturn import Agent
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions

agent = Agent(Scripted(then=["x" * 1_000_000] * 12), sessions=InMemorySessions())
"""


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Generator[Serving]:
    """A server that no test disturbs."""
    with serving(tmp_path_factory.mktemp("usual")) as server:
        yield server


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Generator[Serving]:
    """One that waits half a second for a request."""
    with serving(tmp_path_factory.mktemp("quick"), *QUICK) as server:
        yield server


def to_end(connection: socket.socket) -> bytes:
    """What comes until the server closes the connection."""
    found = b""
    with suppress(ConnectionResetError):
        while part := connection.recv(65_536):
            found += part
    return found


def is_well(server: Serving) -> None:
    assert server.send("GET", "/health") == (200, {"status": "ok"})


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (b"", b""),
        (b"GET /hea", b"HTTP/1.1 408 "),
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-A: 1\r\n", b"HTTP/1.1 408 "),
        (HEAD + b"Content-Length: 100\r\n\r\n{", b"HTTP/1.1 408 "),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{", b"HTTP/1.1 408 "),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\nX-Trailer: ", b"HTTP/1.1 408 "),
        # The first request is answered, the second does not come.
        (GET + b"GET /hea", b"HTTP/1.1 200 "),
        (GET + HEAD + b"Content-Length: 100\r\n\r\n{", b"HTTP/1.1 200 "),
    ],
)
def test_who_does_not_send_a_request_in_time_is_shown_out(quick: Serving, sent: bytes, answer: bytes) -> None:
    assert to_end(quick.connect(sent)).startswith(answer)


def test_a_body_that_comes_byte_by_byte_is_too_late(quick: Serving) -> None:
    connection = quick.connect(HEAD + b"Content-Length: 1000000\r\n\r\n")
    connection.settimeout(0.05)
    found = b""
    with suppress(ConnectionError):
        for _ in range(1_000):
            connection.sendall(b" ")
            with suppress(TimeoutError):
                found = connection.recv(65_536)
                break
        else:
            raise AssertionError("it is read for ever")
    assert found.startswith(b"HTTP/1.1 408 ") or not found
    is_well(quick)


def test_an_answer_that_takes_long_is_no_late_request(tmp_path: Path) -> None:
    with serving(tmp_path, *QUICK, "--heartbeat", "0.2") as server:
        stream = server.stream()
        # Ten comments and the blank lines after them, which outlast what a request may take.
        assert {stream.readline() for _ in range(20)} <= {b": keep-alive\n", b"\n"}
        server.go_on()
        assert b'"type":"result"' in stream.read()


def _headers(count: int) -> bytes:
    return b"".join(b"X%d: 1\r\n" % number for number in range(count))


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (
            b"GET / HTTP/1.1\r\nHost: a\r\n" + _headers(10_000) + b"\r\n",
            431,
        ),
        (b"GET / HTTP/1.1\r\nHost: a\r\n" + _headers(200) + b"\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: a\r\n" + _headers(200), 431),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 70_000, 431),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b" " * 70_000 + b"\r\n\r\n", 431),
        (b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        (b"GET /" + b"x" * 70_000, 414),
        (b"GET /\r\nHost: a\r\n\r\n", 400),
    ],
)
def test_a_head_beyond_its_limits_is_refused(usual: Serving, sent: bytes, status: int) -> None:
    assert to_end(usual.connect(sent)).startswith(b"HTTP/1.1 %d " % status)
    is_well(usual)


def test_what_stands_around_a_body_has_limits_too(usual: Serving) -> None:
    chunked = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    trailers = b"".join(b"X%d: 1\r\n" % n for n in range(1_000))
    for sent in (
        chunked + b"1\r\n{\r\n0\r\n" + trailers + b"\r\n",
        chunked + b"1;" + b"x" * 2_000_000,
        chunked + (b"1;" + b"x" * 10_000 + b"\r\n{\r\n") * 100,
    ):
        connection = usual.connect()
        with suppress(ConnectionError):
            connection.sendall(sent)
        assert to_end(connection)[:13] in (b"HTTP/1.1 431 ", b"HTTP/1.1 400 ", b"")
    # Small chunks are no attack.
    body = json.dumps({"input": "hi" * 2_000}).encode()
    usual.go_on()
    connection = usual.connect(chunked + b"".join(b"1\r\n%c\r\n" % one for one in body) + b"0\r\n\r\n")
    assert connection.recv(13) == b"HTTP/1.1 200 "


def test_an_answer_that_nobody_reads_is_not_kept(tmp_path: Path) -> None:
    ask = json.dumps({"input": "hi"}).encode()
    with serving(tmp_path, *QUICK, module=BIG) as server:
        assert server.send("POST", "/v1/chat", {"input": "hi", "session": "s"})[0] == 200
        before = open_files(server.pid)
        whole = HEAD + b"Content-Length: %d\r\n\r\n" % len(ask) + ask
        read = b"GET /v1/sessions/s HTTP/1.1\r\nHost: localhost\r\n\r\n"
        document = read.replace(b"/v1/sessions/s", b"/openapi.json")
        stream = whole.replace(b"/v1/chat ", b"/v1/chat/stream ")
        for sent in (whole, read, stream, document * 200, read * 20):
            connection = server.connect(buffer=4096)
            connection.settimeout(2)
            with suppress(TimeoutError, ConnectionError):
                connection.sendall(sent)
        eventually(lambda: open_files(server.pid) <= before, "they are kept")
        is_well(server)
