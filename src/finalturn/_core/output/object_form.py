"""Puts a schema whose root is not a plain object into one, for vendors that take no other.

OpenAI's guide "Structured model outputs" says that the root must be an object and must not be an ``anyOf``
(https://developers.openai.com/api/docs/guides/structured-outputs), and other vendors have the same rule. A
schema with any other root becomes the one property of an object, and the answer is taken out of it here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from finalturn._core.json_schema import LISTS, MAPS, PARTS
from finalturn._core.output.root import names_in, resolve_reference
from finalturn._core.type_guards import is_array, is_mapping

__all__ = ["ObjectForm", "member", "object_form"]

_KEY = "answer"
_DEFINITIONS = ("$defs", "definitions")
# A root with one of them is a choice, or a condition, whatever its type says.
_NOT_PLAIN = frozenset(["$dynamicRef", "$ref", "allOf", "anyOf", "const", "enum", "if", "not", "oneOf"])
# What may stand beside a reference without changing what is meant.
_ANNOTATIONS = frozenset(["$comment", "$schema", "default", "description", "examples", "title"])


class ObjectForm(NamedTuple):
    """A schema whose root is an object, and nothing but that.

    Attributes:
        schema: what is sent.
        key: the one property that holds the value; ``""`` where the value is the object itself.
    """

    schema: Mapping[str, Any]
    key: str


def object_form(schema: Mapping[str, Any]) -> ObjectForm:
    """The same values, with an object at the root.

    A root that only refers to an object becomes that object. Any other that is no plain object is put under
    a key that no object of the schema declares, so that nothing is read as the other.
    """
    plain = _plain_object(schema)
    return _wrapped(schema) if plain is None else ObjectForm(plain, "")


def member(text: str, key: str) -> str | None:
    """The JSON text of the only member of an object, as it is written; ``None`` where there is none.

    Args:
        text: a JSON text. What is returned is one only if the object has no other member.
        key: of the member.
    """
    match = re.fullmatch(rf'\s*+\{{\s*+"{re.escape(key)}"\s*+:(.*)\}}\s*', text, re.DOTALL)
    return None if match is None else match[1].strip()


def _plain_object(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    node = schema
    seen_refs: set[str] = set()
    while node.keys() & _NOT_PLAIN == {"$ref"}:
        ref = node["$ref"]
        siblings = {key: value for key, value in node.items() if key not in ("$ref", *_DEFINITIONS)}
        if not siblings.keys() <= _ANNOTATIONS or not isinstance(ref, str) or ref in {"#", *seen_refs}:
            return None
        seen_refs.add(ref)
        try:
            target = resolve_reference(schema, ref)
        except LookupError:
            return None
        if not is_mapping(target) or not target.keys().isdisjoint(_DEFINITIONS):
            return None
        node = {**target, **siblings}
    if node.get("type") != "object" or not node.keys().isdisjoint(_NOT_PLAIN):
        return None
    definitions = {key: schema[key] for key in _DEFINITIONS if key in schema}
    return schema if node is schema else {**node, **definitions}


def _wrapped(schema: Mapping[str, Any]) -> ObjectForm:
    names = names_in(schema)
    key = _KEY
    while key in names:
        key += "_"
    own = schema.get("$id")
    inner: dict[str, Any] = _moved(schema, f"#/properties/{key}", own if isinstance(own, str) else "")
    hoisted = {name: inner.pop(name) for name in _DEFINITIONS if name in inner}
    for keyword in ("$schema", "$id"):
        inner.pop(keyword, None)
    return ObjectForm(
        {
            "type": "object",
            "properties": {key: inner},
            "required": [key],
            "additionalProperties": False,
            **hoisted,
        },
        key,
    )


def _moved(node: Any, place: str, own: str) -> Any:
    """A schema whose references lead to the same targets when it stands elsewhere.

    Args:
        node: the schema.
        place: where what was the root stands now; definitions stay where they are.
        own: the ``$id`` of the root, which references may begin with.
    """
    if not is_mapping(node):
        return node
    moved: dict[str, Any] = {}
    for keyword, value in node.items():
        if keyword in ("$ref", "$dynamicRef") and isinstance(value, str):
            moved[keyword] = _moved_reference(value, place, own)
        elif is_mapping(value) and keyword in MAPS:
            moved[keyword] = {name: _moved(part, place, own) for name, part in value.items()}
        elif is_mapping(value) and keyword in PARTS:
            moved[keyword] = _moved(value, place, own)
        elif is_array(value) and keyword in LISTS:
            moved[keyword] = [_moved(part, place, own) for part in value]
        else:
            moved[keyword] = value
    return moved


def _moved_reference(ref: str, place: str, own: str) -> str:
    local = ref.removeprefix(own) or "#"
    if local != "#" and not local.startswith("#/"):
        return ref
    if local.split("/")[1:2] in (["$defs"], ["definitions"]):
        return local
    return place + local[1:]
