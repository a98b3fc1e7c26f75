"""A request for a model without tools of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, cast

from finalturn._core.json_text import encode
from finalturn._core.messages import Message, Role, ToolCall
from finalturn._core.model import ModelRequest, ModelSettings, ToolSpec
from finalturn._core.textcalls.read import CLOSE, OPEN

__all__ = ["as_text", "block_of"]


def as_text(request: ModelRequest) -> ModelRequest:
    """The same request for a provider without native tools.

    The tools, and how to call them, stand at the end of the system prompt. Calls in the conversation are
    blocks in their ASSISTANT message; the results that follow one another are one USER message, in
    plain words: a small model copies any tag that it sees there. ``tools`` is empty and
    ``settings.tool_choice`` is not set: ``"required"`` becomes a sentence, and with ``"none"`` the tools
    are left out. A request without tools still has its conversation rendered.
    """
    settings = request.settings
    choice = settings.tool_choice
    system = request.system
    if request.tools and choice != "none":
        section = _instructions(request.tools, required=choice == "required")
        system = f"{system}\n\n{section}" if system else section
    return replace(
        request,
        messages=tuple(_rendered(request.messages)),
        system=system,
        tools=(),
        settings=settings if choice is None else _without_choice(settings),
    )


def block_of(call: ToolCall) -> str:
    """The text with which a model writes this call."""
    arguments = encode(call.arguments).decode() if call.error else call.arguments_json()
    return f'{OPEN}{{"name": {_json(call.name)}, "arguments": {arguments}}}{CLOSE}'


def _instructions(tools: Sequence[ToolSpec], *, required: bool) -> str:
    described = (
        _json({"name": tool.name, "description": tool.description, "parameters": tool.parameters})
        for tool in tools
    )
    example = ToolCall(tools[0].name, dict.fromkeys(_parameter_names(tools[0].parameters), "..."))
    lines = [
        "You can call these tools. Each is described by a line of JSON:",
        *described,
        "When a tool can help, do not answer yet. Write a block of exactly this form for a call, then stop:",
        block_of(example),
        "The results come in the next message.",
        "Now call a tool." if required else "When no tool can help, answer without a block.",
    ]
    return "\n".join(lines)


def _parameter_names(schema: Mapping[str, Any]) -> Iterable[str]:
    properties = schema.get("properties")
    return cast("Mapping[str, Any]", properties) if isinstance(properties, Mapping) else ()


def _rendered(messages: Sequence[Message]) -> Iterator[Message]:
    for is_result, group in groupby(messages, lambda message: message.role is Role.TOOL):
        if is_result:
            yield _results(list(group))
        else:
            yield from map(_with_blocks, group)


def _results(messages: list[Message]) -> Message:
    texts = (
        f"The tool {message.tool_name} answered: {message.content}"
        if message.tool_name
        else f"The tool answered: {message.content}"
        for message in messages
    )
    parts = (part for message in messages for part in message.content_parts)
    return Message.user("\n\n".join(texts), *parts)


def _with_blocks(message: Message) -> Message:
    if not message.tool_calls:
        return message
    written = [block_of(call) for call in message.tool_calls]
    if message.content.strip():
        written.insert(0, message.content.rstrip("\n"))
    return replace(message, content="\n".join(written), tool_calls=())


def _without_choice(settings: ModelSettings) -> ModelSettings:
    return replace(settings, tool_choice=None)


def _json(value: Any) -> str:
    return encode(value).decode()
