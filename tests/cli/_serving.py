"""A server as a process of its own, whose model waits for the test."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Any

from tests.cli._command import command, environment

MODULE = '''
import asyncio, sys
from finalturn import Agent
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions

async def go_on():
    """Wait for a line on standard input."""
    lines = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    try:
        await lines.readline()
    finally:
        transport.close()

agent = Agent(Scripted(["One", go_on, " two."], then="Hi."), sessions=InMemorySessions())
'''


class Serving:
    """The process.

    Args:
        process: it.
        connections: closes them.
    """

    def __init__(self, process: subprocess.Popen[bytes], connections: ExitStack) -> None:
        self._process = process
        self._connections = connections
        assert process.stdout is not None and process.stdin is not None
        self._stdin: IO[bytes] = process.stdin
        address = process.stdout.readline().decode()
        found = re.fullmatch(r"Open http://([0-9.]+):([0-9]+)\n", address)
        assert found is not None, address
        self.host, self.port = found[1], int(found[2])

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> HTTPResponse:
        """The answer, whose body is still to be read."""
        connection = HTTPConnection(self.host, self.port, timeout=60)
        self._connections.callback(connection.close)
        sent = None if body is None else json.dumps(body)
        connection.request(method, path, sent, {"Content-Type": "application/json", **(headers or {})})
        return self._connections.enter_context(closing(connection.getresponse()))

    def send(self, method: str, path: str, body: Any = None, **more: Any) -> tuple[int, Any]:
        """Status and JSON of an answer."""
        answer = self.ask(method, path, body, **more)
        return answer.status, json.load(answer)

    def stream(self) -> HTTPResponse:
        """A stream that waits: its first text has come."""
        answer = self.ask("POST", "/v1/chat/stream", {"input": "hi", "session": "s1"})
        assert answer.status == 200
        while b"One" not in answer.readline():
            pass
        return answer

    def go_on(self) -> None:
        """Let the model go on."""
        self._stdin.write(b"\n")
        self._stdin.flush()

    def connect(self, sent: bytes = b"", *, buffer: int | None = None) -> socket.socket:
        """A connection that has sent something; waiting for it has a bound.

        Args:
            sent: what it sends.
            buffer: bytes that its socket takes in ahead of whoever reads.
        """
        connection = socket.socket()
        self._connections.callback(connection.close)
        if buffer is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        connection.settimeout(60)
        connection.connect((self.host, self.port))
        connection.sendall(sent)
        return connection

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def signal(self, number: signal.Signals) -> None:
        """Send a signal."""
        self._process.send_signal(number)

    def log_until(self, message: str) -> list[dict[str, Any]]:
        """The log, up to a message."""
        assert self._process.stderr is not None
        found: list[dict[str, Any]] = []
        for line in self._process.stderr:
            found.append(json.loads(line))
            if found[-1]["message"] == message:
                return found
        raise AssertionError(f"the log ended without {message!r}: {found}")

    def log_to_end(self) -> list[dict[str, Any]]:
        """The rest of the log, once the process has ended."""
        assert self._process.stderr is not None
        return [json.loads(line) for line in self._process.stderr]

    def ends(self, within: float = 60) -> int:
        """The exit code, once it has ended; so many seconds at most."""
        return self._process.wait(within)


@contextmanager
def serving(
    folder: Path,
    *options: str,
    module: str = MODULE,
    ignored: str = "",
    descriptors: int | None = None,
    may_raise: bool = False,
) -> Generator[Serving, None, None]:
    """A server of the module, in a folder, on a free port.

    Args:
        folder: where it runs.
        options: those of the command.
        module: the agent's source.
        ignored: signals that it is started with, such as "INT", and does not get.
        descriptors: how many files it may have open.
        may_raise: whether it may let itself have more of them.
    """
    (folder / "held.py").write_text(module, encoding="utf-8")
    limit = "" if descriptors is None else f"ulimit {'-S' if may_raise else ''} -n {descriptors} && "
    ignore = f'trap "" {ignored}; ' if ignored else ""
    shell = ["/bin/sh", "-c", f'{ignore}{limit}exec "$@"', "sh"] if ignore or limit else []
    process = subprocess.Popen(
        [*shell, *command("serve", "held:agent", "--port", "0", *options)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=environment(),
    )
    with process, ExitStack() as connections:
        try:
            yield Serving(process, connections)
        finally:
            process.kill()


def eventually(holds: Callable[[], bool], what: str) -> None:
    """Wait until it holds; a minute at most."""
    end = monotonic() + 60
    while not holds():
        assert monotonic() < end, what
        sleep(0.05)


def open_files(pid: int) -> int:
    """How many files a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))
