"""What may be shown of a value that has not come whole, by its JSON Schema.

What is shown is the value itself with some of it left out: an object has some of its keys, an array the first
of its items, a string that still grows is the beginning of one. Nothing is completed or repaired. ::

    {"type": "object", "properties": {"topic": {"type": "string"}, "count": {"type": "integer"}}}

    {"topic": "inv                              {"topic": "inv"}
    {"topic": "invoice", "count": "two", "x     {"topic": "invoice"}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any, Final, NamedTuple

from finalturn._core.output.root import kind_of, resolve_reference
from finalturn._core.type_guards import is_array, is_dict, is_mapping

__all__ = ["NOTHING", "PartialSchema", "extends"]

NOTHING: Final = object()
"""Stands for no value at all."""

_LISTED: Final = frozenset(["const", "enum"])
# A string with one of them is right or wrong as a whole.
_WHOLE_STRINGS: Final = _LISTED | {"contentEncoding", "contentMediaType", "format", "if", "not", "pattern"}
_KEYWORDS_OF_KEYS: Final = frozenset(["additionalProperties", "patternProperties", "properties"])
# A choice of choices is every combination of them. With more, what has come waits.
_MOST_COMBINATIONS: Final = 64


class _Unknown(Exception):
    """A part of the schema is not understood here: what it rules waits until it is whole."""


class _Conjunction(NamedTuple):
    """Schemas that the same value must match.

    Attributes:
        nodes: what each says itself.
        choices: of each of these, one schema must match too.
    """

    nodes: tuple[Mapping[str, Any], ...]
    choices: tuple[Sequence[Any], ...] = ()


class _Shown(NamedTuple):
    """What may be shown of a value.

    Attributes:
        value: that; `NOTHING` while nothing may be.
        fits: whether nothing has come that the schema does not take.
    """

    value: Any
    fits: bool = True


_WAITS = _Shown(NOTHING)
_MISFIT = _Shown(NOTHING, fits=False)


class PartialSchema:
    """A JSON Schema, for values that have not come whole.

    A property that the schema does not declare is left out, and so are a value that it does not take and one
    that is for writing only. A string may be shown while it grows, but for one with a format, a pattern or an
    enum. Of a choice, what all those schemas agree on is shown that may still match. Conditions (``if``,
    ``not``) and bounds are not looked into.

    Args:
        schema: of the root. It is kept, and must not change.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self._conjunctions: dict[tuple[int, ...], _Conjunction | None] = {}
        self._known: dict[tuple[frozenset[int], int, int], _Shown] = {}

    def shown(self, value: Any, growing: int) -> Any:
        """What may be shown of a value, which is a copy; `NOTHING` where nothing may be.

        Args:
            value: decoded JSON.
            growing: how many values, from the root to the last one that has begun, are not complete.
        """
        try:
            return self._shown((self._schema,), value, growing).value
        finally:
            # It goes by the identity of values, which is theirs only while they live.
            self._known.clear()

    def _shown(self, schemas: Sequence[Any], value: Any, growing: int) -> _Shown:
        try:
            conjunction = self._conjunction(schemas)
        except _Unknown:
            return _WAITS
        return _MISFIT if conjunction is None else self._by(conjunction, value, growing)

    def _by(self, conjunction: _Conjunction, value: Any, growing: int) -> _Shown:
        if conjunction.choices:
            return self._chosen(conjunction, value, growing)
        nodes = conjunction.nodes
        if not all(_takes(node, value) for node in nodes):
            return _MISFIT
        if any(node.get("writeOnly") is True for node in nodes):
            # Such as a secret, which no surface is to show.
            return _WAITS
        if growing and not all(_may_grow(node, value) for node in nodes):
            return _WAITS
        if not growing and not all(_is_listed(node, value) for node in nodes):
            return _MISFIT
        if not is_dict(value) and not is_array(value):
            return _WAITS if growing and not value else _Shown(value)
        place = frozenset(map(id, nodes)), id(value), growing
        if place not in self._known:
            known = self._parts(nodes, value, growing)
            # A growing one of which nothing is known yet is not known to be empty.
            self._known[place] = _Shown(NOTHING, known.fits) if growing and not known.value else known
        return self._known[place]

    def _chosen(self, conjunction: _Conjunction, value: Any, growing: int) -> _Shown:
        first, *others = conjunction.choices
        if others and prod(map(len, conjunction.choices)) > _MOST_COMBINATIONS:
            return _WAITS
        outcomes: list[_Shown] = []
        for schema in first:
            try:
                chosen = self._conjunction((*conjunction.nodes, schema), followed=True)
            except _Unknown:
                return _WAITS
            if chosen is not None:
                chosen = chosen._replace(choices=(*others, *chosen.choices))
                outcomes.append(self._by(chosen, value, growing))
        fitting = [outcome for outcome in outcomes if outcome.fits]
        if fitting:
            return _Shown(_common(outcome.value for outcome in fitting))
        # It is none of them. What they would show is of the right types all the same.
        return _Shown(_common(one.value for one in outcomes if one.value is not NOTHING), fits=False)

    def _parts(self, nodes: Sequence[Mapping[str, Any]], value: Any, growing: int) -> _Shown:
        return self._object(nodes, value, growing) if is_dict(value) else self._array(nodes, value, growing)

    def _object(self, nodes: Sequence[Mapping[str, Any]], value: dict[str, Any], growing: int) -> _Shown:
        shown: dict[str, Any] = {}
        fits = True
        last = next(reversed(value), None)
        for key, member in value.items():
            schemas = _schemas_of_key(nodes, key)
            if schemas is None:
                continue
            seen = self._shown(schemas, member, growing - 1 if growing and key == last else 0)
            fits = fits and seen.fits
            if seen.value is not NOTHING:
                shown[key] = seen.value
        if not growing:
            fits = fits and all(value.keys() >= set(node.get("required", ())) for node in nodes)
        return _Shown(shown, fits)

    def _array(self, nodes: Sequence[Mapping[str, Any]], value: Sequence[Any], growing: int) -> _Shown:
        shown: list[Any] = []
        for place, item in enumerate(value):
            is_last = place == len(value) - 1
            seen = self._shown(
                _schemas_of_item(nodes, place), item, growing - 1 if growing and is_last else 0
            )
            if seen.value is NOTHING or not seen.fits:
                # What stands behind an item that is left out would stand in the wrong place.
                shown += [] if seen.value is NOTHING else [seen.value]
                return _Shown(shown, seen.fits)
            shown.append(seen.value)
        return _Shown(shown)

    def _conjunction(self, schemas: Sequence[Any], *, followed: bool = False) -> _Conjunction | None:
        """The schemas with what they refer to; ``None`` where no value matches.

        Args:
            schemas: all of which must match.
            followed: but for the last, they are nodes of a conjunction already.

        Raises:
            _Unknown: something in them is not understood.
        """
        place = (followed, *map(id, schemas))
        if place not in self._conjunctions:
            known = schemas[:-1] if followed else ()
            self._conjunctions[place] = self._follow(known, schemas[len(known) :])
        return self._conjunctions[place]

    def _follow(self, known: Sequence[Mapping[str, Any]], schemas: Sequence[Any]) -> _Conjunction | None:
        nodes = list(known)
        choices: list[Sequence[Any]] = []
        pending = list(schemas)
        while pending:
            node = pending.pop()
            if node is True or any(node is other for other in nodes):
                continue
            if not is_mapping(node):
                return None
            if "$id" in node and node is not self._schema:
                raise _Unknown
            nodes.append(node)
            pending += [self._target(node[keyword]) for keyword in ("$ref", "$dynamicRef") if keyword in node]
            pending += node.get("allOf", ())
            choices += [node[keyword] for keyword in ("anyOf", "oneOf") if keyword in node]
        return _Conjunction(tuple(nodes), tuple(choices))

    def _target(self, ref: str) -> Any:
        try:
            return resolve_reference(self._schema, ref)
        except LookupError:
            raise _Unknown from None


