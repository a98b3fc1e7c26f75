"""The records of the native stream and the texts of a tool's failure, as real turns had them."""

from __future__ import annotations

import asyncio
import json
import logging
import textwrap
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, TypeAdapter

from finalturn import (
    Agent,
    CoherenceGate,
    ProviderError,
    StructuredOutputConfig,
    ToolError,
    ToolFailure,
    ToolGate,
    ToolPolicy,
    Usage,
    tool,
)
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from tools.contractdocs.render.page import table

T = TypeVar("T")

RUN_ID = "NIHB3aO6w7pfSRcq"
"""Stands for the id of the run, which chance makes."""

_WIDTH = 96

_CALL = ("look_up", {"order": "A-17"})


class Ticket(BaseModel):
    topic: str
    urgent: bool


@tool
def look_up(order: str) -> str:
    """Look an order up."""
    return f"Order {order} left on Monday."


@cache
def records() -> str:
    """Every kind of record: what it is, and one as it was sent, with a comment on each field."""
    sent = _run(_streamed())
    from finalturn._serve.formats.schemas_records import NativeRecord

    schema: Any = TypeAdapter(NativeRecord).json_schema()
    kinds: Mapping[str, str] = schema["discriminator"]["mapping"]
    assert set(kinds) == set(sent), f"records were sent of {', '.join(sent)} alone"
    names = {kind: ref.rpartition("/")[2] for kind, ref in kinds.items()}
    text = "\n\n".join(_section(sent[kind], schema["$defs"][names[kind]], schema) for kind in sent)
    for kind, name in names.items():
        text = text.replace(f"`{name}`", f"`{kind}`")
    return text


@cache
def failures() -> str:
    """What is said of each failure of a tool: in the process, and to a client."""
    return table(
        ("`tool_failure`", "`content` in the process, for the model", "`content` over HTTP"), _run(_failed())
    )


async def _streamed() -> dict[str, dict[str, Any]]:
    """The first record of each kind, in the order in which they came; what an agent shows has a turn apart."""
    agent = Agent(
        Scripted(
            [
                Scripted.reasoning("The order is to be looked up."),
                "Let me look. ",
                Scripted.call(*_CALL),
                Usage(input_tokens=212, output_tokens=31, total_tokens=243),
            ],
            ["It left on Monday.", Usage(input_tokens=268, output_tokens=9, total_tokens=277)],
            [
                '{"topic": "delivery"',
                ', "urgent": false}',
                Usage(input_tokens=340, output_tokens=14, total_tokens=354),
            ],
            ProviderError("the provider answered with status 503", status=503, retryable=True),
        ),
        tools=[look_up],
        response_format=Ticket,
        structured_output=StructuredOutputConfig(final_turn_only=True, partial_objects=True),
        sessions=InMemorySessions(),
    )
    found: dict[str, dict[str, Any]] = {}
    for question in ("Where is my order A-17?", "And B-99?"):
        for record in await _asked(agent, {"input": question, "session": "visitor-1"}):
            record |= {"run_id": RUN_ID} if "run_id" in record else {}
            found.setdefault(record["type"], record)
    packer = Agent(Scripted("It holds a kettle."))
    asks = Scripted(Scripted.call("open_parcel", {"task": "What is in it?"}), "A kettle.")
    asking = Agent(asks, tools=[packer.as_tool("open_parcel", "Says what a parcel holds.", show=True)])
    shown = [one for one in await _asked(asking, {"input": "What is in it?"}) if one["type"] == "activity"]
    before = list(found).index("result")
    return dict([*list(found.items())[:before], ("activity", shown[0]), *list(found.items())[before:]])


async def _failed() -> list[tuple[str, str, str]]:
    """The rows of the table: each failure, and both texts."""
    rows: list[tuple[str, str, str]] = []
    for kind in get_args(ToolFailure):
        call, given, gates = _failing(kind)
        agents = [Agent(Scripted([call], "I am sorry."), tools=[given], gates=gates) for _ in range(2)]
        question = "Where is my order A-17?"
        result = await agents[0].arun(question)
        here = next(message for message in result.messages if message.tool_name)
        sent = await _asked(agents[1], {"input": question})
        there = next(record["tool_message"] for record in sent if record["type"] == "tool_result")
        assert here.tool_failure == there["tool_failure"] == kind, f"{kind}: {here}, {there}"
        rows.append((f"`{kind}`", here.content.replace("\n", "<br>"), there["content"]))
    return rows


