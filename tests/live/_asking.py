"""Questions to a model, and what comes of them."""

from __future__ import annotations

from typing import Any, NamedTuple

from pydantic import BaseModel

from finalturn import Agent, AgentResult, Message, StructuredOutputConfig, tool
from finalturn._adapters.whole import collect
from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelEvent, ModelRequest, ModelResponse, ModelSettings, TextDelta, ToolSpec
from finalturn._providers.http.provider import HttpProvider

WEATHER = ToolSpec(
    "get_weather",
    "Get the current weather in a city",
    {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    },
)


class Report(BaseModel):
    """What a turn is to end in."""

    city: str
    mild: bool


class Seen(NamedTuple):
    """The text that a stream gave before it ended, and how it failed if it did."""

    text: str
    events: list[ModelEvent]
    failure: ProviderError | None


def question(
    text: str,
    *tools: ToolSpec,
    settings: ModelSettings = ModelSettings(),  # noqa: B008  # immutable
) -> ModelRequest:
    return ModelRequest([Message.user(text)], tools=tools, settings=settings)


async def watch(provider: HttpProvider, request: ModelRequest) -> Seen:
    """Read a stream to its end, whatever that is."""
    events: list[ModelEvent] = []
    failure: ProviderError | None = None
    try:
        async for event in provider.stream(request):
            events.append(event)  # noqa: PERF401 (what came before a failure counts)
    except ProviderError as error:
        failure = error
    return Seen("".join(event.text for event in events if isinstance(event, TextDelta)), events, failure)


async def collected(provider: HttpProvider, text: str) -> ModelResponse:
    """The stream that answers a question to which a tool belongs, put together."""
    return await collect(provider.stream(question(text, WEATHER)))


class Turn(NamedTuple):
    """A whole turn as it was shown, what its tool was asked for, and its result."""

    shown: str
    cities: list[str]
    result: AgentResult[Any]


async def turn(
    provider: HttpProvider,
    text: str,
    config: StructuredOutputConfig | None = None,
    *,
    cities: list[str] | None = None,
    settings: ModelSettings = ModelSettings(),  # noqa: B008  # immutable
) -> Turn:
    """An agent with a tool answers; with a config, the answer ends in a `Report`.

    What the tool was asked for is put into ``cities``, which counts where the turn fails.
    """
    asked: list[str] = [] if cities is None else cities

    @tool
    def get_weather(city: str) -> str:
        """Get the current weather in a city."""
        asked.append(city)
        return "Rain, 9 degrees."

    agent: Agent[Any] = Agent(
        provider,
        tools=[get_weather],
        settings=settings,
        max_iterations=4,
        structured_output=config or StructuredOutputConfig(),
    )
    options: dict[str, Any] = {} if config is None else {"response_format": Report}
    shown: list[str] = []
    async for item in agent.astream(text, **options):
        if isinstance(item, AgentResult):
            return Turn("".join(shown), asked, item)
        shown.append(item.content or "")
    raise AssertionError("a stream ends with its result")
