"""Walks a JSON Schema (draft 2020-12), and leaves out of one what JSON cannot say."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from finalturn._core.errors import MessageFormatError
from finalturn._core.frozen import freeze, thaw
from finalturn._core.json_text import MAX_DEPTH
from finalturn._core.type_guards import is_array, is_mapping, is_sequence

__all__ = ["LISTS", "MAPS", "PARTS", "SchemaValueError", "json_form", "sendable_schema"]

PARTS = frozenset(
    [
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    ]
)
"""Keywords whose value is a schema."""

LISTS = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
"""Keywords whose value is a list of schemas; ``items`` is one in older drafts."""

MAPS = frozenset(
    {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)
"""Keywords whose value holds schemas by name."""

# Without these, a schema means something else: their values must be JSON.
_STRUCTURE = frozenset(
    ["$dynamicRef", "$ref", "const", "dependentRequired", "enum", "pattern", "required", "type"]
)
# Lists of which each item is on its own.
_VALUES = frozenset(["enum", "examples"])


class SchemaValueError(ValueError):
    """A schema means something that JSON cannot say.

    Attributes:
        path: the field it is about, such as ``order.lines[].price``; ``""`` for the root.
        problem: what is wrong with it.
    """

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(path, problem)
        self.path = path
        self.problem = problem

    def __str__(self) -> str:
        return f"field {self.path!r}: {self.problem}" if self.path else self.problem


def sendable_schema(schema: Mapping[Any, Any]) -> dict[str, Any]:
    """A copy of a schema without what JSON cannot say: infinities, NaN, bytes, sets and other objects.

    A default, an example, a bound or any other keyword with such a value is left out; of lists of values
    (``enum``, ``examples``), only the values are. What is left out still binds where answers are validated.

    Raises:
        SchemaValueError: something without which the schema means something else cannot be said.
    """
    return _schema(schema, "", MAX_DEPTH)


def json_form(value: object) -> Any:
    """A value in JSON types: enums of strings and numbers by value, any sequence as a list.

    Raises:
        ValueError: JSON cannot say it.
    """
    if isinstance(value, Decimal) and not value.is_finite():
        raise MessageFormatError("", "holds a number that JSON does not have")
    return thaw(freeze(value, ""))


def _schema(schema: Mapping[Any, Any], path: str, depth: int) -> dict[str, Any]:
    if not depth:
        raise SchemaValueError(path, f"the schema is nested more than {MAX_DEPTH} deep")
    found: dict[str, Any] = {}
    for keyword, value in schema.items():
        if not isinstance(keyword, str):
            raise SchemaValueError(path, f"the schema has a key of type {type(keyword).__name__}")
        if is_mapping(value) and keyword in MAPS:
            found[keyword] = {
                _name(name, path): _part(part, _inside(path, keyword, name), depth - 1)
                for name, part in value.items()
            }
        elif is_mapping(value) and keyword in PARTS:
            found[keyword] = _schema(value, f"{path}[]" if keyword == "items" else path, depth - 1)
        elif is_array(value) and keyword in LISTS:
            found[keyword] = [_part(part, path, depth - 1) for part in value]
        else:
            _keep(found, keyword, value, path)
    return found


def _part(part: object, path: str, depth: int) -> Any:
    if is_mapping(part):
        return _schema(part, path, depth)
    try:
        return json_form(part)
    except ValueError as error:
        raise SchemaValueError(path, _problem(error)) from None


def _keep(found: dict[str, Any], keyword: str, value: object, path: str) -> None:
    if keyword in _VALUES and is_sequence(value):
        listed = [item for item in map(_json_or_nothing, value) if item]
        if listed or not value:
            found[keyword] = [item[0] for item in listed]
        elif keyword in _STRUCTURE:
            raise SchemaValueError(path, "JSON can say none of its values")
        return
    try:
        found[keyword] = json_form(value)
    except ValueError as error:
        if keyword in _STRUCTURE:
            raise SchemaValueError(path, f"its {keyword} {_problem(error)}") from None


def _json_or_nothing(value: object) -> tuple[Any, ...]:
    try:
        return (json_form(value),)
    except ValueError:
        return ()


def _name(name: object, path: str) -> str:
    if not isinstance(name, str):
        raise SchemaValueError(path, f"the schema has a key of type {type(name).__name__}")
    return name


def _inside(path: str, keyword: str, name: object) -> str:
    """Where a named part stands. A definition's fields are those of the type that it describes."""
    if keyword == "properties":
        return f"{path}.{name}" if path else str(name)
    return str(name) if keyword in ("$defs", "definitions") else path


def _problem(error: ValueError) -> str:
    return error.problem if isinstance(error, MessageFormatError) else str(error)
