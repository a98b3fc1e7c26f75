"""What a surface showed of a turn, normalised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from finalturn import AgentResult, Message, StreamChunk
from finalturn.contract import Surface
from tests.contract._reads import note


class Observed:
    """One played turn, as one surface showed it. Whoever reads an attribute has looked at its surface.

    Args:
        driver: how the turn is driven.
        kind: of provider.
    """

    def __init__(self, driver: str = "", kind: str = "") -> None:
        self._how = driver, kind
        self._pieces: list[str] = []
        self._chunks: list[StreamChunk] | None = None
        self._results: list[AgentResult[Any]] = []
        self._error: BaseException | None = None
        self._saved: tuple[Message, ...] = ()
        self._requests: Sequence[str] = ()

    # What the driver tells.

    def begins_chunks(self) -> None:
        """This surface carries chunks."""
        self._chunks = []

    def takes(self, item: StreamChunk | AgentResult[Any]) -> None:
        """The next item of a stream of chunks."""
        assert not self._results, "something followed the result"
        if isinstance(item, AgentResult):
            self._results.append(item)
            return
        assert self._chunks is not None
        self._chunks.append(item)
        if item.content:
            self._pieces.append(item.content)

    def takes_text(self, text: str) -> None:
        """The next piece for the token callback."""
        assert not self._results, "something followed the result"
        self._pieces.append(text)

    def ends(self, result: AgentResult[Any]) -> None:
        """The turn has returned."""
        self._results.append(result)

    def fails(self, error: BaseException) -> None:
        """The turn has raised."""
        self._error = error

    def leaves(self, requests: Sequence[str], saved: tuple[Message, ...]) -> None:
        """What the provider was sent, as JSON text, and what is in the session."""
        self._requests, self._saved = requests, saved

    @property
    def count(self) -> int:
        """How many items were shown so far."""
        return len(self._pieces if self._chunks is None else self._chunks)

    @property
    def carries_chunks(self) -> bool:
        return self._chunks is not None

    # What a test looks at.

    @property
    def pieces(self) -> list[str]:
        """The content, piece by piece."""
        self._look_at(Surface.TOKENS if self._chunks is None else Surface.CHUNKS)
        return self._pieces

    @property
    def content(self) -> str:
        return "".join(self.pieces)

    @property
    def seen(self) -> list[StreamChunk] | None:
        """The chunks, on a surface that carries them."""
        if self._chunks is not None:
            self._look_at(Surface.CHUNKS)
        return self._chunks

    @property
    def chunks(self) -> list[StreamChunk]:
        assert self.seen is not None, "this surface carries no chunks"
        return self.seen

    @property
    def events(self) -> list[str]:
        """The events of a turn that did not fail."""
        assert self._error is None, f"the turn raised {self._error!r}"
        return [str(chunk.event) for chunk in self.chunks if chunk.event is not None]

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

    @property
    def results(self) -> list[AgentResult[Any]]:
        self._look_at(Surface.RESULT)
        return self._results

    @property
    def error(self) -> BaseException | None:
        """What the turn raised."""
        self._look_at(Surface.RESULT)
        return self._error

    @property
    def result(self) -> AgentResult[Any]:
        assert self._error is None, f"the turn raised {self._error!r}"
        (result,) = self.results
        return result

    @property
    def saved(self) -> tuple[Message, ...]:
        """What is in the session."""
        self._look_at(Surface.HISTORY)
        return self._saved

    @property
    def requests(self) -> Sequence[str]:
        """What each model call was sent, as JSON text."""
        self._look_at(Surface.REQUEST)
        return self._requests

    def _look_at(self, surface: Surface) -> None:
        note(*self._how, surface)


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
