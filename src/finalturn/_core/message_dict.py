"""Messages as plain dictionaries, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from finalturn._core import json_text
from finalturn._core.errors import MessageFormatError
from finalturn._core.frozen import thaw
from finalturn._core.type_guards import is_array, is_mapping

if TYPE_CHECKING:
    from finalturn._core.messages import ContentPart, Message, ToolCall

T = TypeVar("T")


def arguments_json(arguments: Mapping[str, Any]) -> str:
    return json_text.encode(arguments).decode()


def part_to_dict(part: ContentPart) -> dict[str, Any]:
    data = {"kind": part.kind, "url": part.url, "data": part.data, "media_type": part.media_type}
    return {name: value for name, value in data.items() if value is not None}


def call_to_dict(call: ToolCall) -> dict[str, Any]:
    data: dict[str, Any] = {"name": call.name, "arguments": thaw(call.arguments)}
    if call.id is not None:
        data["id"] = call.id
    if call.error is not None:
        data["error"] = call.error
    if call.provider_data is not None:
        data["provider_data"] = thaw(call.provider_data)
    return data


def message_to_dict(message: Message) -> dict[str, Any]:
    data: dict[str, Any] = {"role": str(message.role), "content": message.content}
    if message.tool_calls:
        data["tool_calls"] = [call_to_dict(call) for call in message.tool_calls]
    if message.role == "tool":
        # Written out even when None: it is what tells a failed tool from one that said nothing.
        data["tool_result"] = message.tool_result
    for name in ("tool_name", "tool_call_id", "tool_result", "structured", "tool_failure"):
        value = getattr(message, name)
        if value is not None:
            data[name] = value
    if message.content_parts:
        data["content_parts"] = [part_to_dict(part) for part in message.content_parts]
    return data


def known_fields(cls: type, data: object, *, required: tuple[str, ...]) -> dict[str, Any]:
    """The dictionary's fields, once it is clear that it has no other and lacks none."""
    if not is_mapping(data):
        raise MessageFormatError("", f"a {cls.__name__} is read from a mapping, not {type(data).__name__}")
    names = {field.name for field in fields(cls) if not field.name.startswith("_")}
    for name in data:
        if name not in names:
            raise MessageFormatError(str(name), f"is not a field of {cls.__name__}")
    for name in required:
        if name not in data:
            raise MessageFormatError(name, "is missing")
    return dict(data)


def read_items(data: dict[str, Any], name: str, read: Callable[[Mapping[str, Any]], T]) -> tuple[T, ...]:
    items: object = data.get(name, ())
    if not is_array(items):
        raise MessageFormatError(name, f"must be an array, not {type(items).__name__}")
    result: list[T] = []
    for index, item in enumerate(items):
        try:
            result.append(read(item))
        except MessageFormatError as error:
            where = f"{name}[{index}]"
            where = f"{where}.{error.field}" if error.field else where
            raise MessageFormatError(where, error.problem) from None
    return tuple(result)
