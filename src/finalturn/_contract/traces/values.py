"""The values of records as JSON, and back. What is read is checked, and never quoted in an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from finalturn._core.chunks import NestedActivity, PartialObject, StreamChunk, StreamEvent
from finalturn._core.errors import MessageFormatError
from finalturn._core.frozen import freeze
from finalturn._core.messages import Message, ToolCall
from finalturn._core.result import Usage
from finalturn._core.type_guards import is_array, is_mapping

__all__ = ["Kind", "Misfit", "kind_of", "misses"]

T = TypeVar("T")


class Misfit(ValueError):
    """A value is not what it must be. Its text is where, and what it must be; it quotes nothing."""


@dataclass(frozen=True)
class Kind:
    """A kind of value.

    Attributes:
        json: what it is in JSON, in words.
        write: the value to plain JSON types.
        read: the inverse; takes the name of the field too, and raises `Misfit`.
    """

    json: str
    write: Callable[[Any], Any]
    read: Callable[[str, Any], Any]


def kind_of(hint: Any) -> Kind:
    """How values of an annotated type are written and read."""
    if hint is Any:
        return Kind("any JSON value", lambda value: value, lambda name, value: value)
    kind = _KINDS.get(hint)
    if kind is not None:
        return kind
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _one_of(inner)
    if origin is tuple:
        return _array(kind_of(inner[0]))
    if origin in (Union, UnionType) and NoneType in inner:
        types = tuple(member for member in inner if member is not NoneType)
        return _optional(kind_of(types[0] if len(types) == 1 else Union[types]))  # noqa: UP007
    raise TypeError(f"a record cannot hold a {hint}")


def misses(name: str, expected: str) -> Misfit:
    """The error of a field that is not what is wanted."""
    return Misfit(f"{name}: must be {expected}")


def _plain(kind: type, words: str) -> Kind:
    def read(name: str, value: Any) -> Any:
        if type(value) is not kind:
            raise misses(name, words)
        return value

    return Kind(words, lambda value: value, read)


def _one_of(values: tuple[Any, ...]) -> Kind:
    words = " or ".join(f'"{value}"' for value in values)

    def read(name: str, value: Any) -> Any:
        if value not in values:
            raise misses(name, words)
        return value

    return Kind(words, lambda value: value, read)


def _optional(inner: Kind) -> Kind:
    return Kind(
        f"{inner.json}, or null",
        lambda value: None if value is None else inner.write(value),
        lambda name, value: None if value is None else inner.read(name, value),
    )


def _array(inner: Kind) -> Kind:
    def read(name: str, value: Any) -> Any:
        if not is_array(value):
            raise misses(name, "an array")
        return tuple(inner.read(f"{name}[{place}]", item) for place, item in enumerate(value))

    return Kind(
        f"an array; each item is {inner.json}", lambda value: [inner.write(item) for item in value], read
    )


def _from_dict(kind: type[Message] | type[ToolCall], words: str) -> Kind:
    def read(name: str, value: Any) -> Any:
        try:
            return kind.from_dict(value)
        except MessageFormatError as error:
            raise Misfit(f"{name}{'.' if error.field else ''}{error.field}: {error.problem}") from None

    return Kind(words, lambda value: value.to_dict(), read)


def _write_chunk(chunk: StreamChunk) -> dict[str, Any]:
    data: dict[str, Any] = {"call": chunk.call}
    if chunk.content:
        data["content"] = chunk.content
    elif chunk.reasoning:
        data["reasoning"] = chunk.reasoning
    elif chunk.tool_calls:
        data["tool_calls"] = [call.to_dict() for call in chunk.tool_calls]
    elif chunk.tool_message is not None:
        data["tool_message"] = chunk.tool_message.to_dict()
    elif chunk.partial is not None:
        data["partial"] = _CHUNK["partial"].write(chunk.partial)
    elif (nested := chunk.activity) is not None:
        data["activity"] = {name: kind.write(getattr(nested, name)) for name, kind in _ACTIVITY.items()}
    else:
        data["event"] = None if chunk.event is None else str(chunk.event)
    return data


def _read_activity(name: str, value: Any) -> NestedActivity:
    written = _object(name, value, tuple(_ACTIVITY), tuple(_ACTIVITY))
    values = {field: kind.read(f"{name}.{field}", written[field]) for field, kind in _ACTIVITY.items()}
    return NestedActivity(**values)


def _read_chunk(name: str, value: Any) -> StreamChunk:
    written = _object(name, value, ("call",), StreamChunk.__match_args__)
    values = {field: _CHUNK[field].read(f"{name}.{field}", item) for field, item in written.items()}
    if "event" in values:
        values["event"] = StreamEvent(values["event"])
    try:
        return StreamChunk(**values)
    except ValueError as error:
        raise Misfit(f"{name}: {error}") from None


def _read_partial(name: str, value: Any) -> PartialObject:
    try:
        return PartialObject(freeze(value, name))
    except MessageFormatError as error:
        raise Misfit(f"{name}: {error.problem}") from None


def _read_usage(name: str, value: Any) -> Usage:
    names = tuple(field.name for field in fields(Usage))
    counts = _object(name, value, names, names)
    return Usage(**{field: _KINDS[int].read(f"{name}.{field}", count) for field, count in counts.items()})


def _object(name: str, value: Any, needed: tuple[str, ...], allowed: tuple[str, ...]) -> Mapping[str, Any]:
    if not is_mapping(value):
        raise misses(name, "an object")
    for field in needed:
        if field not in value:
            raise Misfit(f"{name}.{field}: is missing")
    if not value.keys() <= set(allowed):
        raise Misfit(f"{name}: has a field that is none of {', '.join(allowed)}")
    return value


_MESSAGE = _from_dict(Message, "a message, as `Message.to_dict` gives it")
_CALL = _from_dict(ToolCall, "a tool call, as `ToolCall.to_dict` gives it")

_KINDS: dict[Any, Kind] = {
    bool: _plain(bool, "true or false"),
    int: _plain(int, "an integer"),
    str: _plain(str, "a string"),
    Message: _MESSAGE,
    ToolCall: _CALL,
    Usage: Kind("an object: the fields of `Usage`", asdict, _read_usage),
    StreamChunk: Kind(
        "an object: `call`, and the one other field of the `StreamChunk` that is set",
        _write_chunk,
        _read_chunk,
    ),
}

_CHUNK: dict[str, Kind] = {
    "call": _KINDS[int],
    "content": _KINDS[str],
    "reasoning": _KINDS[str],
    "tool_calls": _array(_CALL),
    "tool_message": _MESSAGE,
    "event": _one_of(tuple(str(event) for event in StreamEvent)),
    "partial": Kind("any JSON value", lambda partial: partial.value, _read_partial),
    "activity": Kind("an object: the fields of `NestedActivity`", asdict, _read_activity),
}

_ACTIVITY: dict[str, Kind] = {
    "call_id": _optional(_KINDS[str]),
    "tool": _KINDS[str],
    "chunk": _KINDS[StreamChunk],
    "index": _KINDS[int],
}
