"""What one turn of the load is: the model plays it, and the client knows what must come."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal, TypeAlias, get_args

Path: TypeAlias = Literal["tool", "fail", "flood"]
"""``tool``: a call, prose, the object. ``fail``: the model breaks off. ``flood``: much prose without pauses,
the object.
"""

PATHS: tuple[Path, ...] = get_args(Path)
PREFIX = "load "
_FLOOD = "x" * 4000
_SYNTHESIS = ("event", "structured_synthesis_start")


@dataclass(frozen=True)
class Story:
    """One turn.

    Attributes:
        path: what happens in it.
        seed: tells it from all others.
        pieces: of text.
    """

    path: Path
    seed: int
    pieces: int

    def ask(self) -> str:
        """What the user says."""
        return f"{PREFIX}{self.path} {self.seed} {self.pieces}"

    @classmethod
    def of(cls, asked: str) -> Story:
        """The inverse of `ask`."""
        _, path, seed, pieces = asked.split(" ")
        return cls(PATHS[PATHS.index(path)], int(seed), int(pieces))

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

    def expected(self, session: str | None, run_id: str) -> list[tuple[str, object]]:
        """The records that must come: the type of each and what counts of it, with pieces of text joined."""
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


class StreamCheck:
    """Takes the records of one turn in order, over as many connections as it took.

    Attributes:
        story: what must come.
        session: the turn's session.
        records: what came.
    """

    def __init__(self, story: Story, session: str | None) -> None:
        self.story = story
        self.session = session
        self.records: list[dict[str, Any]] = []

    @property
    def run_id(self) -> str:
        """The run's id."""
        if not self.records:
            raise WrongStreamError("there is no run record")
        return str(self.records[0].get("run_id"))

    @property
    def ended(self) -> bool:
        """Whether the last record is there."""
        return bool(self.records) and self.records[-1]["type"] in ("result", "error")

    def take(self, number: int, record: dict[str, Any]) -> None:
        """The next record, with its number.

        Raises:
            WrongStreamError: it must not come here.
        """
        if number != len(self.records) + 1:
            raise WrongStreamError(f"event {number} came in place of {len(self.records) + 1}")
        self.records.append(record)

    def finish(self) -> None:
        """The connection has ended.

        Raises:
            WrongStreamError: the stream is not complete, or not the right one.
        """
        found: list[tuple[str, object]] = []
        for kind, group in groupby(self.records, lambda record: str(record["type"])):
            parts = [_what_counts(kind, record) for record in group]
            found += [(kind, "".join(parts))] if kind == "chunk" else [(kind, part) for part in parts]
        expected = self.story.expected(self.session, self.run_id)
        if found != expected:
            at = next(
                (at for at, pair in enumerate(zip(found, expected, strict=False)) if pair[0] != pair[1]), -1
            )
            raise WrongStreamError(f"of {len(found)} records, {at} is {_short(found[at])}")


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


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 300 else f"{text[:200]} ... {text[-80:]}"
