"""Holds a whole stream against the story that it must tell."""

from __future__ import annotations

from typing import Any

from tools.bench.load._http import Event
from tools.bench.load._story import Story

_PIECES = {"chunk": "content", "reasoning": "reasoning"}


class WrongStreamError(Exception):
    """A stream is not what it must be."""


class StreamCheck:
    """Takes the events of one turn in order, over as many connections as it took.

    Args:
        story: what must come.
        session: the turn's session.
    """

    def __init__(self, story: Story, session: str | None) -> None:
        self._story = story
        self._session = session
        self._found: list[tuple[str, list[str]]] = []
        self._run: dict[str, Any] | None = None
        self._last: dict[str, Any] | None = None
        self.records = 0

    @property
    def run_id(self) -> str:
        """The run's id."""
        if self._run is None:
            raise WrongStreamError("there is no run record")
        return str(self._run["run_id"])

    @property
    def in_session(self) -> bool:
        """Whether the turn is saved."""
        return self._session is not None

    @property
    def ended(self) -> bool:
        """Whether the last record is there."""
        return self._last is not None

    def take(self, event: Event) -> None:
        """The next event.

        Raises:
            WrongStreamError: it must not come here.
        """
        self.records += 1
        if event.id != self.records:
            raise WrongStreamError(f"event {event.id} came in place of {self.records}")
        if self.ended:
            raise WrongStreamError("a record came after the last one")
        kind = event.record["type"]
        if (kind == "run") != (self.records == 1):
            raise WrongStreamError(f"record {self.records} is {kind}")
        match kind:
            case "run":
                self._run = event.record
            case "chunk" | "reasoning":
                self._join(kind, event.record[_PIECES[kind]])
            case "tool_call":
                self._found.append((kind, [event.record["tool_call"]["arguments"]["number"]]))
            case "tool_result":
                self._found.append((kind, [event.record["tool_message"]["tool_result"]]))
            case "event":
                self._found.append((kind, [event.record["event"]]))
            case "result" | "error":
                self._last = event.record
            case _:
                raise WrongStreamError(f"there is no record {kind}")

    def _join(self, kind: str, piece: str) -> None:
        if not self._found or self._found[-1][0] != kind:
            self._found.append((kind, []))
        self._found[-1][1].append(piece)

    def finish(self) -> None:
        """The connection has ended.

        Raises:
            WrongStreamError: the stream is not complete, or not the right one.
        """
        found = [(kind, "".join(parts)) for kind, parts in self._found]
        if found != self._story.expected():
            raise WrongStreamError(f"the records are {_short(found)}, and the last is {_short(self._last)}")
        if self._run is None or self._run["session"] != self._session:
            raise WrongStreamError("the run record is wrong")
        if self._last is None:
            raise WrongStreamError("there is neither result nor error")
        self._check_last(self._last)

    def _check_last(self, last: dict[str, Any]) -> None:
        if self._story.path == "fail":
            if (last["type"], last.get("code")) != ("error", "provider_failed"):
                raise WrongStreamError(f"the last record is {_short(last)}")
            return
        if last["type"] != "result":
            raise WrongStreamError(f"the last record is {_short(last)}")
        shown = self._story.opening() + "".join(self._story.prose())
        wanted = {
            "run_id": self.run_id,
            "parsed": self._story.answer,
            "structured_status": "ok",
            "text": shown,
        }
        wrong = {name: last[name] for name, value in wanted.items() if last[name] != value}
        if wrong:
            raise WrongStreamError(f"in the result, {_short(wrong)}")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 300 else f"{text[:200]} ... {text[-80:]}"