def extends(old: Any, new: Any) -> bool:
    """Whether ``new`` is ``old`` with more of it: more keys, more items, longer strings."""
    if is_dict(old) and is_dict(new):
        return old.keys() <= new.keys() and all(extends(value, new[key]) for key, value in old.items())
    if is_array(old) and is_array(new):
        return len(old) <= len(new) and all(map(extends, old, new))
    if isinstance(old, str) and isinstance(new, str):
        return new.startswith(old)
    return type(old) is type(new) and bool(old == new)


def _takes(node: Mapping[str, Any], value: Any) -> bool:
    """Whether the value is of a type that the schema names."""
    types = node.get("type")
    if types is None:
        return True
    kind = kind_of(value)
    return any(
        name == kind or (name == "integer" and kind == "number" and value == int(value))
        for name in ([types] if isinstance(types, str) else types)
    )


def _may_grow(node: Mapping[str, Any], value: Any) -> bool:
    """Whether a part of the value may be shown."""
    return node.keys().isdisjoint(_WHOLE_STRINGS if isinstance(value, str) else _LISTED)


def _is_listed(node: Mapping[str, Any], value: Any) -> bool:
    if "const" in node and not _equal(node["const"], value):
        return False
    return "enum" not in node or any(_equal(listed, value) for listed in node["enum"])


