"""Prepares JSON Schemas for providers. What is left out still binds where answers are validated."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from finalturn._core.frozen import thaw
from finalturn._core.json_schema import LISTS, MAPS, PARTS
from finalturn._core.json_text import encode
from finalturn._providers.schema.strict import StrictSchema
from finalturn._providers.schema.strict_limits import Inexpressible

__all__ = ["openai_strict", "sendable"]

# A bracket does not start a group inside a character class, or after a backslash.
_NO_GROUP = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_LOOK_AROUND = re.compile(r"\(\?<?[=!]")


def sendable(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a schema without patterns that look around (``(?=``, ``(?!``, ``(?<=``, ``(?<!``).

    Constrained decoders cannot follow those, and vendors refuse a request or fail because of them.

    Whatever a value had to match it need not match any more, and nothing else changes. So a part that
    would turn stricter without its pattern goes too: ``not`` and ``if`` around one, the upper limit of
    ``contains``, the refusal of other keys beside a dropped key pattern; and ``oneOf`` becomes ``anyOf``.
    """
    plain = {keyword: thaw(value) for keyword, value in schema.items()}
    return _loosened(plain)[0] if _LOOK_AROUND.search(encode(plain).decode()) else plain


def openai_strict(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Rewrite a schema into the subset that OpenAI's strict mode takes.

    The source for the subset is OpenAI's guide "Structured model outputs", section "Supported schemas":
    the root is an object and no union; every object closes itself and requires all its properties;
    `anyOf`, `$defs`, `$ref` and recursion are known; composition by `allOf`, `not`, `if` and
    `dependent...` is not; there are limits on size. The API also refuses `oneOf`, `default`, and keywords
    beside a `$ref`.

    Returns:
        the rewritten schema, or ``None`` when it would let the model write less than the schema means,
        or something else: then it is to be sent without strictness. What limits a value and cannot be
        said (``minLength``, ``uniqueItems``, a format that is not known) is left out.

    What is decided:

    - An object without ``additionalProperties`` is closed: other keys mean nothing to its reader. One
      that asks for them (``additionalProperties`` true or a schema, ``patternProperties``), or that
      names no properties at all, is not expressible.
    - An optional property becomes required when the model can say "nothing" or what is the default: it
      has one, or takes null or an empty array. It never becomes nullable. Any other is not expressible.
    - ``oneOf`` becomes ``anyOf``, its discriminator goes; ``allOf`` of one member is that member.
    - Tuples (``prefixItems``), arrays and values of any type, and conditions are not expressible.
    - A type that is only implied by ``const`` or ``enum`` is written out; a list of types with an object
      or array in it becomes ``anyOf``.
    - Titles, defaults, examples and other annotations go; descriptions stay. One beside a ``$ref`` moves
      to an ``anyOf`` around it.
    """
    try:
        return StrictSchema(sendable(schema)).rewritten()
    except (Inexpressible, RecursionError, ValueError):
        # The last two: it is nested too deeply to be walked, or to be written.
        return None


def _loosened(node: Any) -> tuple[Any, bool]:
    """A schema without its look-around patterns, and whether it, or what it refers to, may have had any."""
    if not isinstance(node, dict):
        return node, False
    source = cast("dict[str, Any]", node)
    loose: dict[str, Any] = {}
    changed: set[str] = set()
    for keyword, value in source.items():
        if keyword == "pattern" and _looks_around(value):
            changed.add(keyword)
            continue
        loose[keyword], differs = _parts(keyword, value)
        if differs or keyword in ("$ref", "$dynamicRef"):
            changed.add(keyword)
    _repair(loose, changed)
    if any(map(_looks_around, source.get("patternProperties", ()))):
        _leave_out(loose, "additionalProperties", "unevaluatedProperties")
    return loose, bool(changed)


def _parts(keyword: str, value: Any) -> tuple[Any, bool]:
    if isinstance(value, dict) and keyword in MAPS:
        named = cast("dict[str, Any]", value)
        drop = keyword == "patternProperties"
        pairs = {key: _loosened(part) for key, part in named.items() if not (drop and _looks_around(key))}
        differs = len(pairs) < len(named) or any(pair[1] for pair in pairs.values())
        return {key: pair[0] for key, pair in pairs.items()}, differs
    if isinstance(value, (dict, bool)):
        return _loosened(cast("Any", value)) if keyword in PARTS else (cast("Any", value), False)
    if keyword in LISTS:
        parts = [_loosened(part) for part in value]
        return [part[0] for part in parts], any(part[1] for part in parts)
    return value, False


def _repair(loose: dict[str, Any], changed: set[str]) -> None:
    """Leave out what a looser part has made stricter."""
    if "not" in changed:
        _leave_out(loose, "not")
    if "if" in changed:
        _leave_out(loose, "if", "then", "else", "unevaluatedItems", "unevaluatedProperties")
    if "contains" in changed:
        _leave_out(loose, "maxContains")
    if "oneOf" in changed:
        union = {"anyOf": loose.pop("oneOf")}
        if "anyOf" in loose:
            loose["allOf"] = [*loose.get("allOf", ()), union]
        else:
            loose.update(union)


def _leave_out(node: dict[str, Any], *keywords: str) -> None:
    for keyword in keywords:
        node.pop(keyword, None)


def _looks_around(pattern: Any) -> bool:
    return isinstance(pattern, str) and _LOOK_AROUND.search(_NO_GROUP.sub("", pattern)) is not None
