"""JSON Schemas in the subset that Gemini follows.

The source is the reference of ``GenerationConfig.responseJsonSchema`` (Gemini API, v1beta): it knows the
keywords ``$defs``, ``$ref``, ``type``, ``format``, ``description``, ``enum`` (strings and numbers),
``items``, ``prefixItems``, ``minItems``, ``maxItems``, ``minimum``, ``maximum``, ``anyOf``, ``oneOf`` (as
``anyOf``), ``properties``, ``additionalProperties`` and ``required``; nothing may stand beside a ``$ref``;
a recursive one may only be used within properties that are not required. The guide "Structured outputs" names
the formats. That nothing but a description may stand beside an ``anyOf`` is what Vertex AI answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from finalturn._core import json_text
from finalturn._core.output import resolve_reference
from finalturn._providers.gemini.schema_parts import (
    description_of,
    intersect,
    joined,
    kinds_of,
    limits,
    listed,
)
from finalturn._providers.json_types import as_array, as_object, as_text
from finalturn._providers.schema.schema import sendable
from finalturn._providers.schema.strict_limits import Inexpressible

# How many schemas one may hold once references are written out.
MOST_NODES = 2000


def gemini_schema(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Rewrite a schema into the subset. It only ever lets more through, and never less.

    - References are written out where they stand, and only recursive ones stay.
    - ``oneOf`` becomes ``anyOf``; the parts of an ``allOf`` become one schema; ``const`` becomes ``enum``.
    - What limits a value and is not known (``pattern``, ``minLength``, most formats) is told in the
      description; it is validated here all the same. Titles, defaults and other annotations go.

    Returns:
        the rewritten schema, or ``None`` when it is recursive in a way that the vendor does not take, refers
        to what is not in it, or is too large.
    """
    try:
        rewritten = _Rewriting(sendable(schema)).rewritten()
        # Too deep to be walked is too deep to be sent.
        json_text.encode(rewritten)
    except (Inexpressible, RecursionError, ValueError):
        return None
    return rewritten


class _Rewriting:
    """One schema being rewritten.

    Args:
        document: plain JSON; it is not changed.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._left = MOST_NODES
        # How many properties that are not required the way from the root to here goes through, and how many
        # it did where it went through each reference that is being written out.
        self._optional = 0
        self._open = {"#": 0}
        self._names: dict[str, str] = {}
        self._definitions: dict[str, Any] = {}

    def rewritten(self) -> dict[str, Any]:
        root = self._node(self._document)
        if "#" in self._names:
            self._definitions[self._names["#"]] = dict(root)
        return root | ({"$defs": self._definitions} if self._definitions else {})

    def _node(self, schema: object) -> dict[str, Any]:
        """A schema; an empty one lets everything through."""
        if not self._left:
            raise Inexpressible
        self._left -= 1
        node = as_object(schema)
        out = self._plain(node)
        if ref := as_text(node.get("$ref")):
            out = intersect(out, self._reference(ref))
        elif "$ref" in node or "$dynamicRef" in node:
            raise Inexpressible
        for part in as_array(node.get("allOf")):
            out = intersect(out, self._node(part))
        return out

    def _reference(self, ref: str) -> dict[str, Any]:
        if ref in self._open:
            if self._open[ref] == self._optional:
                raise Inexpressible
            name = self._names.setdefault(ref, f"schema{len(self._names)}")
            return {"$ref": f"#/$defs/{name}"}
        try:
            target = resolve_reference(self._document, ref)
        except LookupError:
            raise Inexpressible from None
        self._open[ref] = self._optional
        out = self._node(target)
        del self._open[ref]
        if ref in self._names:
            self._definitions[self._names[ref]] = dict(out)
        return out

    def _plain(self, node: dict[str, Any]) -> dict[str, Any]:
        """A schema but for what it refers to."""
        kinds = kinds_of(node)
        values = listed(node, kinds)
        if values is not None:
            out = values
        elif len(kinds) > 1 and {"array", "object"} & set(kinds):
            out = {"anyOf": [self._typed(node, [kind]) for kind in kinds]}
        else:
            out = self._typed(node, kinds)
        union = [self._node(part) for part in as_array(node.get("anyOf") or node.get("oneOf"))]
        return description_of(node) | joined(out, union)

    def _typed(self, node: dict[str, Any], kinds: list[str]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        if kinds:
            out["type"] = kinds[0] if len(kinds) == 1 else kinds
        if not kinds or "object" in kinds:
            out |= self._object(node)
        if not kinds or "array" in kinds:
            out |= self._array(node)
        return out | limits(node, kinds)

    def _object(self, node: dict[str, Any]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        properties = as_object(node.get("properties"))
        required = [name for name in properties if name in as_array(node.get("required"))]
        if "properties" in node:
            out["properties"] = {
                name: self._property(part, optional=name not in required) for name, part in properties.items()
            }
        if required:
            out["required"] = required
        # Keys that a pattern lets in would be shut out.
        if "additionalProperties" in node and "patternProperties" not in node:
            others = node["additionalProperties"]
            out["additionalProperties"] = others if isinstance(others, bool) else self._node(others)
        return out

    def _property(self, part: object, *, optional: bool) -> dict[str, Any]:
        self._optional += optional
        out = self._node(part)
        self._optional -= optional
        return out

    def _array(self, node: dict[str, Any]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        if places := as_array(node.get("prefixItems")):
            out["prefixItems"] = [self._node(part) for part in places]
        if items := as_object(node.get("items")):
            out["items"] = self._node(items)
        return out
