"""Rewrites a JSON Schema into OpenAI's strict subset; `openai_strict` says what is decided, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from finalturn._core.output import resolve_reference
from finalturn._providers.schema.strict_limits import Inexpressible, check_size

_STRUCTURE = frozenset(
    [
        "$ref",
        "additionalProperties",
        "anyOf",
        "const",
        "enum",
        "items",
        "oneOf",
        "properties",
        "required",
        "type",
    ]
)
# They say what the subset cannot, and something else would be meant without them.
_REFUSED = frozenset(
    [
        "$anchor",
        "$dynamicRef",
        "$id",
        "additionalItems",
        "dependencies",
        "dependentSchemas",
        "else",
        "if",
        "not",
        "patternProperties",
        "prefixItems",
        "propertyNames",
        "then",
    ]
)
_ANNOTATIONS = frozenset(
    ["$comment", "default", "deprecated", "description", "examples", "readOnly", "title", "writeOnly"]
)
_KEPT_KEYWORDS = {
    "array": ("maxItems", "minItems"),
    "integer": ("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"),
    "number": ("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"),
    "string": ("format", "pattern"),
}
_FORMATS = frozenset(["date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid"])
_NOT_NAME = re.compile(r"[^A-Za-z0-9_.-]+")


class StrictSchema:
    """One schema being rewritten.

    Args:
        document: plain JSON; it is not changed.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = {key: value for key, value in document.items() if key != "$id"}
        self._names: dict[str, str] = {}
        self._pending: list[str] = []

    def rewritten(self) -> dict[str, Any]:
        """The schema in the subset.

        Raises:
            Inexpressible: it has none.
        """
        root = self._node(self._root())
        if root.get("type") != "object":
            raise Inexpressible
        definitions: dict[str, Any] = {}
        while self._pending:
            ref = self._pending.pop()
            definitions[self._names[ref]] = self._node(self._resolve(ref))
        if definitions:
            root["$defs"] = definitions
        check_size(root)
        return root

    def _root(self) -> dict[str, Any]:
        """The root as it is written out: a reference may not stand there."""
        node = self._document
        seen: set[str] = set()
        while "allOf" in node or node.get("$ref", "#") not in {"#", *seen}:
            if "allOf" in node:
                node = _without_all_of(node)
                continue
            seen.add(node["$ref"])
            others = {
                key: value for key, value in node.items() if key not in ("$ref", "$defs", "definitions")
            }
            node = _merged(self._resolve(node["$ref"]), others)
        return node

    def _resolve(self, ref: str) -> Any:
        try:
            return resolve_reference(self._document, ref)
        except LookupError:
            raise Inexpressible from None

    def _node(self, schema: Any) -> dict[str, Any]:
        node = _schema(schema)
        if node.get("unevaluatedProperties", False) is not False or not _REFUSED.isdisjoint(node):
            raise Inexpressible
        if "allOf" in node:
            return self._node(_without_all_of(node))
        used = {key for key in node if key in _STRUCTURE}
        if used == {"$ref"}:
            out: dict[str, Any] = {"$ref": self._reference(node["$ref"])}
            out = {"anyOf": [out]} if node.get("description") else out
        elif used in ({"anyOf"}, {"oneOf"}):
            out = {"anyOf": [self._node(part) for part in node[used.pop()]]}
        elif used & {"$ref", "anyOf", "oneOf"}:
            raise Inexpressible
        elif used & {"const", "enum"}:
            out = _values(node)
        else:
            out = self._typed(node)
        if node.get("description"):
            out["description"] = node["description"]
        return out

    def _reference(self, ref: str) -> str:
        if ref == "#":
            return ref
        if ref not in self._names:
            name = _NOT_NAME.sub("_", ref.rpartition("/")[2]) or "part"
            while name in self._names.values():
                name += "_"
            self._names[ref] = name
            self._pending.append(ref)
        return f"#/$defs/{self._names[ref]}"

    def _typed(self, node: dict[str, Any]) -> dict[str, Any]:
        stated = node.get("type", [])
        types: list[str] = [stated] if isinstance(stated, str) else stated
        if not types:
            raise Inexpressible
        if len(types) == 1:
            return self._of_type(node, types[0])
        if {"array", "object"} & set(types):
            return {"anyOf": [self._of_type(node, kind) for kind in types]}
        return {"type": types} | {key: value for kind in types for key, value in _kept_keywords(node, kind)}

    def _of_type(self, node: dict[str, Any], kind: str) -> dict[str, Any]:
        if kind == "object":
            return self._object(node)
        out: dict[str, Any] = {"type": kind}
        if kind == "array":
            out["items"] = self._node(node.get("items"))
        return out | dict(_kept_keywords(node, kind))

    def _object(self, node: dict[str, Any]) -> dict[str, Any]:
        properties: dict[str, Any] | None = node.get("properties")
        if properties is None or node.get("additionalProperties", False) is not False:
            raise Inexpressible
        required: list[str] = node.get("required", [])
        needed = set(required).union(*node.get("dependentRequired", {}).values())
        if needed - properties.keys() or not _fits(node, len(properties)):
            raise Inexpressible
        if not all(name in required or self._has_empty_value(part) for name, part in properties.items()):
            raise Inexpressible
        return {
            "type": "object",
            "properties": {name: self._node(part) for name, part in properties.items()},
            "required": list(properties),
            "additionalProperties": False,
        }

    def _has_empty_value(self, schema: Any, seen: frozenset[str] = frozenset()) -> bool:
        """Whether some value says what leaving the property out says."""
        node = _schema(schema)
        types = node.get("type", [])
        if "default" in node or "null" in types or (types == "array" and not node.get("minItems")):
            return True
        if "$ref" in node and node["$ref"] not in seen:
            return self._has_empty_value(self._resolve(node["$ref"]), seen | {node["$ref"]})
        if None in node.get("enum", ()):
            return True
        parts = [part for keyword in ("anyOf", "oneOf") for part in node.get(keyword, ())]
        return any(self._has_empty_value(part, seen) for part in parts)


