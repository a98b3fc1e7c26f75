"""LangChain: one agent with tools that streams text, and a model bound to the schema for the object."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from importlib import import_module
from typing import Any

from tools.bench.peers._library import QUESTION, SYSTEM, Library, Prose, Ticket, lookup_order, many, search

_agents: Any = import_module("langchain.agents")
_tools: Any = import_module("langchain_core.tools")
_messages: Any = import_module("langchain_core.messages")
_openai: Any = import_module("langchain_openai")


class LangChain(Library):
    package = "langchain"

    def prose(self, url: str, messages: Sequence[dict[str, Any]], tools: int) -> Prose:
        found = [_tool(search, name, text) for name, text in many(tools)]
        agent = _agents.create_agent(_model(url), tools=found)
        given = _messages.convert_to_messages(list(messages))

        async def turn() -> AsyncIterator[str]:
            async for chunk, _ in agent.astream({"messages": given}, stream_mode="messages"):
                if chunk.content and isinstance(chunk, _messages.AIMessageChunk):
                    yield chunk.content

        return turn

    def turn(self, url: str) -> Callable[[], Awaitable[dict[str, Any]]]:
        model = _model(url)
        tools = [_tool(lookup_order, "lookup_order", "Look up an order.")]
        agent = _agents.create_agent(model, tools=tools, system_prompt=SYSTEM)
        maker = model.with_structured_output(Ticket, method="json_schema")

        async def turn() -> dict[str, Any]:
            given = {"messages": [_messages.HumanMessage(QUESTION)]}
            state: Any = None
            async for mode, item in agent.astream(given, stream_mode=["messages", "values"]):
                if mode == "values":
                    state = item
            asked = [*state["messages"], _messages.HumanMessage("Now give the object.")]
            made = [item async for item in maker.astream(asked)]
            return dict(made[-1].model_dump())

        return turn


def _model(url: str) -> Any:
    return _openai.ChatOpenAI(model="bench", base_url=url, api_key="none", stream_usage=True)


def _tool(function: Any, name: str, text: str) -> Any:
    return _tools.StructuredTool.from_function(coroutine=function, name=name, description=text)


LIBRARY = LangChain()
