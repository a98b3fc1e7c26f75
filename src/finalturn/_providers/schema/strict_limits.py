"""How large a schema may be in OpenAI's strict mode.

The source is OpenAI's guide "Structured model outputs", "Supported schemas". It does not say whether a
level that a reference leads to counts; here it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_MOST_PROPERTIES = 5000
_MOST_LEVELS = 10
_MOST_CHARACTERS = 120_000
_MOST_ENUM_VALUES = 1000
_LONG_ENUM = 250
_LONG_ENUM_CHARACTERS = 15_000


class Inexpressible(Exception):
    """OpenAI's strict subset cannot say what a schema means."""


def check_size(root: Mapping[str, Any]) -> None:
    """Count what the limits are about.

    Args:
        root: a schema in the subset.

    Raises:
        Inexpressible: it is too large.
    """
    properties = characters = values = 0
    pending: list[Mapping[str, Any]] = [root]
    while pending:
        node = pending.pop()
        names = [*node.get("properties", ()), *node.get("$defs", ())]
        properties += len(node.get("properties", ()))
        listed = node.get("enum", [node["const"]] if "const" in node else [])
        length = sum(len(value) for value in listed if isinstance(value, str))
        if len(listed) > _LONG_ENUM and length > _LONG_ENUM_CHARACTERS:
            raise Inexpressible
        values += len(listed)
        characters += length + sum(map(len, names))
        pending += [*_parts(node), *node.get("$defs", {}).values()]
    if properties > _MOST_PROPERTIES or characters > _MOST_CHARACTERS or values > _MOST_ENUM_VALUES:
        raise Inexpressible
    if _levels(root, root.get("$defs", {}), {"#": 0}) > _MOST_LEVELS:
        raise Inexpressible


def _parts(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from node.get("properties", {}).values()
    yield from node.get("anyOf", ())
    if "items" in node:
        yield node["items"]


def _levels(node: Mapping[str, Any], definitions: Mapping[str, Any], known: dict[str, int]) -> int:
    """How deep objects are nested. A reference back to what is being counted adds nothing."""
    ref = node.get("$ref")
    if ref is not None:
        if ref not in known:
            known[ref] = 0
            known[ref] = _levels(definitions[ref.removeprefix("#/$defs/")], definitions, known)
        return known[ref]
    inner = max((_levels(part, definitions, known) for part in _parts(node)), default=0)
    return inner + (node.get("type") == "object")
