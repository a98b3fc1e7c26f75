"""The server as a process of its own, whose CPU time is not counted."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import httpx2
from pydantic_core import from_json


@contextmanager
def serving() -> Generator[str]:
    """A server's address, while the block runs."""
    command = [sys.executable, "-m", "tools.bench._server"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    try:
        port = process.stdout.readline().strip()
        if not port:
            raise RuntimeError("the benchmark's server did not start")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


async def sent(client: httpx2.AsyncClient, url: str) -> list[dict[str, Any]]:
    """The bodies of the requests that a script has been sent in its last round."""
    response = await client.get(f"{url}/chat/completions")
    found: list[dict[str, Any]] = from_json(response.content)
    return found
