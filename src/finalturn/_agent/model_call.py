"""One model call under way: a provider's events in, the machine's inputs out."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Collection
from typing import TypeAlias

from finalturn._adapters.checks import expect_calls, expect_end, expect_pieces, misfit, no_event
from finalturn._adapters.events import CallEvent, WholeReply, broken_off, close_events
from finalturn._adapters.in_time import in_time
from finalturn._agent.meter import UNREPORTED
from finalturn._core.assembly import ToolCallAssembler, with_unique_ids
from finalturn._core.messages import ToolCall
from finalturn._core.model import (
    ModelEnd,
    ModelResponse,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
)
from finalturn._core.result import Usage
from finalturn._core.surrogates import SurrogateJoiner
from finalturn._core.textcalls import TextToolCalls
from finalturn._core.turn import Finished

CallInput: TypeAlias = TextDelta | ReasoningDelta | Finished


class ModelCall:
    """Turns one call's events into inputs, the last of which is `Finished`.

    Args:
        events: what the provider yields.
        text_tools: the names of the tools to look for in the text; ``None`` where the provider calls
            tools natively, and in synthesis.
    """

    def __init__(self, events: AsyncIterator[CallEvent], text_tools: Collection[str] | None) -> None:
        self._events = events
        self._text_tools = None if text_tools is None else TextToolCalls(text_tools)
        self._joiner = SurrogateJoiner()
        self._reasoning_joiner = SurrogateJoiner()
        self._assembler = ToolCallAssembler()
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._ready: deque[CallInput] = deque()

    async def next(self) -> CallInput:
        """The next input.

        Raises:
            ProviderError: the call failed, or its events ended without a `ModelEnd`.
        """
        while not self._ready:
            try:
                event = await self._events.__anext__()
            except StopAsyncIteration:
                raise broken_off() from None
            self._take(event)
        return self._ready.popleft()

    @property
    def used(self) -> Usage:
        """What the call has used, when it is stopped now."""
        last = self._ready[-1] if self._ready else None
        if isinstance(last, Finished):
            return last.response.usage or UNREPORTED
        # Of several providers, some may have been asked already.
        before: object = getattr(self._events, "spent", None)
        return before + UNREPORTED if isinstance(before, Usage) else UNREPORTED

    @property
    def text(self) -> str:
        """All text that it has given so far, and perhaps not yet passed on."""
        return "".join(self._text)

    async def aclose(self) -> None:
        """Stop the call and free what it holds."""
        await close_events(self._events)

    def _take(self, event: object) -> None:
        if isinstance(event, TextDelta):
            self._take_text(event.text)
        elif isinstance(event, ReasoningDelta):
            self._take_reasoning(event.text)
        elif isinstance(event, ToolCallDelta):
            expect_pieces(event)
            self._assembler.add(event)
        elif isinstance(event, ModelEnd):
            calls = self._assembler.finish(cut=event.finish_reason == "length")
            self._end(calls, event)
        elif isinstance(event, WholeReply):
            response = event.response
            self._take_reasoning(response.reasoning)
            self._take_text(response.content)
            calls = with_unique_ids(expect_calls(response.tool_calls))
            self._end(calls, response)
        else:
            raise no_event(event)

    def _take_text(self, piece: object) -> None:
        if not isinstance(piece, str):
            raise misfit("text", piece, "a str")
        text = self._joiner.feed(piece)
        if self._text_tools is not None:
            text = self._text_tools.feed(text)
        self._pass_on(text)

    def _take_reasoning(self, piece: object) -> None:
        if not isinstance(piece, str):
            raise misfit("reasoning", piece, "a str")
        self._reason(self._reasoning_joiner.feed(piece))

    def _reason(self, text: str) -> None:
        if text:
            self._reasoning.append(text)
            self._ready.append(ReasoningDelta(text))

    def _pass_on(self, text: str) -> None:
        if text:
            self._text.append(text)
            self._ready.append(TextDelta(text))

    def _end(self, calls: tuple[ToolCall, ...], end: ModelEnd | ModelResponse) -> None:
        expect_end(end)
        self._reason(self._reasoning_joiner.finish())
        self._take_text(self._joiner.finish())
        if self._text_tools is not None:
            last_text, text_calls = self._text_tools.finish()
            self._pass_on(last_text)
            calls += text_calls
        if end.finish_reason == "refusal":
            # Nothing that a model began before it was stopped is carried out.
            calls = ()
        text, reasoning = "".join(self._text), "".join(self._reasoning)
        response = ModelResponse(text, reasoning, calls, end.finish_reason, end.usage, end.switches)
        self._ready.append(Finished(response))


class TimedModelCall(ModelCall):
    """A call that is stopped at a time.

    Args:
        events: as for `ModelCall`.
        text_tools: as for `ModelCall`.
        deadline: the time, of ``time.monotonic``.
    """

    def __init__(
        self, events: AsyncIterator[CallEvent], text_tools: Collection[str] | None, deadline: float
    ) -> None:
        super().__init__(events, text_tools)
        self._deadline = deadline

    async def next(self) -> CallInput:
        """The next input.

        Raises:
            OutOfTime: the time came first. What had come of the call before has been given.
            ProviderError: as for `ModelCall`.
        """
        if self._ready:
            return self._ready.popleft()
        return await in_time(self._deadline, super().next)
