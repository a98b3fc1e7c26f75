"""A PostgreSQL server of our own, from Debian's package."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import pytest

REQUIRED = os.environ.get("FINALTURN_POSTGRES") == "required"

_BINARIES = "/usr/lib/postgresql"


@contextmanager
def postgres_server() -> Generator[Server]:
    """A server on a free port of the loopback, which trusts everybody on this machine."""
    binaries = max(Path(_BINARIES).glob("*/bin"), key=lambda path: int(path.parent.name), default=None)
    if binaries is None:
        pytest.fail(f"there is no PostgreSQL in {_BINARIES} (Debian: apt-get install postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="finalturn-postgres-"))
    # It refuses to run as root.
    user = "postgres" if os.geteuid() == 0 else None
    if user is not None:
        shutil.chown(folder, user)
    data, port = str(folder / "data"), _free_port()
    # A language that does not sort as ASCII does.
    language = ["--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"]
    options = ["-p", str(port), "-c", "listen_addresses=127.0.0.1", "-k", str(folder), "-c", "fsync=off"]
    try:
        made = subprocess.run(
            [binaries / "initdb", "-D", data, "-A", "trust", "-U", "postgres", *language],
            user=user, cwd=folder, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        assert made.returncode == 0, made.stdout + made.stderr
        with subprocess.Popen(
            [binaries / "postgres", "-D", data, *options],
            user=user, cwd=folder, stderr=subprocess.PIPE, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"},
        ) as server:  # fmt: skip
            assert server.stderr is not None
            said: list[str] = []
            for line in server.stderr:
                said.append(line)
                if "ready to accept connections" in line:
                    break
            else:
                pytest.fail("PostgreSQL does not start:\n" + "".join(said))
            # It must not wait for a reader.
            threading.Thread(target=server.stderr.read, daemon=True).start()
            try:
                yield Server(port, server.pid)
            finally:
                # An immediate shutdown.
                server.send_signal(signal.SIGQUIT)
                server.wait(60)
    finally:
        shutil.rmtree(folder)


class Server:
    """A running server."""

    def __init__(self, port: int, pid: int) -> None:
        self.port = port
        self._pid = pid
        self._numbers = count(1)

    @contextmanager
    def frozen(self) -> Generator[None]:
        """It is there, takes connections, and answers nothing: every process of it stands still."""
        # The first of them alone makes others.
        stopped = [self._pid]
        os.kill(self._pid, signal.SIGSTOP)
        children = Path(f"/proc/{self._pid}/task/{self._pid}/children").read_text(encoding="ascii")
        try:
            for child in map(int, children.split()):
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGSTOP)
                    stopped.append(child)
            yield
        finally:
            for process in reversed(stopped):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGCONT)

    def new_database(self, options: str) -> str:
        """The URL of a database of its own."""
        name = f"test_{next(self._numbers)}"
        self._execute(f"CREATE DATABASE {name} {options}")
        return self.url(name)

    def new_schema(self) -> str:
        """The URL of a namespace with nothing in it. A database would be some hundred files."""
        name = f"test_{next(self._numbers)}"
        self._execute(f"CREATE SCHEMA {name}")
        return self.url(f"postgres?options=-csearch_path%3D{name}")

    def _execute(self, statement: str) -> None:
        import psycopg

        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    def url(self, name: str) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/{name}"


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port
