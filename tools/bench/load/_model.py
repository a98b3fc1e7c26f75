"""The model, and the agent around it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence

from finalturn import (
    Agent,
    Message,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    ProviderError,
    ReasoningDelta,
    Role,
    StructuredOutputConfig,
    TextDelta,
    ToolCallDelta,
    tool,
)
from tools.bench._agents import Ticket
from tools.bench.load._story import PREFIX, Story


@tool
async def look(number: str) -> str:
    """Look up an order."""
    return number


class Model:
    """Plays the story that the user asks for. It remembers nothing.

    Args:
        pause: seconds before each piece of text.
    """

    def __init__(self, pause: float) -> None:
        self._pause = pause

    def complete(self, request: ModelRequest) -> ModelResponse:
        raise AssertionError("this model streams")

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        asked = _asked(request.messages)
        story = Story.of(asked.content)
        if request.call == 0 and story.path == "tool":
            yield TextDelta(story.opening())
            arguments = json.dumps({"number": str(story.seed)})
            yield ToolCallDelta(0, f"call_{story.seed}", look.name, arguments)
        elif request.call == 0 or (request.call == 1 and story.path == "tool"):
            for piece in story.reasoning():
                yield ReasoningDelta(piece)
            for piece in story.prose():
                if story.path != "flood":
                    await asyncio.sleep(self._pause)
                yield TextDelta(piece)
            if story.path == "fail":
                raise ProviderError("the model broke off", retryable=False)
        else:
            yield TextDelta(json.dumps(story.answer))
        yield ModelEnd()


def agent(pause: float) -> Agent[Ticket]:
    """The agent that is served."""
    return Agent(
        Model(pause),
        tools=[look],
        response_format=Ticket,
        structured_output=StructuredOutputConfig(final_turn_only=True),
    )


def _asked(messages: Sequence[Message]) -> Message:
    """What the user has asked; the synthesis prompt is of the user, too."""
    told = (one for one in reversed(messages) if one.role is Role.USER and one.content.startswith(PREFIX))
    return next(told)
