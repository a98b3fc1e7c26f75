"""Conversations, and what strict vendors refuse them for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from finalturn._core.messages import ContentPart, Message, Role, ToolCall

USER = Message.user("hi")
IMAGE = ContentPart.image_url("https://example.org/a.png")


def asks(*calls: ToolCall, content: str = "") -> Message:
    return Message.assistant(content, tool_calls=calls)


def call(call_id: str | None, name: str = "f") -> ToolCall:
    return ToolCall(name, {}, call_id)


def answer(call_id: str | None, text: str = "ok", name: str | None = "f") -> Message:
    return Message(Role.TOOL, text, tool_name=name, tool_call_id=call_id, tool_result=text)


def problems(messages: Sequence[Message]) -> list[str]:
    """What strict vendors would refuse a conversation for."""
    found: list[str] = []
    awaited: dict[str, str] = {}
    for place, message in enumerate(messages):
        if message.role is Role.TOOL:
            if awaited.pop(message.tool_call_id or "", None) != message.tool_name or not message.tool_name:
                found.append(f"{place}: a result that answers no open call of its name")
        elif awaited:
            found.append(f"{place}: calls are still open: {sorted(awaited)}")
            awaited = {}
        if message.role is not Role.TOOL:
            blank = not message.content.strip()
            if message.content and blank:
                found.append(f"{place}: blank text")
            if blank and not message.content_parts and not message.tool_calls:
                found.append(f"{place}: nothing in it")
            if message.tool_call_id or message.tool_name:
                found.append(f"{place}: marked as a result")
        if message.tool_calls and message.role is not Role.ASSISTANT:
            found.append(f"{place}: calls of somebody else")
        ids = [item.id or "" for item in message.tool_calls]
        if not all(ids) or len(set(ids)) != len(ids):
            found.append(f"{place}: ids {ids}")
        if not all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", item.name) for item in message.tool_calls):
            found.append(f"{place}: names")
        awaited |= {item.id or "": item.name for item in message.tool_calls}
    return [*found, *(["open at the end"] if awaited else [])]
