"""Follows the references of a JSON Schema before it is used. Imported when a schema is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from finalturn._core.errors import ConfigurationError

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_REFERENCES = ("$ref", "$dynamicRef")
_IN_PLACE_LISTS = ("allOf", "anyOf", "oneOf")
_IN_PLACE = ("not", "if", "then", "else")


def check_references(schema: Mapping[str, Any], check: Callable[[Any], None]) -> None:
    """Refuse what cannot be validated without the network, or without end.

    Args:
        schema: a valid schema.
        check: raises when a target of a reference, in a place where no schema is expected, is not one.

    Raises:
        ConfigurationError: a reference leads out of the schema, points nowhere or at something that is
            not a schema, or only leads back to itself; or a part declares another draft.
    """
    _References(check).walk(schema)


class _References:
    def __init__(self, check: Callable[[Any], None]) -> None:
        self._check = check
        self._nodes: dict[int, Mapping[str, Any]] = {}
        self._targets: dict[int, list[Any]] = {}

    def walk(self, schema: Any) -> None:
        root: Resource[Any] = DRAFT202012.create_resource(schema)
        registry: Registry[Any] = Registry()
        pending = [(root, registry.resolver_with_root(root))]
        targets: list[tuple[Resource[Any], Any]] = []
        while pending or targets:
            if not pending:
                # What no keyword leads to has not been checked yet.
                resource, resolver = targets.pop()
                if id(resource.contents) not in self._nodes:
                    self._check(resource.contents)
                    pending.append((resource, resolver))
                continue
            resource, resolver = pending.pop()
            node: Any = resource.contents
            if isinstance(node, bool) or id(node) in self._nodes:
                continue
            self._nodes[id(node)] = node
            _same_dialect(node)
            targets += self._follow(node, resolver)
            pending += [(part, resolver.in_subresource(part)) for part in resource.subresources()]
        self._refuse_loops()

    def _follow(self, node: Mapping[str, Any], resolver: Any) -> Iterator[tuple[Resource[Any], Any]]:
        for keyword in _REFERENCES:
            if keyword in node:
                resolved = _resolve(keyword, node[keyword], resolver)
                self._targets.setdefault(id(node), []).append(resolved.contents)
                yield DRAFT202012.create_resource(resolved.contents), resolved.resolver

    def _refuse_loops(self) -> None:
        # A schema that is applied to the same value again and again would never end.
        graph = {id(node): {id(part) for part in self._in_place(node)} for node in self._nodes.values()}
        try:
            TopologicalSorter(graph).prepare()
        except CycleError:
            raise ConfigurationError(
                "the response_format mapping has a $ref that only leads back to itself; "
                "let it go through properties or items"
            ) from None

    def _in_place(self, node: Mapping[str, Any]) -> Iterator[Any]:
        """The schemas that the same value is checked against."""
        parts: list[Any] = [*self._targets.get(id(node), ()), *node.get("dependentSchemas", {}).values()]
        for keyword in _IN_PLACE_LISTS:
            parts += node.get(keyword, ())
        parts += [node[keyword] for keyword in _IN_PLACE if keyword in node]
        return (part for part in parts if not isinstance(part, bool))


def _resolve(keyword: str, ref: str, resolver: Any) -> Any:
    try:
        resolved = resolver.lookup(ref)
    except (Unresolvable, TypeError, ValueError):
        raise ConfigurationError(
            f"the response_format mapping has a {keyword} to {ref!r}, which is not in it; references "
            'are not fetched: put the target under "$defs" and refer to it as "#/$defs/<name>"'
        ) from None
    if not isinstance(resolved.contents, (Mapping, bool)):
        raise ConfigurationError(
            f"the response_format mapping has a {keyword} to {ref!r}, which is not a schema"
        )
    return resolved


def _same_dialect(node: Mapping[str, Any]) -> None:
    dialect = node.get("$schema", _DIALECT)
    if str(dialect).rstrip("#") != _DIALECT:
        raise ConfigurationError(
            f"the response_format mapping declares $schema {dialect!r}; only draft 2020-12 is understood: "
            "leave $schema out when the schema also holds there, else rewrite it"
        )
