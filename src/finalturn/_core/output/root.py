"""Reads from a JSON Schema which kinds of value it allows, and which keys an object has.

``{"type": "object", "required": ["topic"]}`` allows objects, and requires the key ``topic``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

from finalturn._core.type_guards import is_array, is_dict

KINDS = frozenset({"object", "array", "string", "number", "boolean", "null"})
"""The kinds of decoded JSON values."""

_NONE: frozenset[str] = frozenset()


class Root(NamedTuple):
    """What a value that matches may be.

    Attributes:
        kinds: JSON kinds.
        declared: keys of an object that the schema names.
        required: keys that every object has.
    """

    kinds: frozenset[str]
    declared: frozenset[str]
    required: frozenset[str]


ANY = Root(KINDS, _NONE, _NONE)
NOTHING = Root(_NONE, _NONE, _NONE)


def root_of(schema: Mapping[str, Any]) -> Root:
    """Read a schema, following local references.

    What the schema leaves open stays open: no type means every kind. Conditions (``if``, ``not``) are
    not looked into.
    """
    root = _read(schema, schema, frozenset())
    return root if "object" in root.kinds else Root(root.kinds, _NONE, _NONE)


def names_in(schema: Any) -> frozenset[str]:
    """Every key that a schema declares, at any depth."""
    names: set[str] = set()
    pending = [schema]
    while pending:
        node = pending.pop()
        if is_dict(node):
            properties = node.get("properties")
            if is_dict(properties):
                names.update(properties)
            pending.extend(node.values())
        elif is_array(node):
            pending.extend(node)
    return frozenset(names)


def resolve_reference(document: Mapping[str, Any], ref: str) -> Any:
    """What a local reference (``#`` or ``#/a/b``) points at.

    Raises:
        LookupError: it points nowhere, or outside the document.
    """
    if ref != "#" and not ref.startswith("#/"):
        raise LookupError(ref)
    if "%" in ref:
        from urllib.parse import unquote

        ref = unquote(ref)
    node: Any = document
    for step in ref[2:].split("/") if len(ref) > 1 else ():
        step = step.replace("~1", "/").replace("~0", "~")
        try:
            node = node[int(step) if isinstance(node, list) else step]
        except (TypeError, ValueError):
            raise LookupError(ref) from None
    return node


def both(left: Root, right: Root) -> Root:
    """A value that matches both."""
    return Root(left.kinds & right.kinds, left.declared | right.declared, left.required | right.required)


def either(left: Root, right: Root) -> Root:
    """A value that matches one of the two; a side that no object matches says nothing about keys."""
    kinds, declared = left.kinds | right.kinds, left.declared | right.declared
    if "object" not in left.kinds:
        return Root(kinds, declared, right.required)
    if "object" not in right.kinds:
        return Root(kinds, declared, left.required)
    return Root(kinds, declared, left.required & right.required)


def _read(schema: object, document: Mapping[str, Any], seen_refs: frozenset[str]) -> Root:
    if schema is False:
        return NOTHING
    if not is_dict(schema):
        return ANY
    properties = {key for key, item in schema.get("properties", {}).items() if item is not False}
    required = frozenset(schema.get("required", ()))
    root = Root(_kinds(schema), required.union(properties), required)
    ref = schema.get("$ref")
    if isinstance(ref, str) and ref not in seen_refs:
        root = both(root, _follow(ref, document, seen_refs))
    for keyword, join, start in (
        ("allOf", both, ANY),
        ("anyOf", either, NOTHING),
        ("oneOf", either, NOTHING),
    ):
        if keyword in schema:
            root = both(root, _join(schema[keyword], join, start, document, seen_refs))
    return root


def _join(
    members: Sequence[object],
    join: Callable[[Root, Root], Root],
    start: Root,
    document: Mapping[str, Any],
    seen_refs: frozenset[str],
) -> Root:
    return reduce(join, (_read(member, document, seen_refs) for member in members), start)


def _follow(ref: str, document: Mapping[str, Any], seen_refs: frozenset[str]) -> Root:
    try:
        target = resolve_reference(document, ref)
    except LookupError:
        return ANY
    return _read(target, document, seen_refs | {ref})


def _kinds(node: Mapping[str, Any]) -> frozenset[str]:
    kinds = KINDS
    if "type" in node:
        types = node["type"]
        types = [types] if isinstance(types, str) else types
        kinds = frozenset("number" if kind == "integer" else kind for kind in types)
    if "enum" in node:
        kinds &= frozenset(map(kind_of, node["enum"]))
    if "const" in node:
        kinds &= {kind_of(node["const"])}
    return kinds


def kind_of(value: object) -> str:
    """Which of `KINDS` a decoded value is."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"
