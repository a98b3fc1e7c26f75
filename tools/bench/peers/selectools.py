"""selectools: one agent, which ends its turn with the object in a call of its own."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from importlib import import_module
from typing import Any

from tools.bench.peers._library import QUESTION, SYSTEM, Library, Prose, Ticket, many

_lib: Any = import_module("selectools")
_openai: Any = import_module("selectools.providers.openai_provider")
_types: Any = import_module("selectools.types")
_decorators: Any = import_module("selectools.tools")


class Selectools(Library):
    package = "selectools"

    def prose(self, url: str, messages: Sequence[dict[str, Any]], tools: int) -> Prose:
        found = [_searching(name, text) for name, text in many(tools)]
        agent = _agent(url, found, None)
        given = [_message(message) for message in messages]

        async def turn() -> AsyncIterator[str]:
            # An agent keeps the conversation that it has had.
            agent.reset()
            async for item in agent.astream(list(given)):
                if isinstance(item, _types.StreamChunk) and item.content:
                    yield item.content

        return turn

    def turn(self, url: str) -> Callable[[], Awaitable[dict[str, Any]]]:
        agent = _agent(url, [_looking()], _lib.StructuredOutputConfig(final_turn_only=True))

        async def turn() -> dict[str, Any]:
            agent.reset()
            items = [item async for item in agent.astream(QUESTION, response_format=Ticket)]
            return dict(items[-1].parsed.model_dump())

        return turn


def _agent(url: str, tools: list[Any], structured: Any) -> Any:
    # Where it sends to is only read from here.
    os.environ["OPENAI_BASE_URL"] = url
    provider = _openai.OpenAIProvider(api_key="none", default_model="bench")
    more = {} if structured is None else {"structured_output": structured}
    config = _lib.AgentConfig(model="bench", system_prompt=SYSTEM, stream=True, **more)
    return _lib.Agent(tools=tools, provider=provider, config=config)


def _message(message: dict[str, Any]) -> Any:
    calls = [
        _types.ToolCall(
            tool_name=call["function"]["name"],
            parameters=json.loads(call["function"]["arguments"]),
            id=call["id"],
        )
        for call in message.get("tool_calls", ())
    ]
    return _types.Message(
        role=_types.Role(message["role"]),
        content=message["content"] or "",
        tool_calls=calls or None,
        tool_call_id=message.get("tool_call_id"),
    )


def _looking() -> Any:
    async def lookup_order(order_id: str) -> str:
        """Look up an order."""
        return json.dumps({"order_id": order_id, "status": "shipped", "weight": 3.2})

    return _decorators.tool(description="Look up an order.")(lookup_order)


def _searching(name: str, text: str) -> Any:
    async def search(query: str, limit: int = 10, regions: str = "", exact: bool = False) -> str:
        """Search a part of the shop."""
        return "[]"

    return _decorators.tool(name=name, description=text)(search)


LIBRARY = Selectools()
