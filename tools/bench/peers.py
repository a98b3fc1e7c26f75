"""``python -m tools.bench.peers NAME``: another library does what its input asks, line by line, in JSON.

It runs in an environment of the library's own, and imports nothing of finalturn. A library is two functions:
one makes a turn that streams text, from a conversation as chat completions have it and a number of tools; and
one a whole turn: a tool call, streamed text, and then a `Ticket`, as a dict.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any, NamedTuple, TypeAlias

from pydantic import BaseModel, Field

from tools.bench._measure import Cpu

Messages: TypeAlias = Sequence[dict[str, Any]]
Show: TypeAlias = Callable[[str], object]
"""Is given each piece of text."""
Prose: TypeAlias = Callable[[Show], Awaitable[None]]
Turn: TypeAlias = Callable[[], Awaitable[dict[str, Any]]]
Act: TypeAlias = Prose | Turn
Run: TypeAlias = Callable[[], Awaitable[tuple[float, Any]]]
"""The work once: CPU seconds, and what came of it."""

QUESTION = "Where is my order A-1042?"
SYSTEM = "You are the support desk of a shop. Be brief and kind."
NOW = "Now give the object."


class Library(NamedTuple):
    """What a library has to do to be measured; each function is given the address of the server first."""

    package: str
    prose: Callable[[str, Messages, int], Prose]
    turn: Callable[[str], Turn]


class Ticket(BaseModel):
    """What a turn ends with."""

    topic: str
    urgent: bool
    days: int


async def lookup_order(order_id: str) -> dict[str, object]:
    """Look up an order."""
    return {"order_id": order_id, "status": "shipped", "weight": 3.2}


async def search(
    query: Annotated[str, Field(description="What to look for, in a few words.")],
    limit: Annotated[int, Field(description="The most results.")] = 10,
    regions: Annotated[list[str] | None, Field(description="Only in these regions.")] = None,
    exact: bool = False,
) -> list[dict[str, Any]]:
    """Search a part of the shop."""
    return []


def many(count: int) -> list[tuple[str, str]]:
    """So many names and descriptions of tools."""
    return [(f"search_{at}", f"Search part {at} of the shop, newest first.") for at in range(count)]


def langchain() -> Library:
    """An agent with tools that streams text, and a model bound to the schema for the object."""
    agents: Any = import_module("langchain.agents")
    tools: Any = import_module("langchain_core.tools")
    messages: Any = import_module("langchain_core.messages")
    openai: Any = import_module("langchain_openai")

    def model(url: str) -> Any:
        return openai.ChatOpenAI(model="bench", base_url=url, api_key="none", stream_usage=True)

    def tool(function: Any, name: str, text: str) -> Any:
        return tools.StructuredTool.from_function(coroutine=function, name=name, description=text)

    def prose(url: str, conversation: Messages, count: int) -> Prose:
        agent = agents.create_agent(model(url), tools=[tool(search, *names) for names in many(count)])
        given = messages.convert_to_messages(list(conversation))

        async def turn(show: Show) -> None:
            async for chunk, _ in agent.astream({"messages": given}, stream_mode="messages"):
                if chunk.content and isinstance(chunk, messages.AIMessageChunk):
                    show(chunk.content)

        return turn

    def whole(url: str) -> Turn:
        looking = [tool(lookup_order, "lookup_order", "Look up an order.")]
        agent = agents.create_agent(model(url), tools=looking, system_prompt=SYSTEM)
        maker = model(url).with_structured_output(Ticket, method="json_schema")

        async def turn() -> dict[str, Any]:
            given = {"messages": [messages.HumanMessage(QUESTION)]}
            state: Any = None
            async for mode, item in agent.astream(given, stream_mode=["messages", "values"]):
                if mode == "values":
                    state = item
            made = [item async for item in maker.astream([*state["messages"], messages.HumanMessage(NOW)])]
            return dict(made[-1].model_dump())

        return turn

    return Library("langchain", prose, whole)


def openai_agents() -> Library:
    """Over chat completions: an agent that streams text, and one for the object."""
    agents: Any = import_module("agents")
    openai: Any = import_module("openai")
    # It would send every turn to its makers.
    agents.set_tracing_disabled(True)

    def model(url: str) -> Any:
        client = openai.AsyncOpenAI(base_url=url, api_key="none")
        return agents.OpenAIChatCompletionsModel("bench", openai_client=client)

    def items_of(message: dict[str, Any]) -> list[dict[str, Any]]:
        content = message["content"]
        if message["role"] == "tool":
            call_id = message["tool_call_id"]
            return [{"type": "function_call_output", "call_id": call_id, "output": content}]
        calls = [
            {"type": "function_call", "call_id": call["id"], **call["function"]}
            for call in message.get("tool_calls", ())
        ]
        return [*([{"role": message["role"], "content": content}] if content else []), *calls]

    async def read(agent: Any, given: Any) -> Any:
        result = agents.Runner.run_streamed(agent, given)
        async for _ in result.stream_events():
            pass
        return result

    def prose(url: str, conversation: Messages, count: int) -> Prose:
        found = [
            agents.function_tool(search, name_override=name, description_override=text)
            for name, text in many(count)
        ]
        agent = agents.Agent(name="talker", model=model(url), tools=found)
        items = [item for message in conversation for item in items_of(message)]

        async def turn(show: Show) -> None:
            async for event in agents.Runner.run_streamed(agent, list(items)).stream_events():
                if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                    show(event.data.delta)

        return turn

    def whole(url: str) -> Turn:
        looking = [agents.function_tool(lookup_order)]
        talker = agents.Agent(name="talker", model=model(url), instructions=SYSTEM, tools=looking)
        maker = agents.Agent(name="maker", model=model(url), instructions=SYSTEM, output_type=Ticket)

        async def turn() -> dict[str, Any]:
            talked = await read(talker, QUESTION)
            made = await read(maker, [*talked.to_input_list(), {"role": "user", "content": NOW}])
            return dict(made.final_output.model_dump())

        return turn

    return Library("openai-agents", prose, whole)


def pydantic_ai() -> Library:
    """An agent with tools that streams text, and one for the object."""
    ai: Any = import_module("pydantic_ai")
    messages: Any = import_module("pydantic_ai.messages")
    openai: Any = import_module("pydantic_ai.models.openai")
    providers: Any = import_module("pydantic_ai.providers.openai")

    def model(url: str) -> Any:
        provider = providers.OpenAIProvider(base_url=url, api_key="none")
        return openai.OpenAIChatModel("bench", provider=provider)

    def history_of(conversation: Messages) -> list[Any]:
        history: list[Any] = []
        names: dict[str, str] = {}
        for message in conversation:
            content = message["content"]
            if message["role"] == "user":
                history.append(messages.ModelRequest(parts=[messages.UserPromptPart(content)]))
            elif message["role"] == "tool":
                call_id = message["tool_call_id"]
                part = messages.ToolReturnPart(names[call_id], content, tool_call_id=call_id)
                history.append(messages.ModelRequest(parts=[part]))
            else:
                parts: list[Any] = [messages.TextPart(content)] if content else []
                for call in message.get("tool_calls", ()):
                    name, arguments = call["function"]["name"], call["function"]["arguments"]
                    names[call["id"]] = name
                    parts.append(messages.ToolCallPart(name, arguments, call["id"]))
                history.append(messages.ModelResponse(parts=parts))
        return history

    def prose(url: str, conversation: Messages, count: int) -> Prose:
        tools = [ai.Tool(search, name=name, description=text) for name, text in many(count)]
        agent = ai.Agent(model(url), tools=tools)
        history = history_of(conversation[:-1])

        async def turn(show: Show) -> None:
            async with agent.run_stream(conversation[-1]["content"], message_history=history) as result:
                async for text in result.stream_text(delta=True, debounce_by=None):
                    show(text)

        return turn

    def whole(url: str) -> Turn:
        talker = ai.Agent(model(url), tools=[lookup_order], instructions=SYSTEM)
        maker = ai.Agent(model(url), output_type=ai.NativeOutput(Ticket), instructions=SYSTEM)

        async def turn() -> dict[str, Any]:
            async with talker.run_stream(QUESTION) as result:
                async for _ in result.stream_text(delta=True, debounce_by=None):
                    pass
            async with maker.run_stream(NOW, message_history=result.all_messages()) as made:
                return dict((await made.get_output()).model_dump())

        return turn

    return Library("pydantic-ai-slim", prose, whole)


def selectools() -> Library:
    """An agent, which ends its turn with the object in a call of its own."""
    library: Any = import_module("selectools")
    openai: Any = import_module("selectools.providers.openai_provider")
    types: Any = import_module("selectools.types")
    tool: Any = import_module("selectools.tools").tool

    def agent_of(url: str, tools: list[Any], **more: Any) -> Any:
        # Where it sends to is only read from here.
        os.environ["OPENAI_BASE_URL"] = url
        provider = openai.OpenAIProvider(api_key="none", default_model="bench")
        config = library.AgentConfig(model="bench", system_prompt=SYSTEM, stream=True, **more)
        return library.Agent(tools=tools, provider=provider, config=config)

    def message_of(message: dict[str, Any]) -> Any:
        calls = [
            types.ToolCall(
                tool_name=call["function"]["name"],
                parameters=json.loads(call["function"]["arguments"]),
                id=call["id"],
            )
            for call in message.get("tool_calls", ())
        ]
        return types.Message(
            role=types.Role(message["role"]),
            content=message["content"] or "",
            tool_calls=calls or None,
            tool_call_id=message.get("tool_call_id"),
        )

    def searching(name: str, text: str) -> Any:
        async def search(query: str, limit: int = 10, regions: str = "", exact: bool = False) -> str:
            """Search a part of the shop."""
            return "[]"

        return tool(name=name, description=text)(search)

    def prose(url: str, conversation: Messages, count: int) -> Prose:
        agent = agent_of(url, [searching(name, text) for name, text in many(count)])
        given = [message_of(message) for message in conversation]

        async def turn(show: Show) -> None:
            # An agent keeps the conversation that it has had.
            agent.reset()
            async for item in agent.astream(list(given)):
                if isinstance(item, types.StreamChunk) and item.content:
                    show(item.content)

        return turn

    def whole(url: str) -> Turn:
        async def lookup_order(order_id: str) -> str:
            """Look up an order."""
            return json.dumps({"order_id": order_id, "status": "shipped", "weight": 3.2})

        looking = tool(description="Look up an order.")(lookup_order)
        final_turn = library.StructuredOutputConfig(final_turn_only=True)
        agent = agent_of(url, [looking], structured_output=final_turn)

        async def turn() -> dict[str, Any]:
            agent.reset()
            items = [item async for item in agent.astream(QUESTION, response_format=Ticket)]
            return dict(items[-1].parsed.model_dump())

        return turn

    return Library("selectools", prose, whole)


LIBRARIES = {
    "selectools": selectools,
    "pydantic-ai": pydantic_ai,
    "openai-agents": openai_agents,
    "langchain": langchain,
}


def run_of(work: str, act: Any, *, times: int = 1, streams: int = 1) -> Run:
    """The work so many times, one after the other; of streams so many at once.

    Args:
        work: ``turn`` for whole turns, ``first`` for what passes until the first text, else for all the text.
        act: a `Turn` for whole turns, else a `Prose`.
        times: how often.
        streams: how many at once.
    """

    async def read() -> str:
        texts: list[str] = []
        await act(texts.append)
        return "".join(texts)

    async def together() -> str:
        (text,) = set(await asyncio.gather(*(read() for _ in range(streams))))
        return text

    async def until_first() -> tuple[float, Any]:
        seconds = 0.0
        with Cpu():
            for _ in range(times):
                ends: list[float] = []
                start = time.process_time()
                await act(lambda text, ends=ends: text and (ends or ends.append(time.process_time())))
                seconds += ends[0] - start
        return seconds, None

    once = act if work == "turn" else read if streams == 1 else together

    async def run() -> tuple[float, Any]:
        with Cpu() as cpu:
            results = [await once() for _ in range(times)]
        assert all(result == results[0] for result in results)
        return cpu.seconds, results[0]

    return until_first if work == "first" else run


def prepared(library: Library, work: str, url: str, given: dict[str, Any]) -> Run:
    """A library's way to the work, with what can be done before done."""
    conversation = given.pop("messages", None) or [{"role": "user", "content": QUESTION}]
    count = given.pop("tools", 0)
    act = library.turn(url) if work == "turn" else library.prose(url, conversation, count)
    return run_of(work, act, **given)


async def main(name: str) -> None:
    """Answer line by line, until there are no more."""
    library = LIBRARIES[name]()
    _say({"name": f"{library.package} {version(library.package)}"})
    known: dict[str, Run] = {}
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        if line not in known:
            asked = json.loads(line)
            known[line] = prepared(library, asked["work"], asked["url"], asked["given"])
        try:
            seconds, result = await known[line]()
        except Exception as error:
            _say({"error": f"{type(error).__name__}: {error}"[:500]})
        else:
            _say({"seconds": seconds, "result": result})


def _say(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
