"""Where the measuring is done: the server, the plainest client, and the other libraries."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import httpx2
from pydantic_core import from_json, to_json

from tools.bench.peers import LIBRARIES, Run, Show

ROOT = Path(__file__).resolve().parents[2]
_HEADERS = {"Content-Type": "application/json", "Accept": "text/event-stream"}


async def read_by_hand(
    client: httpx2.AsyncClient,
    url: str,
    body: dict[str, Any],
    show: Show,
    call: Show | None = None,
) -> None:
    """Read a streamed answer with httpx2, its lines, and JSON: what finalturn is measured by.

    Args:
        client: sends it.
        url: the address before ``/chat/completions``.
        body: what is sent.
        show: is given each piece of text.
        call: is given each piece of a tool call's arguments, where there may be one.
    """
    content = to_json(body)
    async with client.stream(
        "POST", f"{url}/chat/completions", content=content, headers=_HEADERS
    ) as response:
        async for line in response.aiter_lines():
            if line.startswith("data: ") and line != "data: [DONE]":
                for choice in from_json(line[6:])["choices"]:
                    delta = choice["delta"]
                    if text := delta.get("content"):
                        show(text)
                    if call is not None:
                        for part in delta.get("tool_calls") or ():
                            call(part["function"]["arguments"])


class Peer:
    """Another library, which is asked for work line by line.

    Attributes:
        name: its package and version.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.name: str = self._answer()["name"]

    def run(self, work: str, url: str, given: Mapping[str, Any]) -> Run:
        """Its way to do a piece of work."""
        line = json.dumps({"work": work, "url": url, "given": given})

        async def asked() -> tuple[float, Any]:
            assert self._process.stdin is not None
            print(line, file=self._process.stdin, flush=True)
            answer = self._answer()
            return answer["seconds"], answer["result"]

        return asked

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"a library's process has ended, with {self._process.wait(60)}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise RuntimeError(f"{self.name}: {answer['error']}")
        return answer


@dataclass(frozen=True)
class Site:
    """What every measurement over HTTP needs."""

    server: str
    client: httpx2.AsyncClient
    peers: Sequence[Peer] = ()

    def url(self, script: str, number: int, who: str = "agent") -> str:
        """The base URL of a script that is played for one client alone."""
        return f"{self.server}/{script}/{number}/{who}"

    async def bodies(self, url: str) -> list[dict[str, Any]]:
        """What the agent has last sent to a script: it is sent by hand as well."""
        bodies: list[dict[str, Any]] = from_json((await self.client.get(f"{url}/chat/completions")).content)
        return bodies

    def of_peers(self, work: str, script: str, number: int, given: Mapping[str, Any]) -> dict[str, Run]:
        """The other libraries' ways to do a piece of work, each with a round of the script for itself."""
        return {
            peer.name: peer.run(work, self.url(script, number, f"{work}{at}"), given)
            for at, peer in enumerate(self.peers)
        }


@contextmanager
def serving() -> Generator[str]:
    """The server's address, while the block runs. Its CPU time is not counted."""
    with started([sys.executable, "-m", "tools.bench._server"]) as process:
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        if not port:
            raise RuntimeError("the benchmark's server did not start")
        yield f"http://127.0.0.1:{port}"


@contextmanager
def peers(folder: Path | None) -> Generator[Sequence[Peer]]:
    """The other libraries, while the block runs: each has an environment in the folder."""
    with ExitStack() as stack:
        found = []
        for name in LIBRARIES if folder is not None else ():
            assert folder is not None
            command = [str(folder / name / "bin" / "python"), "-W", "ignore", "-m", "tools.bench.peers", name]
            # Its environment alone: no settings or keys of this machine.
            found.append(Peer(stack.enter_context(started(command, {"PATH": "/usr/bin:/bin"}))))
        yield found


@contextmanager
def started(
    command: Sequence[str], environment: dict[str, str] | None = None, log: IO[str] | None = None
) -> Generator[subprocess.Popen[str]]:
    """A process of the benchmark, which is asked to end when the block does; its errors go to the log."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=log, text=True, cwd=ROOT, env=environment
    ) as process:
        assert process.stdin is not None
        try:
            yield process
        finally:
            process.stdin.close()
            process.terminate()
            process.wait(60)
