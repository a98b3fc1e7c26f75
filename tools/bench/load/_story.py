"""What one turn of the load is: the agent that is served plays it, and the client knows what must come."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from finalturn import (
    Agent,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ProviderError,
    Role,
    StructuredOutputConfig,
    TextDelta,
    ToolCallDelta,
    tool,
)
from tools.bench.peers import Ticket

PATHS = ("tool", "fail", "flood")
"""``tool``: a call, prose, the object. ``fail``: the model breaks off. ``flood``: much prose without pauses,
the object.
"""
PREFIX = "load "
_FLOOD = "x" * 4000
_SYNTHESIS = ("event", "structured_synthesis_start")

Event = tuple[int, dict[str, Any]]
"""A record of a stream, after its number."""


@dataclass(frozen=True)
class Story:
    """One turn.

    Attributes:
        path: what happens in it, one of `PATHS`.
        seed: tells it from all others.
        pieces: of text.
        pause: seconds before each piece of text.
    """

    path: str
    seed: int
    pieces: int
    pause: float

    def ask(self) -> str:
        """What the user says."""
        return f"{PREFIX}{self.path} {self.seed} {self.pieces} {self.pause}"

    @classmethod
    def of(cls, asked: str) -> Story:
        """The inverse of `ask`."""
        _, path, seed, pieces, pause = asked.split(" ")
        return cls(path, int(seed), int(pieces), float(pause))

    @property
    def answer(self) -> dict[str, Any]:
        """The object."""
        return {"topic": f"order {self.seed}", "urgent": self.seed % 2 == 0, "days": self.seed % 7}

    def prose(self) -> list[str]:
        """The text, piece by piece."""
        rest = _FLOOD if self.path == "flood" else ""
        return [f"{self.seed}.{place}{rest} " for place in range(self.pieces)]

    def opening(self) -> str:
        """What it says before it calls a tool."""
        return "Let me look. " if self.path == "tool" else ""

    def check(self, events: Sequence[Event], session: str | None) -> None:
        """The events of a stream that has ended, over as many connections as it took.

        Raises:
            WrongStreamError: they are not complete, or not the right ones.
        """
        found: list[tuple[str, object]] = [
            ("number", number) for at, (number, _) in enumerate(events, 1) if number != at
        ]
        for kind, group in groupby((record for _, record in events), lambda record: str(record["type"])):
            parts = [_what_counts(kind, record) for record in group]
            found += [(kind, "".join(parts))] if kind == "chunk" else [(kind, part) for part in parts]
        expected = self._expected(session, events[0][1].get("run_id") if events else None)
        if found != expected:
            wrong = [one for one, other in zip(found, expected, strict=False) if one != other]
            raise WrongStreamError(f"of {len(found)} records, wrong is {str(wrong or 'the end')[:300]}")

    def _expected(self, session: str | None, run_id: object) -> list[tuple[str, object]]:
        """The type of each record and what counts of it, with pieces of text joined."""
        opening, number, prose = self.opening(), str(self.seed), "".join(self.prose())
        calls = [("chunk", opening), ("tool_call", number), ("tool_result", number)]
        result = (run_id, self.answer, "ok", opening + prose)
        failed = self.path == "fail"
        return [
            ("run", session),
            *(calls if opening else ()),
            ("chunk", prose),
            *([("error", "provider_failed")] if failed else [_SYNTHESIS, ("result", result)]),
        ]


class WrongStreamError(Exception):
    """A stream is not what it must be."""


def _what_counts(kind: str, record: dict[str, Any]) -> Any:
    match kind:
        case "chunk":
            return record["content"]
        case "tool_call":
            return record["tool_call"]["arguments"]["number"]
        case "tool_result":
            return record["tool_message"]["tool_result"]
        case "result":
            return record["run_id"], record["parsed"], record["structured_status"], record["text"]
        case _:
            return record.get({"run": "session", "event": "event", "error": "code"}.get(kind, ""))


# --- what is served ---------------------------------------------------------------------------------------


@tool
async def look(number: str) -> str:
    """Look up an order."""
    return number


class Model:
    """Plays the story that the user asks for. It remembers nothing."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        # The synthesis prompt is of the user, too.
        texts = [message.content for message in request.messages if message.role is Role.USER]
        story = Story.of(next(text for text in reversed(texts) if text.startswith(PREFIX)))
        calls = 1 if story.path == "tool" else 0
        if request.call < calls:
            yield TextDelta(story.opening())
            yield ToolCallDelta(0, f"call_{story.seed}", look.name, json.dumps({"number": str(story.seed)}))
        elif request.call == calls:
            for piece in story.prose():
                if story.path != "flood":
                    await asyncio.sleep(story.pause)
                yield TextDelta(piece)
            if story.path == "fail":
                raise ProviderError("the model broke off", retryable=False)
        else:
            yield TextDelta(json.dumps(story.answer))
        yield ModelEnd()


AGENT = Agent(
    Model(),
    tools=[look],
    response_format=Ticket,
    structured_output=StructuredOutputConfig(final_turn_only=True),
)