def _values(node: dict[str, Any]) -> dict[str, Any]:
    """A schema of listed values, with their type."""
    key = "const" if "const" in node else "enum"
    listed: list[Any] = [node[key]] if key == "const" else node[key]
    if ("const" in node and "enum" in node) or not listed:
        raise Inexpressible
    kinds = list(dict.fromkeys(map(_type_of, listed)))
    return {"type": node.get("type", kinds[0] if len(kinds) == 1 else kinds), key: node[key]}


def _type_of(value: Any) -> str:
    for kind, types in (("boolean", bool), ("integer", int), ("number", float), ("string", str)):
        if isinstance(value, types):
            return kind
    if value is None:
        return "null"
    raise Inexpressible


def _kept_keywords(node: dict[str, Any], kind: str) -> Iterator[tuple[str, Any]]:
    for key in _KEPT_KEYWORDS.get(kind, ()):
        if key in node and (key != "format" or node[key] in _FORMATS):
            yield key, node[key]


def _without_all_of(node: dict[str, Any]) -> dict[str, Any]:
    others = dict(node)
    members = others.pop("allOf")
    if len(members) != 1:
        raise Inexpressible
    return _merged(members[0], others)


def _merged(schema: Any, outer: dict[str, Any]) -> dict[str, Any]:
    """Two schemas that both hold, in one: only one of them may give the value its structure."""
    inner = _schema(schema)
    added = {key for key, value in outer.items() if key not in inner or inner[key] != value} - _ANNOTATIONS
    if added & inner.keys() or (added & _STRUCTURE and not _STRUCTURE.isdisjoint(inner)):
        raise Inexpressible
    return inner | outer


def _schema(value: Any) -> dict[str, Any]:
    """A schema that says something about its values."""
    if not isinstance(value, dict):
        raise Inexpressible
    return cast("dict[str, Any]", value)


def _fits(node: dict[str, Any], size: int) -> bool:
    return bool(node.get("minProperties", 0) <= size <= node.get("maxProperties", size))
