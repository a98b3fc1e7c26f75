"""A server in a thread, and Schemathesis, which attacks it from a process of its own."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import threading
from collections import Counter
from collections.abc import Generator, Iterable, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

FOLDER = Path(__file__).parent


class Seen:
    """ASGI middleware that counts what was answered to what.

    Args:
        app: what answers.
        paths: as the document writes them.
    """

    def __init__(self, app: ASGIApp, paths: Iterable[str]) -> None:
        self._app = app
        self._paths = [(path, re.compile(re.sub(r"\{\w+\}", "[^/]+", path))) for path in paths]
        self.answers: Counter[tuple[str, str, int]] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def count(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                path = next((name for name, one in self._paths if one.fullmatch(scope["path"])), "")
                self.answers[scope["method"], path, message["status"]] += 1
            await send(message)

        await self._app(scope, receive, count if scope["type"] == "http" else send)


@contextmanager
def served(app: ASGIApp) -> Generator[str]:
    """A server's address, while the block runs."""
    # With its protocol named, asyncio sends small pieces at once (TCP_NODELAY), as for a server of its own.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    # Requests that are no HTTP are refused by the server itself, with a warning in its log.
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        # Connections wait in the listener until the server takes them.
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def attack(command: str, url: str, *more: str, folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run all phases with all checks, the same each time.

    Args:
        command: Schemathesis.
        url: of the server.
        *more: further arguments.
        folder: for what it writes.
        **env: of its environment.
    """
    return subprocess.run(
        [command, "--config-file", FOLDER / "schemathesis.toml", "run", f"{url}/openapi.json", *more],
        cwd=folder,
        env={**os.environ, "SCHEMATHESIS_HOOKS": str(FOLDER / "_hooks.py"), "NO_COLOR": "1", **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
