"""The agent that ``finalturn serve`` serves: its model plays the story that the user asks for."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator

from finalturn import (
    Agent,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ProviderError,
    Role,
    StructuredOutputConfig,
    TextDelta,
    ToolCallDelta,
    tool,
)
from tools.bench.load._story import PREFIX, Story
from tools.bench.peers import Ticket

PAUSE = "FINALTURN_LOAD_PAUSE"
"""The variable of the environment that says how many seconds go before each piece of text."""


@tool
async def look(number: str) -> str:
    """Look up an order."""
    return number


class Model:
    """Plays a story. It remembers nothing.

    Args:
        pause: seconds before each piece of text.
    """

    def __init__(self, pause: float) -> None:
        self._pause = pause

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        # The synthesis prompt is of the user, too.
        texts = [message.content for message in request.messages if message.role is Role.USER]
        story = Story.of(next(text for text in reversed(texts) if text.startswith(PREFIX)))
        calls = 1 if story.path == "tool" else 0
        if request.call < calls:
            yield TextDelta(story.opening())
            yield ToolCallDelta(0, f"call_{story.seed}", look.name, json.dumps({"number": str(story.seed)}))
        elif request.call == calls:
            for piece in story.prose():
                if story.path != "flood":
                    await asyncio.sleep(self._pause)
                yield TextDelta(piece)
            if story.path == "fail":
                raise ProviderError("the model broke off", retryable=False)
        else:
            yield TextDelta(json.dumps(story.answer))
        yield ModelEnd()


def agent() -> Agent[Ticket]:
    """What is served."""
    return Agent(
        Model(float(os.environ[PAUSE])),
        tools=[look],
        response_format=Ticket,
        structured_output=StructuredOutputConfig(final_turn_only=True),
    )
