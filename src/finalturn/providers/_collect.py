"""A stream of model events as one answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from finalturn.core.assembly import ToolCallAssembler
from finalturn.core.errors import ProviderError
from finalturn.core.model import ModelEnd, ModelEvent, ModelResponse, ReasoningDelta, TextDelta


async def collect(stream: AsyncGenerator[ModelEvent, None]) -> ModelResponse:
    """Read a stream to its end.

    Raises:
        ProviderError: it failed, or ended without a `ModelEnd`.
    """
    text: list[str] = []
    reasoning: list[str] = []
    calls = ToolCallAssembler()
    async with aclosing(stream) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                text.append(event.text)
            elif isinstance(event, ReasoningDelta):
                reasoning.append(event.text)
            elif isinstance(event, ModelEnd):
                cut = event.finish_reason == "length"
                return ModelResponse(
                    "".join(text), "".join(reasoning), calls.finish(cut=cut), event.finish_reason, event.usage
                )
            else:
                calls.add(event)
    raise ProviderError("the model's answer broke off: it ended without a terminal marker", retryable=True)
