"""Clients: each runs one turn after the other, and checks every record of it."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from tools.bench.load._check import StreamCheck, WrongStreamError
from tools.bench.load._figures import Found
from tools.bench.load._http import Answer, Event, ask
from tools.bench.load._story import Path, Story

Kind: TypeAlias = Literal["steady", "slow", "leaving"]

_STEADY: tuple[Path, ...] = ("tool", "think", "tool", "reuse", "think", "tool", "fail")


@dataclass(frozen=True)
class Mix:
    """Who takes part.

    Attributes:
        streams: at the same time.
        seconds: for so long turns begin.
        pieces: of text in a turn.
        rough: whether some read slowly, and some leave and come back.
        crowd: how many bad ones there are; where there are any, a client may have to ask more than once.
    """

    streams: int
    seconds: float
    pieces: int
    rough: bool
    crowd: int = 0

    def kind(self, number: int) -> Kind:
        """What a client does."""
        kinds: tuple[Kind, ...] = (
            ("steady", "leaving", "steady", "slow", "leaving") if self.rough else ("steady",)
        )
        return kinds[number % len(kinds)]

    def session(self, number: int) -> str | None:
        """The session that a client talks in; every third has one."""
        return f"load-{number}" if number % 3 == 0 else None


class Load:
    """All clients.

    Args:
        port: of the server.
        mix: who takes part.
    """

    def __init__(self, port: int, mix: Mix) -> None:
        self._port = port
        self._mix = mix
        self._open = 0
        self.found = Found()

    async def run(self) -> Found:
        """Let them all run, until the time is over and each has ended its turn."""
        start = time.perf_counter()
        until = start + self._mix.seconds
        async with asyncio.TaskGroup() as group:
            for number in range(self._mix.streams):
                group.create_task(self._client(number, until))
                # They do not come all in one moment.
                await asyncio.sleep(1 / self._mix.streams)
        self.found.seconds = time.perf_counter() - start
        return self.found

    async def _client(self, number: int, until: float) -> None:
        kind, session = self._mix.kind(number), self._mix.session(number)
        chance = random.Random(number)
        told: list[Story] = []
        for story in self._stories(number, kind):
            if time.perf_counter() >= until:
                break
            try:
                await self._turn(kind, story, session, chance)
            except (WrongStreamError, AssertionError, OSError, EOFError, ValueError, KeyError) as error:
                self.found.wrong.append(f"{kind}, {story}: {type(error).__name__}: {error}")
                return
            self.found.streams[story.path] += 1
            if story.path != "fail":
                told.append(story)
        if session is not None:
            await self._read_back(session, told)

    def _stories(self, number: int, kind: Kind) -> Iterator[Story]:
        turn = 0
        while True:
            path: Path = "flood" if kind == "slow" else _STEADY[(number + turn) % len(_STEADY)]
            yield Story(path, number * 10_000 + turn, self._mix.pieces)
            turn += 1

    async def _turn(self, kind: Kind, story: Story, session: str | None, chance: random.Random) -> None:
        check = StreamCheck(story, session)
        body = {"input": story.ask(), "session": session}
        start = time.perf_counter()
        answer = await self._ask("POST", "/v1/chat/stream", json_body=body, slow=kind == "slow")
        self._open += 1
        self.found.most = max(self.found.most, self._open)
        try:
            leave_at = chance.randint(1, self._mix.pieces) if kind == "leaving" else None
            await self._read(answer, check, kind, start, leave_at)
            if leave_at is not None and not check.ended:
                # Gone for a moment, in which the turn goes on.
                await asyncio.sleep(chance.uniform(0.0, 0.5))
                await self._come_back(check, session)
            check.finish()
        finally:
            self._open -= 1
        self.found.records += check.records
        if kind == "steady":
            self.found.turns.append(time.perf_counter() - start)

    async def _ask(self, method: str, target: str, *, json_body: Any = None, slow: bool = False) -> Answer:
        """Ask, and where there is a crowd, ask again while the server has no room."""
        while True:
            try:
                answer = await ask(self._port, method, target, json_body=json_body, slow=slow)
            except (OSError, EOFError):
                if not self._mix.crowd:
                    raise
            else:
                if answer.status != 503 or not self._mix.crowd:
                    return answer
                answer.close()
            self.found.refused += 1
            await asyncio.sleep(0.25)

    async def _come_back(self, check: StreamCheck, session: str | None) -> None:
        target = f"/v1/chat/stream/{check.run_id}" + ("" if session is None else f"?session={session}")
        answer = await ask(self._port, "GET", target, after=check.records)
        self.found.resumed += 1
        await self._read(answer, check, "leaving", None, None)

    async def _read(
        self, answer: Answer, check: StreamCheck, kind: Kind, start: float | None, leave_at: int | None
    ) -> None:
        last = start
        try:
            if answer.status != 200:
                raise WrongStreamError(f"status {answer.status}: {(await answer.body())[:200]!r}")
            async for events in answer.events():
                now = time.perf_counter()
                if kind == "steady" and last is not None:
                    (self.found.first if check.records == 0 else self.found.gaps).append(now - last)
                if _take(events, check, leave_at):
                    return
                if kind == "steady" and last is not None and check.ended:
                    self.found.ends["saved" if check.in_session else "alone"].append(now - last)
                last = now
                if kind == "slow":
                    await asyncio.sleep(0.1)
        finally:
            answer.close()

    async def _read_back(self, session: str, told: list[Story]) -> None:
        """The session must hold each turn that came to its end, whole and in order, and nothing else."""
        answer = await self._ask("GET", f"/v1/sessions/{session}")
        try:
            body = await answer.body()
        finally:
            answer.close()
        document: dict[str, Any] = {"messages": []}
        if answer.status == 200:
            document = json.loads(body)
        asked = [one["content"] for one in document["messages"] if one["role"] == "user"]
        answers = [json.loads(one["structured"]) for one in document["messages"] if "structured" in one]
        if asked == [one.ask() for one in told] and answers == [one.answer for one in told]:
            self.found.sessions += 1
        else:
            self.found.wrong.append(f"session {session} holds {len(asked)} turns in place of {len(told)}")


def _take(events: list[Event], check: StreamCheck, leave_at: int | None) -> bool:
    """Take them; whether it is time to leave."""
    for event in events:
        check.take(event)
        if leave_at is not None and check.records >= leave_at and not check.ended:
            # What arrived after this one is lost.
            return True
    return False
