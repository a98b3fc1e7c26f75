"""The OpenAI Agents SDK, over chat completions: an agent that streams text, and one for the object."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from importlib import import_module
from typing import Any

from tools.bench.peers._library import QUESTION, SYSTEM, Library, Prose, Ticket, lookup_order, many, search

_agents: Any = import_module("agents")
_openai: Any = import_module("openai")

# It would send every turn to its makers.
_agents.set_tracing_disabled(True)


class OpenAIAgents(Library):
    package = "openai-agents"

    def prose(self, url: str, messages: Sequence[dict[str, Any]], tools: int) -> Prose:
        found = [
            _agents.function_tool(search, name_override=name, description_override=text)
            for name, text in many(tools)
        ]
        agent = _agents.Agent(name="talker", model=_model(url), tools=found)
        items = _items(messages)

        async def turn() -> AsyncIterator[str]:
            result = _agents.Runner.run_streamed(agent, list(items))
            async for event in result.stream_events():
                if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                    yield event.data.delta

        return turn

    def turn(self, url: str) -> Callable[[], Awaitable[dict[str, Any]]]:
        model = _model(url)
        tools = [_agents.function_tool(lookup_order)]
        talker = _agents.Agent(name="talker", model=model, instructions=SYSTEM, tools=tools)
        maker = _agents.Agent(name="maker", model=model, instructions=SYSTEM, output_type=Ticket)

        async def turn() -> dict[str, Any]:
            result = _agents.Runner.run_streamed(talker, QUESTION)
            async for _ in result.stream_events():
                pass
            items = [*result.to_input_list(), {"role": "user", "content": "Now give the object."}]
            made = _agents.Runner.run_streamed(maker, items)
            async for _ in made.stream_events():
                pass
            return dict(made.final_output.model_dump())

        return turn


def _model(url: str) -> Any:
    client = _openai.AsyncOpenAI(base_url=url, api_key="none")
    return _agents.OpenAIChatCompletionsModel("bench", openai_client=client)


def _items(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] == "tool":
            call_id = message["tool_call_id"]
            found.append({"type": "function_call_output", "call_id": call_id, "output": message["content"]})
            continue
        if message["content"]:
            found.append({"role": message["role"], "content": message["content"]})
        found += [
            {"type": "function_call", "call_id": call["id"], **call["function"]}
            for call in message.get("tool_calls", ())
        ]
    return found


LIBRARY = OpenAIAgents()