def _equal(listed: Any, value: Any) -> bool:
    """Equality of JSON, where ``1`` is ``1.0``, and ``true`` is not ``1``."""
    if is_mapping(listed) and is_dict(value):
        return listed.keys() == value.keys() and all(_equal(listed[key], value[key]) for key in value)
    if is_array(listed) and is_array(value):
        return len(listed) == len(value) and all(map(_equal, listed, value))
    return kind_of(listed) == kind_of(value) and bool(listed == value)


def _schemas_of_key(nodes: Iterable[Mapping[str, Any]], key: str) -> list[Any] | None:
    """What the value of a key must match; ``None`` where the key is not declared."""
    schemas: list[Any] = []
    is_open = True
    for node in nodes:
        own: list[Any] = []
        properties = node.get("properties", {})
        if key in properties:
            own.append(properties[key])
        patterns = node.get("patternProperties", {})
        own += [schema for pattern, schema in patterns.items() if _matches(pattern, key)]
        if not own and "additionalProperties" in node:
            own.append(node["additionalProperties"])
        schemas += own
        is_open = is_open and _KEYWORDS_OF_KEYS.isdisjoint(node)
    return schemas or ([True] if is_open else None)


def _matches(pattern: str, key: str) -> bool:
    try:
        return re.search(pattern, key) is not None
    except re.error:
        # JSON Schema has expressions that Python does not know.
        return False


def _schemas_of_item(nodes: Iterable[Mapping[str, Any]], place: int) -> list[Any]:
    schemas: list[Any] = []
    for node in nodes:
        first = node.get("prefixItems", ())
        schemas.append(first[place] if place < len(first) else node.get("items", True))
    return schemas


def _common(values: Iterable[Any]) -> Any:
    """What all the values agree on."""
    common: Any = NOTHING
    for place, value in enumerate(values):
        common = value if place == 0 else _both(common, value)
    return common


def _both(left: Any, right: Any) -> Any:
    """What two of what is shown of one value agree on: they differ in what they leave out."""
    if is_dict(left) and is_dict(right):
        return {key: _both(value, right[key]) for key, value in left.items() if key in right}
    if is_array(left) and is_array(right):
        return list(map(_both, left, right))
    return NOTHING if right is NOTHING else left
