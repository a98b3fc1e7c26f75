"""What a surface showed of a turn, normalised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from finalturn import AgentResult, Message, StreamChunk


@dataclass
class Observed:
    """One played turn, as one surface showed it.

    Attributes:
        pieces: the content, piece by piece.
        requests: what each model call was sent, as JSON text.
        error: what the turn raised.
        seen: the chunks, on a surface that carries them.
        before: how many pieces had been shown when the result came.
    """

    pieces: list[str] = field(default_factory=list[str])
    requests: Sequence[str] = ()
    error: BaseException | None = None
    seen: list[StreamChunk] | None = None
    results: list[AgentResult[Any]] = field(default_factory=list[AgentResult[Any]])
    saved: tuple[Message, ...] | None = None

    @property
    def content(self) -> str:
        return "".join(self.pieces)

    @property
    def result(self) -> AgentResult[Any]:
        assert self.error is None, f"the turn raised {self.error!r}"
        assert len(self.results) == 1
        return self.results[0]

    @property
    def chunks(self) -> list[StreamChunk]:
        assert self.seen is not None, "this surface carries no chunks"
        return self.seen

    @property
    def finished_chunks(self) -> list[StreamChunk]:
        """The chunks of a turn that did not fail."""
        assert self.error is None, f"the turn raised {self.error!r}"
        return self.chunks

    @property
    def events(self) -> list[str]:
        return [str(chunk.event) for chunk in self.finished_chunks if chunk.event is not None]

    @property
    def reasoning(self) -> str:
        return "".join(chunk.reasoning for chunk in self.chunks)

    @property
    def shape(self) -> list[str]:
        """The purposes in order, neighbouring content or reasoning joined: where text is cut is gone."""
        found: list[str] = []
        for chunk in self.chunks:
            one = _purpose(chunk)
            if found and one == found[-1] and one.startswith(("content", "reasoning")):
                continue
            found.append(one)
        return found


def _purpose(chunk: StreamChunk) -> str:
    if chunk.content:
        return f"content@{chunk.call}"
    if chunk.reasoning:
        return f"reasoning@{chunk.call}"
    if chunk.tool_calls:
        return f"call:{chunk.tool_calls[0].name}@{chunk.call}"
    if chunk.tool_message is not None:
        return f"result:{chunk.tool_message.tool_name}@{chunk.call}"
    return f"event:{chunk.event}@{chunk.call}"