def _failing(kind: ToolFailure) -> tuple[Any, Any, Sequence[ToolGate]]:
    """What fails so: the model's call, the tool, and the gates."""
    call = Scripted.call(*_CALL)
    match kind:
        case "arguments":
            return Scripted.call("look_up", {"order": None}), look_up, ()
        case "unknown_tool":
            return Scripted.call("look", {"order": "A-17"}), look_up, ()
        case "tool_error":
            return call, _failing_tool(ToolError("There is no order A-17.")), ()
        case "error":
            return call, _failing_tool(RuntimeError("no route to db-1.internal")), ()
        case "timeout":
            return call, _failing_tool(None), ()
        case "policy":
            return call, look_up, [ToolPolicy(deny=["look_up"])]
        case "approval":
            return call, look_up, [ToolPolicy(needs_approval=["look_up"], approve=lambda call: False)]
        case "coherence":
            return call, look_up, [CoherenceGate(lambda call, messages: False)]


def _failing_tool(error: Exception | None) -> Any:
    """A tool that raises an error, or takes too long."""

    @tool(name="look_up", timeout=None if error else 0.01)
    async def fails(order: str) -> str:
        """Look an order up."""
        if error is None:
            await asyncio.Event().wait()
        raise error or TimeoutError

    return fails


async def _asked(agent: Agent[Any], body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The records that a served agent sends."""
    from finalturn.serve import create_app
    from tests.serve._asgi import Client, lifespan

    app = create_app(agent)
    async with lifespan(app):
        answer = await Client(app).send("POST", "/v1/chat/stream", json=body)
    return answer.records


def _section(record: Mapping[str, Any], schema: Any, root: Any) -> str:
    lines = [f"### `{record['type']}`", "", schema["description"], "", "```jsonc", "{"]
    return "\n".join([*lines, *_fields(record, schema, root, "  "), "}", "```"])


def _fields(value: Mapping[str, Any], schema: Any, root: Any, indent: str) -> Iterator[str]:
    """The fields of an object, each below what is said of it. What is in lists stands on a line."""
    # A record begins with its type, as nobody can tell from the schema of one that inherits.
    for at, (name, item) in enumerate(value.items(), 1):
        about = schema["properties"].get(name, {})
        inner = root["$defs"].get(about.get("$ref", "").rpartition("/")[2])
        words = about.get("description") or (inner or {}).get("description", "")
        mark = f"{indent}// "
        yield from textwrap.wrap(words, _WIDTH, initial_indent=mark, subsequent_indent=mark)
        comma = "," if at < len(value) else ""
        if inner is not None and isinstance(item, dict):
            yield f"{indent}{json.dumps(name)}: {{"
            yield from _fields(item, _chosen(inner, item, root), root, f"{indent}  ")
            yield f"{indent}}}{comma}"
        elif isinstance(item, list) and item:
            yield f"{indent}{json.dumps(name)}: ["
            yield ",\n".join(f"{indent}  {json.dumps(one, ensure_ascii=False)}" for one in item)
            yield f"{indent}]{comma}"
        else:
            yield f"{indent}{json.dumps(name)}: {json.dumps(item, ensure_ascii=False)}{comma}"


def _chosen(schema: Any, value: Mapping[str, Any], root: Any) -> Any:
    """The schema of a value; of a union, that of its member."""
    members = [root["$defs"][one["$ref"].rpartition("/")[2]] for one in schema.get("anyOf", ())]
    own = (one for one in members if one["properties"]["type"]["const"] == value["type"])
    return next(own, schema)


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Run it, and log nothing: the failures are meant."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        return asyncio.run(work)
    finally:
        logging.disable(before)
