"""``kill -9`` in the middle of turns: no turn that has ended is lost, and none is there in part."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = 8


@pytest.mark.anyio
async def test_no_turn_that_has_ended_is_lost(tmp_path: Path) -> None:
    chance = random.Random(6)
    database = str(tmp_path / "sessions.db")
    clients = [Talker(f"s{number}") for number in range(CLIENTS)]
    for kills in range(3):
        async with server(database) as (process, port):
            async with httpx2.AsyncClient(timeout=60) as http:
                for client in clients:
                    client.check(await http.get(f"http://127.0.0.1:{port}/v1/sessions/{client.session}"))
            if kills == 2:
                break
            kill = Kill(process, after=chance.randint(100, 600))
            await asyncio.gather(*(client.talk(port, kill) for client in clients))
        # Nobody has told it to end.
        assert process.returncode == -signal.SIGKILL
    assert sum(len(client.ended) for client in clients) > CLIENTS


class Kill:
    """Kills the server when its clients have got so many records."""

    def __init__(self, process: asyncio.subprocess.Process, *, after: int) -> None:
        self._process = process
        self._left = after

    def count(self) -> None:
        self._left -= 1
        if self._left == 0:
            self._process.kill()


class Talker:
    """A client with a session of its own."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.ended: list[str] = []
        self._tried = 0
        self._last = ""

    async def talk(self, port: int, kill: Kill) -> None:
        """Run one turn after the other until the server is gone."""
        async with httpx2.AsyncClient(timeout=60) as http:
            while True:
                self._tried += 1
                self._last = f"turn {self._tried} of {self.session}"
                try:
                    await self._turn(http, port, kill)
                except httpx2.TransportError:
                    return

    async def _turn(self, http: httpx2.AsyncClient, port: int, kill: Kill) -> None:
        body = {"input": self._last, "session": self.session}
        async with http.stream("POST", f"http://127.0.0.1:{port}/v1/chat/stream", json=body) as answer:
            assert answer.status_code == 200
            async for line in answer.aiter_lines():
                if line.startswith("data: "):
                    record = json.loads(line[6:])
                    if record["type"] == "result":
                        self.ended.append(self._last)
                    assert record["type"] != "error"
                    kill.count()

    def check(self, answer: httpx2.Response) -> None:
        """Its session must hold the turns that it has seen to their ends, each of them whole, in order.

        The one that was running may have been saved just before the end, without its client hearing of it.
        """
        messages: list[dict[str, Any]] = answer.json()["messages"] if answer.status_code == 200 else []
        saved = [one["content"] for one in messages if one["role"] == "user"]
        if self._last and saved[len(self.ended) :] == [self._last]:
            self.ended.append(self._last)
        assert saved == self.ended
        assert [facts(one) for one in messages] == [fact for said in saved for fact in turn(said)]


def turn(said: str) -> list[Any]:
    answer = {"said": said}
    return [said, answer, said, (said, answer)]


def facts(message: dict[str, Any]) -> Any:
    if message["role"] == "assistant" and "tool_calls" in message:
        (call,) = message["tool_calls"]
        return call["arguments"]
    if message["role"] == "assistant":
        return message["content"], json.loads(message["structured"])
    return message["content"]


@asynccontextmanager
async def server(database: str) -> AsyncGenerator[tuple[asyncio.subprocess.Process, int]]:
    """A server in a process of its own, and its port."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.serve._killed_server", database),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        port = await process.stdout.readline()
        assert port, "the server did not start"
        yield process, int(port)
    finally:
        process.stdin.close()
        await process.wait()
