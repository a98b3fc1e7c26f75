"""Moves an agent's own JSON Schema into the components of an OpenAPI document.

Both are draft 2020-12. What changes is where things stand: each of its ``$defs`` becomes a component, and
every reference leads to the new place.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, cast

from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from finalturn._core.frozen import thaw
from finalturn._core.type_guards import is_dict

__all__ = ["PREFIX", "as_components"]

PREFIX = "#/components/schemas/"

_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9._-]")
# They name places of the schema, or say what it is written in: a component has its own name for that.
_DROPPED = ("$id", "$schema", "$anchor", "$dynamicAnchor")
_DEFINITIONS = ("$defs", "definitions")
_REFERENCES = ("$ref", "$dynamicRef")


def as_components(schema: Mapping[str, Any], name: str, taken: Collection[str]) -> tuple[str, dict[str, Any]]:
    """A reference to the component that a schema becomes, and all components that it becomes, by name.

    A ``$dynamicRef`` becomes a ``$ref`` to where it leads when nothing extends the schema.

    Args:
        schema: valid, and all its references lead into it.
        name: of the component that it becomes, as far as it is allowed and free.
        taken: names that others have.
    """
    # A copy in which each part is an object of its own, so that it can be told from others.
    root: dict[str, Any] = thaw(schema)
    parts = list(_parts(root))
    targets = [(part, _targets(part, resolver)) for part, resolver in parts]
    places, homes = _places(root, name, _Names(taken))
    for place, home in homes.items():
        _note_places(home, place, places)
    for part, references in targets:
        _redirect(part, references, places)
        for keyword in _DROPPED:
            part.pop(keyword, None)
    for keyword in _DEFINITIONS:
        root.pop(keyword, None)
    return places[id(root)], {place.removeprefix(PREFIX): home for place, home in homes.items()}


def _places(root: dict[str, Any], name: str, names: _Names) -> tuple[dict[int, str], dict[str, Any]]:
    """Where the root and its definitions go, by identity; and what stands at each place."""
    definitions: list[tuple[str, dict[str, Any]]] = [
        (key, part)
        for keyword in _DEFINITIONS
        for key, part in root.get(keyword, {}).items()
        if is_dict(part)
    ]
    # A root that only refers to one of them, as that of a recursive model does, is no component of its own.
    only = root.get("$ref") if root.keys() <= {"$ref", "$schema", *_DEFINITIONS} else None
    homes: dict[str, Any] = {}
    if not any(only == f"#/$defs/{_escaped(key)}" for key, _ in definitions):
        homes[PREFIX + names.free_name(name)] = root
        only = None
    homes |= {PREFIX + names.free_name(key): part for key, part in definitions}
    places = {id(part): place for place, part in homes.items()}
    if only is not None:
        places[id(root)] = next(
            places[id(part)] for key, part in definitions if only == f"#/$defs/{_escaped(key)}"
        )
    return places, homes


class _Names:
    def __init__(self, taken: Collection[str]) -> None:
        self._taken = set(taken)

    def free_name(self, wanted: str) -> str:
        name = _NOT_ALLOWED.sub("_", wanted) or "_"
        if name in self._taken:
            name = f"Parsed{name}"
        number = 2
        candidate = name
        while candidate in self._taken:
            candidate, number = f"{name}{number}", number + 1
        self._taken.add(candidate)
        return candidate


def _parts(root: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Any]]:
    """Every schema in it, with what resolves its references; those that only a reference leads to, too."""
    resource: Resource[Any] = DRAFT202012.create_resource(root)
    registry: Registry[Any] = Registry()
    pending = [(resource, registry.resolver_with_root(resource))]
    seen: set[int] = set()
    while pending:
        resource, resolver = pending.pop()
        schema: Any = resource.contents
        if not is_dict(schema) or id(schema) in seen:
            continue
        seen.add(id(schema))
        yield schema, resolver
        pending += [(inner, resolver.in_subresource(inner)) for inner in resource.subresources()]
        for keyword in _REFERENCES:
            if keyword in schema:
                resolved = resolver.lookup(schema[keyword])
                pending.append((DRAFT202012.create_resource(resolved.contents), resolved.resolver))


def _note_places(value: object, place: str, places: dict[int, str]) -> None:
    """Note where everything stands, as far as it does not stand in a component of its own."""
    if is_dict(value):
        if places.setdefault(id(value), place) == place:
            for key, member in value.items():
                _note_places(member, f"{place}/{_escaped(key)}", places)
    elif isinstance(value, list):
        for number, member in enumerate(cast("Sequence[object]", value)):
            _note_places(member, f"{place}/{number}", places)


def _escaped(key: str) -> str:
    # A reference is a URI: what may not stand in one is percent-encoded.
    pointer = key.replace("~", "~0").replace("/", "~1")
    return re.sub(r"[^A-Za-z0-9._~!$&'()*+,;=:@-]", lambda match: _percent(match[0]), pointer)


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode())


def _targets(part: Mapping[str, Any], resolver: Any) -> dict[str, Any]:
    return {word: resolver.lookup(part[word]).contents for word in _REFERENCES if word in part}


def _redirect(part: dict[str, Any], targets: Mapping[str, Any], places: Mapping[int, str]) -> None:
    for keyword, target in targets.items():
        del part[keyword]
        if target is True:
            continue
        where: dict[str, Any] = {"not": {}} if target is False else {"$ref": places[id(target)]}
        if any(key in part for key in where):
            part.setdefault("allOf", []).append(where)
        else:
            part.update(where)
