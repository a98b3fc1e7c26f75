"""Tool calls that models write as tags: a name, and each argument by itself as bare text.

Qwen3-Coder, for one, writes ``<function=f><parameter=x>1</parameter></function>``. The text of an argument is
typed by the tool's schema.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final, cast

from finalturn._core.json_text import MAX_DEPTH, decode, without_surrogates
from finalturn._core.markup import Schemas
from finalturn._core.messages import ToolCall
from finalturn._core.textcalls.json_calls import json_calls, named_call
from finalturn._core.type_guards import is_array, is_mapping

__all__ = [
    "DSML",
    "arguments_of",
    "function_body",
    "function_calls",
    "glm_call",
    "invoke_calls",
    "tool_call_calls",
    "typed",
]


DSML: Final = "｜DSML｜"

_ATTRIBUTE: Final = re.compile(r'\s+name="([^"]*)"')
_IS_TEXT: Final = re.compile(r'\s+string="true"')
_NAME: Final = re.compile(r"[\w.:-]+")
_PAIR: Final = re.compile(r"([^<]*)</arg_key>\s*<arg_value>")


def tool_call_calls(text: str, schemas: Schemas) -> tuple[ToolCall, ...] | None:
    """What stands between ``<tool_call>`` and its end: JSON, a function of its own, or a name and pairs."""
    text = text.strip()
    if text.startswith(("{", "[")):
        return json_calls(text)
    if text.startswith("<"):
        return function_calls(text, schemas)
    call = glm_call(text, schemas)
    return None if call is None else (call,)


def function_calls(text: str, schemas: Schemas) -> tuple[ToolCall, ...] | None:
    """``<function=f><parameter=q>…</parameter></function>``, once or more."""
    calls: list[ToolCall] = []
    at = 0
    while (start := text.find("<function=", at)) >= 0:
        name_end, end = text.find(">", start), text.find("</function>", start)
        if text[at:start].strip() or not start < name_end < end:
            return None
        call = function_body(text[start + len("<function=") : name_end], text[name_end + 1 : end], schemas)
        if call is None:
            return None
        calls.append(call)
        at = end + len("</function>")
    return None if text[at:].strip() else tuple(calls) or None


def function_body(name: str, text: str, schemas: Schemas) -> ToolCall | None:
    """What stands in a function: a JSON object, or parameters."""
    name = name.strip().strip("\"'")
    if not name:
        return None
    if text.lstrip().startswith("{"):
        return named_call(name, text)
    return _built(name, _elements(text, "<parameter=", "</parameter>"), schemas)


def invoke_calls(text: str, schemas: Schemas, mark: str = "") -> tuple[ToolCall, ...] | None:
    """``<invoke name="f"><parameter name="q">…</parameter></invoke>``, once or more.

    Args:
        mark: what stands at the beginning of each tag's name.
    """
    calls: list[ToolCall] = []
    for head, body in _elements(text, f"<{mark}invoke", f"</{mark}invoke>", closed=True) or ():
        name = _ATTRIBUTE.match(head)
        pairs = _elements(body, f"<{mark}parameter", f"</{mark}parameter>")
        arguments: list[tuple[str, str]] = []
        verbatim: set[str] = set()
        for attributes, value in pairs or ():
            attribute = _ATTRIBUTE.match(attributes)
            if attribute is None:
                return None
            arguments.append((attribute[1], value))
            if _IS_TEXT.match(attributes, attribute.end()):
                verbatim.add(attribute[1])
        call = None if name is None or pairs is None else _built(name[1], arguments, schemas, verbatim)
        if call is None:
            return None
        calls.append(call)
    return tuple(calls) or None


def glm_call(text: str, schemas: Schemas) -> ToolCall | None:
    """``f<arg_key>q</arg_key><arg_value>…</arg_value>``; a name by itself calls a tool that there is."""
    name, key, after_key = text.partition("<arg_key>")
    name = name.strip()
    if not _NAME.fullmatch(name) or not (key or name in schemas):
        return None
    keys = _elements(key + after_key, "<arg_key", "</arg_value>", closed=True)
    if keys is None:
        return None
    pairs: list[tuple[str, str]] = []
    for _, body in keys:
        pair = _PAIR.match(body)
        if pair is None:
            return None
        pairs.append((pair[1].strip(), body[pair.end() :]))
    return _built(name, pairs, schemas)


def _built(
    name: str, pairs: list[tuple[str, str]] | None, schemas: Schemas, verbatim: Collection[str] = ()
) -> ToolCall | None:
    arguments = None if pairs is None else arguments_of(pairs, schemas.get(name, {}), verbatim)
    return None if arguments is None or not name else ToolCall(name, arguments)


def _elements(text: str, opening: str, close: str, *, closed: bool = False) -> list[tuple[str, str]] | None:
    """Each element's head and text; ``None`` when anything else stands between them.

    Args:
        closed: each must be closed. Otherwise one that is not ends where the next begins, or at the end.
    """
    elements: list[tuple[str, str]] = []
    at, size = 0, len(text)
    end = -1
    start = _find(text, opening, 0)
    if text[:start].strip():
        return None
    while start < size:
        headed = _find(text, ">", start)
        if headed == size:
            return None
        if end <= headed:
            end = _find(text, close, headed)
        following = _find(text, opening, headed)
        if closed and end >= following:
            return None
        stop = min(end, following)
        elements.append((text[start + len(opening) : headed], text[headed + 1 : stop]))
        at = stop + len(close) if stop == end else stop
        if text[at:following].strip():
            return None
        start = following
    return elements


def _find(text: str, word: str, start: int) -> int:
    at = text.find(word, start)
    return len(text) if at < 0 else at


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
    property_schemas: Mapping[str, Any] = properties if is_mapping(properties) else {}
    arguments = {
        name.strip(): without_surrogates(text)
        if name in verbatim
        else typed(text, property_schemas.get(name.strip()), schema)
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
        kinds.update(name for name in (kind if is_array(kind) else [kind]) if isinstance(name, str))
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
    target: object = root
    for step in reference[2:].split("/"):
        target = target.get(step.replace("~1", "/").replace("~0", "~")) if is_mapping(target) else None
    return target
