"""The records of the native stream, and the texts of a tool's failure."""

from __future__ import annotations

import asyncio
import json
import textwrap
from collections.abc import Sequence
from functools import cache
from typing import Any, get_args

from pydantic import TypeAdapter

from finalturn import Agent, CoherenceGate, ToolError, ToolFailure, ToolGate, ToolPolicy, tool
from finalturn._serve.formats.public import public_tool_message
from finalturn._serve.formats.schemas_records import NativeRecord
from finalturn.providers import Scripted
from tools.contractdocs.render.page import TEMPLATES, filled_in, quiet, table

_WIDTH = 96


@cache
def records() -> str:
    """Every kind of record: what it is, and a sample of it with a comment on each field.

    Raises:
        ValueError: a sample is not as the server's schema has it, or there is not one of each kind.
    """
    samples = json.loads((TEMPLATES / "native_records.json").read_text(encoding="utf-8"))
    adapter: TypeAdapter[Any] = TypeAdapter(NativeRecord)
    schema: Any = adapter.json_schema()
    names = {kind: ref.rpartition("/")[2] for kind, ref in schema["discriminator"]["mapping"].items()}
    for sample in samples:
        if adapter.validate_python(sample) != sample:
            raise ValueError(f"native_records.json: the {sample['type']} has fields that it does not have")
    if sorted(names) != sorted(sample["type"] for sample in samples):
        raise ValueError(f"native_records.json must have one of each: {', '.join(names)}")
    text = filled_in(
        "_records.md", samples=samples, root=schema, names=names, member=_member, wrapped=_wrapped
    ).strip()
    for kind, name in names.items():
        text = text.replace(f"`{name}`", f"`{kind}`")
    return text


def _member(schema: Any, value: Any, root: Any) -> Any:
    """The schema of a value; of a union, that of its member."""
    members = [root["$defs"][one["$ref"].rpartition("/")[2]] for one in schema.get("anyOf", ())]
    return next((one for one in members if one["properties"]["type"]["const"] == value["type"]), schema)


def _wrapped(text: str, mark: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=mark, subsequent_indent=mark)


@cache
def failures() -> str:
    """What is said of each failure of a tool: in the process, and to a client."""
    rows: list[tuple[str, str, str]] = []
    for kind in get_args(ToolFailure):
        call, given, gates = _failing(kind)
        with quiet():
            result = Agent(Scripted([call], "I am sorry."), tools=[given], gates=gates).run("Where is A-17?")
        message = next(message for message in result.messages if message.tool_name)
        assert message.tool_failure == kind, f"{kind}: {message}"
        there = public_tool_message(message)["content"]
        rows.append((f"`{kind}`", message.content.replace("\n", "<br>"), there))
    return table(("`tool_failure`", "`content` in the process, for the model", "`content` over HTTP"), rows)


@tool
def look_up(order: str) -> str:
    """Look an order up."""
    return f"Order {order} left on Monday."


def _failing(kind: ToolFailure) -> tuple[Any, Any, Sequence[ToolGate]]:
    """What fails so: the model's call, the tool, and the gates."""
    call = Scripted.call("look_up", {"order": "A-17"})
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
