"""What a surface showed of a turn, normalised."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from finalturn import AgentResult, Message, ProviderError, StreamChunk
from finalturn.contract import Surface
from tests.contract._http_view import HttpFailure, told
from tests.contract._reads import note


class Observed:
    """One played turn, as one surface showed it. Whoever reads an attribute has looked at its surface.

    Args:
        driver: how the turn is driven.
        kind: of provider.
        over_http: everything that is shown is shown to a client over HTTP.

    Attributes:
        run_id: the id of the run that the caller gave, or that the client was told.
    """

    def __init__(self, driver: str = "", kind: str = "", *, over_http: bool = False) -> None:
        self.run_id: str = ""
        self._how = driver, kind
        self._over_http = over_http
        self._wire = b""
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
        assert self._error is None, "something followed the error"
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

    def ends_whole(self, result: AgentResult[Any]) -> None:
        """A client has the result, and with it all that was shown."""
        assert not self._results, "a second result"
        self._results.append(result)
        if result.text:
            self._pieces.append(result.text)

    def fails(self, error: BaseException) -> None:
        """The turn has raised."""
        self._error = error

    def fails_once(self, error: BaseException) -> None:
        """A client is told that the turn has failed; it is told nothing more."""
        assert not self._results, "an error followed the result"
        assert self._error is None, "an error followed an error"
        self._error = error

    def arrives(self, wire: bytes) -> None:
        """All bytes that a client has got."""
        self._wire = wire

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

    @property
    def carries_pieces(self) -> bool:
        """Whether content is shown as it comes; a client that waits for the whole answer has it at once."""
        return self._chunks is not None or not self._over_http

    # What a test looks at.

    @property
    def pieces(self) -> list[str]:
        """The content, piece by piece."""
        self._look_at(Surface.TOKENS if self._chunks is None else Surface.CHUNKS)
        return self._pieces

    @property
    def wire(self) -> str:
        """All that a client over HTTP has got, as it came; nothing on other surfaces."""
        self._look_at(Surface.HTTP)
        return self._wire.decode()

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
    def partials(self) -> list[tuple[int, Any]]:
        """The partial objects, each with its model call."""
        return [(chunk.call, chunk.partial.value) for chunk in self.chunks if chunk.partial is not None]

    @property
    def reasoning(self) -> str:
        return "".join(chunk.reasoning for chunk in self.chunks)

    @property
    def shape(self) -> list[str]:
        """The purposes in order, neighbours of the same text or object joined: where text is cut is gone."""
        found: list[str] = []
        for chunk in self.chunks:
            one = _purpose(chunk)
            if found and one == found[-1] and one.startswith(("content", "reasoning", "partial", "activity")):
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
    def is_failed_by_provider(self) -> bool:
        """Whether the turn has failed because of the provider."""
        match self.error:
            case HttpFailure(code=code):
                return code == "provider_failed"
            case error:
                return isinstance(error, ProviderError)

    def told(self, messages: Iterable[Message]) -> tuple[Message, ...]:
        """Messages as this surface tells them."""
        return told(messages) if self._over_http else tuple(messages)

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
        shown = surface in (Surface.CHUNKS, Surface.TOKENS, Surface.RESULT)
        note(*self._how, Surface.HTTP if shown and self._over_http else surface)


def _purpose(chunk: StreamChunk) -> str:
    if chunk.content:
        return f"content@{chunk.call}"
    if chunk.reasoning:
        return f"reasoning@{chunk.call}"
    if chunk.tool_calls:
        return f"call:{chunk.tool_calls[0].name}@{chunk.call}"
    if chunk.tool_message is not None:
        return f"result:{chunk.tool_message.tool_name}@{chunk.call}"
    if chunk.partial is not None:
        return f"partial@{chunk.call}"
    if chunk.activity is not None:
        return f"activity:{chunk.activity.tool}.{chunk.activity.index}@{chunk.call}"
    return f"event:{chunk.event}@{chunk.call}"
