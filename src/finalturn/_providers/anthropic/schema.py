"""JSON Schemas in the subset that Anthropic's structured outputs enforce.

The source is Anthropic's page "Structured outputs", sections "JSON Schema limitations" and "Schema
complexity limits", and what the vendor's own client makes of a schema: every object is closed; there is no
recursion; of the limits on a value, only a few formats and a ``minItems`` of 0 or 1 are known; at most 24
optional properties and 16 unions. Unlike OpenAI's subset, properties may be optional.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from finalturn._core import json_text
from finalturn._providers.schema.schema import sendable
from finalturn._providers.schema.strict import StrictSchema
from finalturn._providers.schema.strict_limits import Inexpressible

MOST_OPTIONAL = 24
MOST_UNIONS = 16

# The vendor knows "uri" too, and OpenAI, whose rewriting this builds on, does not.
_FORMATS = frozenset(["date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid"])
# Limits on a value that are told in its description instead: they are validated here all the same.
_LIMITS_IN_WORDS = (
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "uniqueItems",
)


def enforceable(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Rewrite a schema into the subset.

    Returns:
        the rewritten schema, or ``None`` when it would let the model write less than the schema means, or
        something else. What limits a value and cannot be enforced is told in its description.
    """
    try:
        rewritten = _Enforceable(sendable(schema)).rewritten()
        _check(rewritten)
    except (Inexpressible, RecursionError, ValueError):
        # The last two: it is nested too deeply to be walked, or to be written.
        return None
    return _without_limits(rewritten)


class _Enforceable(StrictSchema):
    """The rewriting for OpenAI, but for what differs."""

    def _node(self, schema: Any) -> dict[str, Any]:
        if isinstance(schema, dict) and "allOf" not in schema:
            node = cast("dict[str, Any]", schema)
            limits = {
                name: node[name]
                for name in _LIMITS_IN_WORDS
                if name in node and not _enforced(name, node[name])
            }
            if limits:
                text = "Must satisfy " + json_text.encode(limits).decode()
                before = node.get("description")
                node = {**node, "description": f"{before}\n\n{text}" if before else text}
            schema = node
        return super()._node(schema)

    def _object(self, node: dict[str, Any]) -> dict[str, Any]:
        properties: dict[str, Any] | None = node.get("properties")
        if properties is None or node.get("additionalProperties", False) is not False:
            raise Inexpressible
        required: list[str] = node.get("required", [])
        if not properties.keys() >= set(required):
            raise Inexpressible
        return {
            "type": "object",
            "properties": {name: self._node(part) for name, part in properties.items()},
            "required": required,
            "additionalProperties": False,
        }


def _enforced(name: str, value: Any) -> bool:
    return (name == "minItems" and value in (0, 1)) or (name == "format" and value in _FORMATS)


def _check(root: dict[str, Any]) -> None:
    """Refuse what is too large, or refers to itself."""
    definitions: dict[str, Any] = {"#": root} | {
        f"#/$defs/{name}": part for name, part in root.get("$defs", {}).items()
    }
    optional = unions = 0
    references: dict[str, set[str]] = {}
    for ref, definition in definitions.items():
        nodes = list(_nodes(definition))
        references[ref] = {node["$ref"] for node in nodes if "$ref" in node}
        optional += sum(len(node.get("properties", ())) - len(node.get("required", ())) for node in nodes)
        unions += sum("anyOf" in node or isinstance(node.get("type"), list) for node in nodes)
    if optional > MOST_OPTIONAL or unions > MOST_UNIONS:
        raise Inexpressible
    # What refers to nothing, or only to such, is taken away; what is left refers to itself.
    while done := [ref for ref, named in references.items() if not named & references.keys()]:
        for ref in done:
            del references[ref]
    if references:
        raise Inexpressible


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for part in _parts(node):
        yield from _nodes(part)


def _parts(node: dict[str, Any]) -> list[dict[str, Any]]:
    items = [node["items"]] if "items" in node else []
    return [*node.get("properties", {}).values(), *node.get("anyOf", ()), *items]


def _without_limits(node: dict[str, Any]) -> dict[str, Any]:
    """The schema without limits that are not enforced, and without the types of listed values."""
    stripped: dict[str, Any] = {}
    for name, value in node.items():
        if name in ("properties", "$defs"):
            stripped[name] = {key: _without_limits(part) for key, part in value.items()}
        elif name == "items":
            stripped[name] = _without_limits(value)
        elif name == "anyOf":
            stripped[name] = [_without_limits(part) for part in value]
        elif (name not in _LIMITS_IN_WORDS or _enforced(name, value)) and not (
            name == "type" and ("enum" in node or "const" in node)
        ):
            stripped[name] = value
    return stripped
