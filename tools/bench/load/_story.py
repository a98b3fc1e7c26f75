"""What one turn of the load is: the model plays it, and the client knows what must come."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

Path: TypeAlias = Literal["tool", "think", "reuse", "fail", "flood"]
"""``tool``: a call, prose, the object. ``think``: reasoning, prose, the object. ``reuse``: the prose is
the object. ``fail``: the model breaks off. ``flood``: as ``think``, with much text and no pauses.
"""

PATHS: tuple[Path, ...] = get_args(Path)
PREFIX = "load "
_FLOOD = "x" * 4000
_OPENING = "Let me look. "


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
        found = next(one for one in PATHS if one == path)
        return cls(found, int(seed), int(pieces))

    @property
    def answer(self) -> dict[str, Any]:
        """The object."""
        return {"topic": f"order {self.seed}", "urgent": self.seed % 2 == 0, "days": self.seed % 7}

    def prose(self) -> list[str]:
        """The text, piece by piece."""
        if self.path == "reuse":
            text = json.dumps(self.answer)
            return [text[at : at + 5] for at in range(0, len(text), 5)]
        rest = _FLOOD if self.path == "flood" else ""
        return [f"{self.seed}.{place}{rest} " for place in range(self.pieces)]

    def reasoning(self) -> list[str]:
        """What the model thinks before."""
        return [f"thought {self.seed} ", f"and {self.seed}"] if self.path in ("think", "flood") else []

    def opening(self) -> str:
        """What it says before it calls a tool."""
        return _OPENING if self.path == "tool" else ""

    def expected(self) -> list[tuple[str, object]]:
        """The records that must come, each run of pieces joined; the run record and the last are left out."""
        number = str(self.seed)
        prose = ("chunk", "".join(self.prose()))
        event = "structured_reuse" if self.path == "reuse" else "structured_synthesis_start"
        return [
            *([("reasoning", "".join(self.reasoning()))] if self.reasoning() else []),
            *(
                [("chunk", self.opening()), ("tool_call", number), ("tool_result", number)]
                if self.opening()
                else []
            ),
            prose,
            *([("event", event)] if self.path != "fail" else []),
        ]
