"""Clients, each of which runs one turn after the other and checks every record."""

from __future__ import annotations

import asyncio
import json
import random
import socket
import time
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

import httpx2

from tools.bench.load._story import Event, Story, WrongStreamError

Kind: TypeAlias = Literal["steady", "slow", "leaving"]

SMALL = 4096
"""Bytes: what a slow reader's socket takes in ahead of it."""

_PATHS = ("tool", "tool", "tool", "fail")
_ROUGH: tuple[Kind, ...] = ("steady", "leaving", "steady", "slow", "leaving")


@dataclass(frozen=True)
class Mix:
    """Who takes part.

    Attributes:
        streams: at the same time; every third client talks in a session.
        seconds: for so long turns begin.
        pieces: of text in a turn.
        pause: seconds before each piece.
        rough: whether some read slowly, and some leave and come back.
    """

    streams: int
    seconds: float
    pieces: int
    pause: float
    rough: bool


@dataclass
class Found:
    """What was seen; the memory of the server is in bytes, and was looked at every second."""

    streams: Counter[str] = field(default_factory=Counter[str])
    records: int = 0
    resumed: int = 0
    sessions: int = 0
    seconds: float = 0.0
    most: int = 0
    wrong: list[str] = field(default_factory=list[str])
    memory: list[int] = field(default_factory=list[int])


class Load:
    """All clients of the server at an address, which is a process of this machine."""

    def __init__(self, address: str, mix: Mix, process: int) -> None:
        self._base = address
        self._mix = mix
        self._status = Path(f"/proc/{process}/status")
        self._open = 0
        self.found = Found()

    async def run(self) -> Found:
        """Let them all run, until the time is over and each has ended its turn."""
        start = time.perf_counter()
        watching = asyncio.create_task(self._watch())
        async with AsyncExitStack() as stack:
            # Each request has a connection of its own, as of a client of its own.
            limits = httpx2.Limits(max_connections=None, max_keepalive_connections=0)
            narrow = [(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)]
            self._quick, self._slow = [
                await stack.enter_async_context(
                    httpx2.AsyncClient(
                        base_url=self._base,
                        timeout=None,
                        transport=httpx2.AsyncHTTPTransport(limits=limits, socket_options=options),
                    )
                )
                for options in (None, narrow)
            ]
            group = await stack.enter_async_context(asyncio.TaskGroup())
            for number in range(self._mix.streams):
                group.create_task(self._client(number, start + self._mix.seconds))
                # They do not come all in one moment.
                await asyncio.sleep(1 / self._mix.streams)
        watching.cancel()
        self.found.seconds = time.perf_counter() - start
        return self.found

    async def _watch(self) -> None:
        """Note the memory of the server, every second."""
        while True:
            lines = self._status.read_text("ascii").splitlines()
            line = next(line for line in lines if line.startswith("VmRSS:"))
            self.found.memory.append(int(line.split()[1]) * 1024)
            await asyncio.sleep(1.0)

    async def _client(self, number: int, until: float) -> None:
        kind: Kind = _ROUGH[number % len(_ROUGH)] if self._mix.rough else "steady"
        session = f"load-{number}" if number % 3 == 0 else None
        chance = random.Random(number)
        told: list[Story] = []
        turn = 0
        while time.perf_counter() < until:
            path = "flood" if kind == "slow" else _PATHS[(number + turn) % len(_PATHS)]
            story = Story(path, number * 10_000 + turn, self._mix.pieces, self._mix.pause)
            try:
                await self._turn(kind, story, session, chance)
            except (WrongStreamError, httpx2.HTTPError, ValueError, LookupError) as error:
                self.found.wrong.append(f"{kind}, {story}: {type(error).__name__}: {error}")
                return
            self.found.streams[path] += 1
            if path != "fail":
                told.append(story)
            turn += 1
        if session is not None:
            await self._read_back(session, told)

    async def _turn(self, kind: Kind, story: Story, session: str | None, chance: random.Random) -> None:
        events: list[Event] = []
        client = self._slow if kind == "slow" else self._quick
        leave_at = chance.randint(1, self._mix.pieces) if kind == "leaving" else None
        body = {"input": story.ask(), "session": session}
        async with client.stream("POST", "/v1/chat/stream", json=body) as answer:
            self._open += 1
            self.found.most = max(self.found.most, self._open)
            try:
                await self._read(answer, events, kind, leave_at)
            finally:
                self._open -= 1
        if leave_at is not None and not _ended(events):
            # Gone for a moment, in which the turn goes on.
            await asyncio.sleep(chance.uniform(0.0, 0.5))
            target = f"/v1/chat/stream/{events[0][1]['run_id']}"
            query, headers = {"session": session} if session else {}, {"Last-Event-ID": str(len(events))}
            async with client.stream("GET", target, params=query, headers=headers) as answer:
                self.found.resumed += 1
                await self._read(answer, events, kind, None)
        story.check(events, session)
        self.found.records += len(events)

    async def _read(
        self, answer: httpx2.Response, events: list[Event], kind: Kind, leave_at: int | None
    ) -> None:
        """Read the stream to its end, or until it is time to leave: what arrives after that is lost."""
        if answer.status_code != 200:
            raise WrongStreamError(f"status {answer.status_code}: {(await answer.aread())[:200]!r}")
        number = 0
        async for line in answer.aiter_lines():
            name, _, value = line.partition(": ")
            if name == "id":
                number = int(value)
            elif name == "data":
                events.append((number, json.loads(value)))
                if leave_at is not None and len(events) >= leave_at and not _ended(events):
                    return
                if kind == "slow":
                    await asyncio.sleep(0.1)

    async def _read_back(self, session: str, told: list[Story]) -> None:
        """The session must hold each turn that came to its end, whole and in order, and nothing else."""
        answer = await self._quick.get(f"/v1/sessions/{session}")
        messages = answer.json()["messages"] if answer.status_code == 200 else []
        asked = [message["content"] for message in messages if message["role"] == "user"]
        answers = [json.loads(message["structured"]) for message in messages if "structured" in message]
        if asked == [story.ask() for story in told] and answers == [story.answer for story in told]:
            self.found.sessions += 1
        else:
            self.found.wrong.append(f"session {session} holds {len(asked)} turns in place of {len(told)}")


def _ended(events: list[Event]) -> bool:
    return bool(events) and events[-1][1]["type"] in ("result", "error")
