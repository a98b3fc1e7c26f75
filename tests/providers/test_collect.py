"""A stream, put together."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from finalturn.core.errors import ProviderError
from finalturn.core.messages import ToolCall
from finalturn.core.model import (
    FinishReason,
    ModelEnd,
    ModelEvent,
    ModelResponse,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
)
from finalturn.core.result import Usage
from finalturn.providers._collect import collect

pytestmark = pytest.mark.anyio


class Stream:
    def __init__(self, *events: ModelEvent) -> None:
        self.events = events
        self.closed = False

    async def play(self) -> AsyncGenerator[ModelEvent, None]:
        try:
            for event in self.events:
                yield event
        finally:
            self.closed = True


async def test_all_pieces_are_put_together() -> None:
    stream = Stream(
        ReasoningDelta("h"),
        ReasoningDelta("m"),
        TextDelta("a"),
        ToolCallDelta(0, "x", "f", '{"a"'),
        TextDelta("b"),
        ToolCallDelta(0, None, "", ":1}"),
        ModelEnd("tool_calls", Usage(1, 0, 2, 0, 3)),
        TextDelta("never read"),
    )
    assert await collect(stream.play()) == ModelResponse(
        "ab", "hm", (ToolCall("f", {"a": 1}, "x"),), "tool_calls", Usage(1, 0, 2, 0, 3)
    )
    assert stream.closed


@pytest.mark.parametrize(("reason", "cut"), [("length", True), ("stop", False)])
async def test_a_call_of_an_answer_that_was_cut_is_cut(reason: FinishReason, cut: bool) -> None:
    response = await collect(Stream(ToolCallDelta(0, "x", "f", ""), ModelEnd(reason)).play())
    assert (response.tool_calls[0].error is not None) is cut


async def test_a_stream_without_an_end_has_failed() -> None:
    stream = Stream(TextDelta("a"), ToolCallDelta(0, "x", "f", "{}"))
    with pytest.raises(ProviderError, match="broke off"):
        await collect(stream.play())
    assert stream.closed
