"""Rewrites single keywords of a JSON Schema for Gemini; `gemini_schema` puts the results together."""

from __future__ import annotations

from typing import Any

from finalturn._core import json_text
from finalturn._providers.json_types import as_array, as_object, as_text

_KINDS = ("array", "boolean", "integer", "null", "number", "object", "string")
_FORMATS = frozenset({"date", "date-time", "time"})
# Limits on a value that the subset does not know.
_LIMITS_IN_WORDS = (
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "multipleOf",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "uniqueItems",
    "minProperties",
    "maxProperties",
)


def kinds_of(node: dict[str, Any]) -> list[str]:
    """The types that a schema names; none when it takes any."""
    stated = node.get("type")
    named = [stated] if isinstance(stated, str) else as_array(stated)
    return [kind for kind in named if kind in _KINDS]


def listed(node: dict[str, Any], kinds: list[str]) -> dict[str, Any] | None:
    """The schema of the values that a schema lists; ``None`` when it lists none.

    Of lists only strings and numbers are known, and no string may be empty: of others, the type is left.
    """
    if "const" not in node and not as_array(node.get("enum")):
        return None
    values = [node["const"]] if "const" in node else as_array(node["enum"])
    groups: dict[str, list[Any]] = {}
    for value in values:
        kind = _kind(value)
        if not kinds or kind in kinds or (kind == "integer" and "number" in kinds):
            groups.setdefault("number" if kind == "integer" else kind, []).append(value)
    schemas = [_group(kind, group) for kind, group in groups.items()]
    if not schemas:
        return {"type": kinds[0] if len(kinds) == 1 else kinds} if kinds else {}
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def _group(kind: str, values: list[Any]) -> dict[str, Any]:
    if kind == "number" and all(isinstance(value, int) for value in values):
        kind = "integer"
    if kind in ("integer", "number") or (kind == "string" and all(values)):
        return {"type": kind, "enum": values}
    return {"type": kind}


def _kind(value: object) -> str:
    for kind, types in (("boolean", bool), ("integer", int), ("number", float), ("string", str)):
        if isinstance(value, types):
            return kind
    return "null" if value is None else "array" if isinstance(value, list) else "object"


def limits(node: dict[str, Any], kinds: list[str]) -> dict[str, Any]:
    """What limits a value, as far as the subset knows it."""
    out: dict[str, Any] = {}
    if (not kinds or "string" in kinds) and as_text(node.get("format")) in _FORMATS:
        out["format"] = node["format"]
    if not kinds or "array" in kinds:
        out |= {name: node[name] for name in ("minItems", "maxItems") if name in node}
    if not kinds or "number" in kinds or "integer" in kinds:
        out |= {name: node[name] for name in ("minimum", "maximum") if name in node}
    return out


def joined(out: dict[str, Any], union: list[dict[str, Any]]) -> dict[str, Any]:
    """A schema and a union that both hold, in one, beside which nothing may stand."""
    if not union or not all(union):
        # A part that takes everything makes the union say nothing.
        return out
    if not out:
        return {"anyOf": union}
    if out.keys() == {"type"}:
        return {"anyOf": [part if part.keys() & {"type", "anyOf", "$ref"} else out | part for part in union]}
    return out


def intersect(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Two schemas that both hold, in one. It lets through what both do, and may let through more."""
    keywords = first.keys() - {"description"}, second.keys() - {"description"}
    if not keywords[0]:
        # Nothing may stand beside a reference.
        return second if "$ref" in second else second | first
    if not keywords[1]:
        return first if "$ref" in first else second | first
    if {"$ref", "anyOf"} & (first.keys() | second.keys()):
        # One of them cannot be said beside the other.
        return first
    out = second | first
    if "properties" in second and "properties" in first:
        out["properties"] = second["properties"] | first["properties"]
    if "required" in out:
        required = [*as_array(first.get("required")), *as_array(second.get("required"))]
        out["required"] = [
            name for name in dict.fromkeys(required) if name in as_object(out.get("properties"))
        ]
    return out


def description_of(node: dict[str, Any]) -> dict[str, Any]:
    """The description of a schema, with what its subset cannot say."""
    words = as_text(node.get("description"))
    unsaid = {name: node[name] for name in _LIMITS_IN_WORDS if node.get(name, False) is not False}
    if as_text(unsaid.get("format")) in _FORMATS:
        del unsaid["format"]
    if isinstance(node.get("const"), bool):
        unsaid["const"] = node["const"]
    if unsaid:
        limit = ", ".join(f"{name}: {json_text.encode(value).decode()}" for name, value in unsaid.items())
        words = f"{words} ({limit})" if words else limit
    return {"description": words} if words else {}
