"""Holds what is really sent against the declared types: no field is missing, and none is unknown."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, cast

from jsonschema import Draft202012Validator
from pydantic import TypeAdapter
from referencing import Registry


def judge_of(schema: Any) -> Any:
    """The validator of a schema. Nothing is ever fetched: what does not resolve in it is an error."""
    registry: Registry[Any] = Registry()
    return Draft202012Validator(schema, registry=registry)


def check_schema(schema: Any) -> None:
    """Fail where it is none."""
    Draft202012Validator.check_schema(schema)


def closed(schema: object) -> Any:
    """The same schema, in which no object has a field that is not named."""
    if isinstance(schema, list):
        return [closed(one) for one in cast("list[object]", schema)]
    if not isinstance(schema, dict):
        return schema
    found = {key: closed(value) for key, value in cast("dict[str, object]", schema).items()}
    if found.get("type") == "object" and "properties" in found:
        found["additionalProperties"] = False
    return found


def check(declared: Any, value: Any) -> None:
    """Fail where a value is not of a type, once it has been sent as JSON."""
    _judge_of_type(declared).validate(json.loads(json.dumps(value)))


def accepts(declared: Any, value: Any) -> bool:
    """Whether it is of the type."""
    valid: bool = _judge_of_type(declared).is_valid(value)
    return valid


@cache
def _judge_of_type(declared: Any) -> Any:
    return judge_of(closed(TypeAdapter[Any](declared).json_schema(mode="serialization")))
