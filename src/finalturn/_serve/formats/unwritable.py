"""Finds parts of a response_format that can never be written as JSON, and so never sent to a client."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any, NamedTuple, cast
from uuid import UUID

from pydantic import BaseModel

from finalturn._core.errors import ConfigurationError
from finalturn._core.json_schema import SchemaValueError
from finalturn._core.output.pydantic_values import JsonValuesSchema
from finalturn._core.type_guards import is_array, is_dict
from finalturn._response_format import is_adapter, is_model

__all__ = ["check_writable", "unwritable_field"]

# Of these, pydantic can tell from the value how it is written.
_WRITTEN = (
    BaseModel, Decimal, Enum, PurePath, UUID, bool, bytes, date, dict, float, frozenset, int, list, set, str,
    time, timedelta, tuple,
)  # fmt: skip


class _TypePlace(NamedTuple):
    """A part of a type.

    Attributes:
        path: the fields that lead to it.
        schema: pydantic's core schema of it.
        config: of the model that it is a part of.
    """

    path: tuple[str, ...]
    schema: Mapping[str, Any]
    config: Mapping[str, Any]


def check_writable(response_format: object) -> None:
    """Refuse a response_format of which no value, or not each, can be sent to a client.

    Raises:
        ConfigurationError: it names the field.
    """
    if is_model(response_format):
        core: Mapping[str, Any] = response_format.__pydantic_core_schema__
    elif is_adapter(response_format):
        core = response_format.core_schema
    else:
        return
    problem = next(_problems(core), None) or _without_schema(response_format)
    if problem is not None:
        raise ConfigurationError(f"an agent with this response_format cannot be served: {problem}")


def unwritable_field(value: object, to_json: Any) -> str:
    """The name of a value's first field that cannot be written; ``""`` when it has no such field.

    Args:
        value: the validated object.
        to_json: raises for what cannot be written.
    """
    for name, part in _fields_of(value):
        try:
            to_json(part)
        except Exception:
            return name
    return ""


def _fields_of(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, BaseModel):
        yield from value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield field.name, getattr(value, field.name, None)


def _without_schema(response_format: Any) -> str | None:
    """Why pydantic itself says that there is no JSON Schema of what it would write."""
    try:
        if is_model(response_format):
            response_format.model_json_schema(mode="serialization", schema_generator=JsonValuesSchema)
        else:
            response_format.json_schema(mode="serialization", schema_generator=JsonValuesSchema)
    except SchemaValueError as error:
        return str(error)
    except Exception as error:
        return str(error).partition("\n")[0] or type(error).__name__
    return None


def _problems(core: Mapping[str, Any]) -> Iterator[str]:
    pending = [_TypePlace((), core, {})]
    seen: set[int] = set()
    while pending:
        place = pending.pop(0)
        if id(place.schema) in seen or "serialization" in place.schema:
            # What has a serialiser of its own is written by that.
            continue
        seen.add(id(place.schema))
        if (problem := _problem(place)) is not None:
            yield f"field {'.'.join(place.path)!r}: {problem}" if place.path else problem
        pending += _parts(place)


def _problem(place: _TypePlace) -> str | None:
    kind, config = place.schema.get("type"), place.config
    if kind == "bytes":
        read, written = config.get("val_json_bytes", "utf8"), config.get("ser_json_bytes", "utf8")
        if read != "utf8" and written == "utf8":
            return f"bytes that are read as {read} cannot be written as text; set ser_json_bytes={read!r} too"
    elif kind == "is-instance":
        cls = place.schema["cls"]
        if isinstance(cls, type) and cls is not object and not _is_written(cast("type[Any]", cls)):
            return f"a {cls.__name__} has no JSON form; give it a serialiser (pydantic's PlainSerializer)"
    elif kind in ("callable", "is-subclass"):
        return "a class or function has no JSON form; give it a serialiser (pydantic's PlainSerializer)"
    return None


def _is_written(cls: type[Any]) -> bool:
    abstract = cls.__module__ in ("collections.abc", "typing", "abc", "numbers")
    return abstract or issubclass(cls, _WRITTEN) or dataclasses.is_dataclass(cls)


def _parts(place: _TypePlace) -> Iterator[_TypePlace]:
    schema = place.schema
    config: Mapping[str, Any] = schema["config"] if is_dict(schema.get("config")) else place.config
    for key, value in schema.items():
        if key in ("fields", "computed_fields"):
            for name, part in _named(value):
                yield _TypePlace((*place.path, name), part, config)
        elif key not in ("metadata", "config", "serialization"):
            for part in _schemas(value):
                yield _TypePlace(place.path, part, config)


def _named(fields: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The fields by name. Those of a dataclass, and computed ones, are a list."""
    if is_dict(fields):
        yield from fields.items()
        return
    for field in fields if is_array(fields) else ():
        # A dataclass lists the names alone as well.
        if is_dict(field):
            yield str(field.get("name", field.get("property_name", ""))), field


def _schemas(value: object) -> Sequence[Mapping[str, Any]]:
    if is_dict(value):
        return [value] if "type" in value else [part for item in value.values() for part in _schemas(item)]
    if is_array(value):
        return [part for item in value for part in _schemas(item)]
    return []
