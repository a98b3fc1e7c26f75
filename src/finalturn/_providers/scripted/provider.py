"""`Scripted`: a provider for tests, which answers as its script says."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from finalturn._core.json_text import encode
from finalturn._core.model import Capabilities, ModelEvent, ModelRequest, ModelResponse, ReasoningDelta
from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._core.result import Usage
from finalturn._providers.scripted.items import Cut, Item, Pause, RawCall, Step, Word, items_of, steps
from finalturn._providers.scripted.kinds import (
    ScriptedSyncStream,
    ScriptedSyncWholeReply,
    ScriptedWholeReply,
    play,
)
from finalturn._providers.scripted.script import Script
from finalturn._support.keywords import known_keywords
from finalturn.stability import stable

__all__ = ["Answer", "Scripted", "ScriptedCall"]

Answer: TypeAlias = Word | Sequence[Item] | ModelResponse
"""What a model call answers."""

ScriptedCall: TypeAlias = Answer | Callable[[ModelRequest], Answer]
"""A model call: its answer, or a function from its request to its answer."""


@stable(since="0.1.0")
class Scripted:
    """A provider without a model, for tests: each argument is what one model call answers, in order.

    ```python
    provider = Scripted(
        ["Let me look. ", Scripted.call("lookup_order", {"id": "A-1"})],
        "It is on its way.",
        '{"status": "shipped"}',
    )
    agent = Agent(provider, tools=[lookup_order])
    ```

    An answer is one item, a sequence of items, a `ModelResponse`, or a function that is given the
    `ModelRequest` and returns one of these. An item is

    - a ``str``: one piece of text (``["Hel", "lo"]`` is two);
    - a `ToolCall`, or what `call` makes: it is sent in pieces, as servers do. Without an id it gets one;
      with an error its arguments are sent malformed. Where ``capabilities`` have no native tools, it is
      written as a text block;
    - a `ModelEvent`, sent as it is: `reasoning` makes one, ``ModelEnd("length")`` says why the answer
      ends. Without a `ModelEnd` one is added;
    - a `Usage`: the tokens of this call;
    - an exception: raised at that point;
    - `pause` or `CUT`;
    - a function without arguments: called when the answer gets there, and awaited if it returns an
      awaitable. ``started.set`` tells the test how far the model is, and ``go_on.wait`` waits for it;
      ``asyncio``, ``trio`` and ``anyio`` events will do.

    A Scripted streams. `whole_reply` and `sync_stream` give the same script as another kind of provider;
    requests and counters stay on this object. Turns that run at once take answers in the order of their
    calls: give functions to tell them apart.

    Args:
        *calls: what the model calls answer.
        then: what every later call answers; without it, a later call raises an error that is both a
            `FinalturnError` and an ``AssertionError``.
        capabilities: what the model can do; by default, native tools alone.
        usage: the tokens of each call that does not say otherwise; by default, none are reported.

    Attributes:
        capabilities: what the model can do.

    Raises:
        ConfigurationError: an item is none of the above.
    """

    CUT: Final = Cut()
    """The answer breaks off here: a stream just ends, a whole reply raises a `ProviderError`."""

    @known_keywords("Scripted")
    def __init__(
        self,
        *calls: ScriptedCall,
        then: ScriptedCall | None = None,
        capabilities: Capabilities | None = None,
        usage: Usage | None = None,
    ) -> None:
        for number, answer in enumerate(calls):
            if not callable(answer):
                items_of(answer, number)
        self.capabilities: Capabilities = capabilities or Capabilities()
        self._usage = usage
        self._script: Script[ModelRequest, ScriptedCall] = Script(calls, then)

    @property
    def requests(self) -> list[ModelRequest]:
        """Every request so far, in order."""
        return self._script.requests

    @property
    def open(self) -> int:
        """How many answers are being given now."""
        return self._script.open

    @property
    def abandoned(self) -> int:
        """How many answers were closed or cancelled before their end."""
        return self._script.abandoned

    @staticmethod
    @known_keywords("Scripted.call")
    def call(name: str, arguments: Mapping[str, Any] | str = "{}", *, id: str | None = None) -> Word:
        """An item: a tool call.

        Args:
            name: the tool's name.
            arguments: an object, or JSON text, which is sent as it is, malformed or not.
            id: the call's id; ``None`` gives it one.
        """
        return RawCall(name, arguments if isinstance(arguments, str) else encode(arguments).decode(), id)

    @staticmethod
    def reasoning(text: str) -> Word:
        """An item: a piece of what the model thinks aloud.

        Args:
            text: the piece.
        """
        return ReasoningDelta(text)

    @staticmethod
    def pause(seconds: float) -> Word:
        """An item: nothing comes for a while.

        Args:
            seconds: how long.
        """
        return Pause(seconds)

    @staticmethod
    def pieces(text: str, size: int = 1) -> list[Word]:
        """Items: a text, piece by piece.

        Args:
            text: the text.
            size: how many characters a piece has; the last may have fewer.
        """
        return [text[at : at + size] for at in range(0, len(text), size)]

    def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        """Play the next answer, piece by piece.

        Args:
            request: what the model is asked; it is kept in `requests`.
        """
        return play(self._script, self._steps, request)

    async def complete(self, request: ModelRequest, /) -> ModelResponse:
        """Play the next answer, and give it as a whole.

        Args:
            request: what the model is asked; it is kept in `requests`.

        Raises:
            ProviderError: the answer is `CUT`.
        """
        return await ScriptedWholeReply(self.capabilities, self._script, self._steps).complete(request)

    def whole_reply(self, *, sync: bool = False) -> Provider:
        """The same script as a provider that cannot stream.

        Args:
            sync: as a synchronous one, whose functions must not be asynchronous.
        """
        kind = ScriptedSyncWholeReply if sync else ScriptedWholeReply
        return kind(self.capabilities, self._script, self._steps)

    def sync_stream(self) -> StreamingProvider:
        """The same script as a provider that streams from a plain iterator.

        A synchronous kind cannot await: its functions wait themselves, as ``threading.Event().wait`` does.
        """
        return ScriptedSyncStream(self.capabilities, self._script, self._steps)

    def _steps(self, request: ModelRequest) -> Iterator[Step]:
        number, answer = self._script.take(request)
        # Only a whole answer may be a function of the request: inside a sequence it is a hook.
        content: Any = answer(request) if callable(answer) else answer
        native = self.capabilities.native_tools
        return steps(items_of(content, number), number, native_tools=native, usage=self._usage)
