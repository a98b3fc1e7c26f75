"""Values that a model writes as bare text, typed by the tool's schema."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final, cast

from finalturn._core.json_text import MAX_DEPTH, decode, without_surrogates
from finalturn._core.type_guards import is_array, is_mapping

__all__ = ["arguments_of", "typed"]

_TYPES: Final[Mapping[type, frozenset[str]]] = {
    bool: frozenset({"boolean"}),
    int: frozenset({"integer", "number"}),
    float: frozenset({"number"}),
    str: frozenset({"string"}),
    list: frozenset({"array"}),
    dict: frozenset({"object"}),
    type(None): frozenset({"null"}),
}
# How Python writes what JSON calls true, false and null; templates print values with it.
_PYTHON: Final = {"True": True, "False": False, "None": None}
_REFERENCES: Final = 32
_LINE_END: Final = re.compile(r"\A\r?\n|\r?\n\Z")


def arguments_of(
    pairs: list[tuple[str, str]], schema: Mapping[str, Any], verbatim: Collection[str] = ()
) -> dict[str, Any] | None:
    """The arguments that were written one by one; ``None`` when one is there twice.

    Args:
        pairs: their names and texts.
        schema: the tool's parameters; ``{}`` when they are not known.
        verbatim: the names of those whose text is a string, whatever the schema says.
    """
    properties = schema.get("properties")
    known: Mapping[str, Any] = properties if is_mapping(properties) else {}
    arguments = {
        name.strip(): without_surrogates(text)
        if name in verbatim
        else typed(text, known.get(name.strip()), schema)
        for name, text in pairs
    }
    return arguments if len(arguments) == len(pairs) else None


def typed(text: str, schema: object, root: Mapping[str, Any]) -> Any:
    """The value that a text stands for.

    It is the text itself where the schema wants a string, and JSON where it wants anything else. Where both
    will do, it is JSON that fits, or else the text. A line end directly behind the opening tag and before the
    closing one belongs to them.

    Args:
        schema: what it must fit; anything that is no schema allows everything.
        root: the schema that its references point into.
    """
    text = _LINE_END.sub("", without_surrogates(text))
    kinds = _kinds(schema, root)
    if kinds == frozenset({"string"}):
        return text
    words = text.strip()
    try:
        value = _PYTHON[words] if words in _PYTHON else decode(words, max_depth=MAX_DEPTH - 1)
    except ValueError:
        return text
    if kinds and not kinds & _TYPES[type(value)] and "string" in kinds:
        return text
    # Where nothing is known of the value, a string in quotes may want its quotes.
    return text if not kinds and isinstance(value, str) else value


def _kinds(schema: object, root: Mapping[str, Any]) -> frozenset[str]:
    """The types that a schema allows; none when it does not say."""
    kinds: set[str] = set()
    pending: list[object] = [schema]
    looked = 0
    while pending and looked < _REFERENCES:
        looked += 1
        item = pending.pop()
        if not is_mapping(item):
            continue
        kind = item.get("type")
        kinds.update(one for one in (kind if is_array(kind) else [kind]) if isinstance(one, str))
        values = item.get("enum")
        const: list[object] = [item["const"]] if "const" in item else []
        for value in [*(values if is_array(values) else ()), *const]:
            kinds |= _TYPES.get(cast("type[object]", type(value)), frozenset())
        for word in ("anyOf", "oneOf", "allOf"):
            inner = item.get(word)
            pending.extend(inner if is_array(inner) else ())
        pending.append(_pointed(item.get("$ref"), root))
    return frozenset(kinds)


def _pointed(reference: object, root: Mapping[str, Any]) -> object:
    """What a reference within the schema points to (RFC 6901)."""
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    found: object = root
    for step in reference[2:].split("/"):
        found = found.get(step.replace("~1", "/").replace("~0", "~")) if is_mapping(found) else None
    return found
