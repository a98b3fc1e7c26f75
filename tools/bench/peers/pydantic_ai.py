"""pydantic-ai: one agent with tools that streams text, and one for the object."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from importlib import import_module
from typing import Any

from tools.bench.peers._library import QUESTION, SYSTEM, Library, Prose, Ticket, lookup_order, many, search

_ai: Any = import_module("pydantic_ai")
_messages: Any = import_module("pydantic_ai.messages")
_openai: Any = import_module("pydantic_ai.models.openai")
_providers: Any = import_module("pydantic_ai.providers.openai")


class PydanticAI(Library):
    package = "pydantic-ai-slim"

    def prose(self, url: str, messages: Sequence[dict[str, Any]], tools: int) -> Prose:
        found = [_ai.Tool(search, name=name, description=text) for name, text in many(tools)]
        agent = _ai.Agent(_model(url), tools=found)
        history = _history(messages[:-1])

        async def turn() -> AsyncIterator[str]:
            async with agent.run_stream(messages[-1]["content"], message_history=history) as result:
                async for text in result.stream_text(delta=True, debounce_by=None):
                    yield text

        return turn

    def turn(self, url: str) -> Callable[[], Awaitable[dict[str, Any]]]:
        model = _model(url)
        talker = _ai.Agent(model, tools=[lookup_order], instructions=SYSTEM)
        maker = _ai.Agent(model, output_type=_ai.NativeOutput(Ticket), instructions=SYSTEM)

        async def turn() -> dict[str, Any]:
            async with talker.run_stream(QUESTION) as result:
                async for _ in result.stream_text(delta=True, debounce_by=None):
                    pass
            made = await _last(maker, result.all_messages())
            return dict(made.model_dump())

        return turn


async def _last(maker: Any, history: Any) -> Any:
    async with maker.run_stream("Now give the object.", message_history=history) as result:
        return await result.get_output()


def _model(url: str) -> Any:
    return _openai.OpenAIChatModel("bench", provider=_providers.OpenAIProvider(base_url=url, api_key="none"))


def _history(messages: Sequence[dict[str, Any]]) -> list[Any]:
    found: list[Any] = []
    names: dict[str, str] = {}
    for message in messages:
        content = message["content"]
        if message["role"] == "user":
            found.append(_messages.ModelRequest(parts=[_messages.UserPromptPart(content)]))
        elif message["role"] == "tool":
            call_id = message["tool_call_id"]
            part = _messages.ToolReturnPart(names[call_id], content, tool_call_id=call_id)
            found.append(_messages.ModelRequest(parts=[part]))
        else:
            parts: list[Any] = [_messages.TextPart(content)] if content else []
            for call in message.get("tool_calls", ()):
                function = call["function"]
                names[call["id"]] = function["name"]
                parts.append(_messages.ToolCallPart(function["name"], function["arguments"], call["id"]))
            found.append(_messages.ModelResponse(parts=parts))
    return found


LIBRARY = PydanticAI()
