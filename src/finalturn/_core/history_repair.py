"""Rebuilds a conversation that providers would refuse."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from finalturn._core.assembly import fresh_id
from finalturn._core.history import VALID_NAME
from finalturn._core.messages import Message, Role, ToolCall

NOT_COMPLETED = "This call was not completed, so there is no result."
UNNAMED = "unnamed_tool"


class Repair:
    """Takes the messages one by one, and gives them back in an order and form that vendors accept."""

    def __init__(self) -> None:
        self._entries: list[Message | _Exchange] = []
        # Open calls, the one that a result is for at the end: the first of the newest response.
        self._open: list[_OpenCall] = []
        self._open_by_id: dict[str, list[_OpenCall]] = {}
        self._open_by_name: dict[str, list[_OpenCall]] = {}
        self._last_with_id: dict[str, _OpenCall] = {}

    def add(self, message: Message) -> None:
        """Take the next message."""
        if message.role is Role.TOOL:
            self._add_result(message)
        elif message.role is Role.ASSISTANT and message.tool_calls:
            exchange = _Exchange(message)
            self._entries.append(exchange)
            for call in reversed(exchange.calls):
                self._open.append(call)
                self._open_by_name.setdefault(call.original.name, []).append(call)
                if call.original.id:
                    self._open_by_id.setdefault(call.original.id, []).append(call)
        else:
            self._entries.extend(_unless_empty(message))

    def finish(self) -> Sequence[Message]:
        """The repaired conversation."""
        exchanges = [entry for entry in self._entries if isinstance(entry, _Exchange)]
        taken_ids = {
            call.original.id for exchange in exchanges for call in exchange.calls if call.original.id
        }
        result: list[Message] = []
        place = 0
        for entry in self._entries:
            if isinstance(entry, Message):
                result.append(entry)
            else:
                result.extend(entry.messages(place, taken_ids))
                place += len(entry.calls)
        return tuple(result)

    def _add_result(self, message: Message) -> None:
        call = self._call_of(message)
        if call is not None:
            call.result = message
            if message.tool_call_id:
                self._last_with_id[message.tool_call_id] = call
            return
        answered = self._last_with_id.get(message.tool_call_id or "")
        if answered is None or answered.result is None or answered.result.content != message.content:
            self._entries.extend(_note_of(message))

    def _call_of(self, message: Message) -> _OpenCall | None:
        if message.tool_call_id:
            return _next_open(self._open_by_id.get(message.tool_call_id))
        if message.tool_name:
            return _next_open(self._open_by_name.get(message.tool_name))
        return _next_open(self._open)


class _OpenCall:
    """A call and its result."""

    __slots__ = ("original", "result")

    def __init__(self, original: ToolCall) -> None:
        self.original = original
        self.result: Message | None = None


class _Exchange:
    """An ASSISTANT message with calls, and their results."""

    def __init__(self, message: Message) -> None:
        self._message = message
        self.calls = [_OpenCall(call) for call in message.tool_calls]

    def messages(self, place: int, taken_ids: set[str]) -> list[Message]:
        calls: list[ToolCall] = []
        results: list[Message] = []
        used: set[str] = set()
        for offset, call in enumerate(self.calls):
            call_id, name = call.original.id, _valid_name(call.original.name)
            if not call_id or call_id in used:
                call_id = fresh_id(place + offset, taken_ids)
                taken_ids.add(call_id)
            used.add(call_id)
            result = call.result or Message(Role.TOOL, NOT_COMPLETED)
            calls.append(replace(call.original, id=call_id, name=name))
            results.append(replace(result, tool_call_id=call_id, tool_name=name, tool_calls=()))
        content = "" if self._message.content.isspace() else self._message.content
        return [replace(self._message, content=content, tool_calls=tuple(calls)), *results]


def _next_open(calls: list[_OpenCall] | None) -> _OpenCall | None:
    while calls:
        call = calls.pop()
        if call.result is None:
            return call
    return None


def _unless_empty(message: Message) -> list[Message]:
    """The message, its answer where it has no text, or nothing."""
    content = message.content if message.content.strip() else ""
    if not content and message.structured and message.role is Role.ASSISTANT:
        content = message.structured.strip()
    if not content and not message.content_parts:
        return []
    if content == message.content and not message.tool_calls:
        return [message]
    return [replace(message, content=content, tool_calls=())]


def _note_of(result: Message) -> list[Message]:
    """A result whose call is gone, as the USER message that takes its place."""
    if not result.content_parts and (not result.content or result.content.isspace()):
        return []
    tool = f"the tool {_valid_name(result.tool_name)}" if result.tool_name else "a tool"
    note = f"Note: this is a result of {tool}, whose call is no longer part of the conversation."
    content = f"{note}\n\n{result.content}"
    return [Message(Role.USER, content, content_parts=result.content_parts)]


def _valid_name(name: str) -> str:
    if VALID_NAME.fullmatch(name):
        return name
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:64].strip("_") or UNNAMED
