"""Calls that models write as tags: a name, and each argument by itself as bare text."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from finalturn._core.markup import Schemas
from finalturn._core.messages import ToolCall
from finalturn._core.textcalls.json_calls import json_calls, named_call
from finalturn._core.textcalls.typed import arguments_of

__all__ = ["DSML", "function_body", "function_calls", "glm_call", "invoke_calls", "tool_call_calls"]

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
        named, end = text.find(">", start), text.find("</function>", start)
        if text[at:start].strip() or not start < named < end:
            return None
        call = function_body(text[start + len("<function=") : named], text[named + 1 : end], schemas)
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
        named: list[tuple[str, str]] = []
        verbatim: set[str] = set()
        for attributes, value in pairs or ():
            found = _ATTRIBUTE.match(attributes)
            if found is None:
                return None
            named.append((found[1], value))
            if _IS_TEXT.match(attributes, found.end()):
                verbatim.add(found[1])
        call = None if name is None or pairs is None else _built(name[1], named, schemas, verbatim)
        if call is None:
            return None
        calls.append(call)
    return tuple(calls) or None


def glm_call(text: str, schemas: Schemas) -> ToolCall | None:
    """``f<arg_key>q</arg_key><arg_value>…</arg_value>``; a name by itself calls a tool that there is."""
    name, key, rest = text.partition("<arg_key>")
    name = name.strip()
    if not _NAME.fullmatch(name) or not (key or name in schemas):
        return None
    keys = _elements(key + rest, "<arg_key", "</arg_value>", closed=True)
    if keys is None:
        return None
    pairs: list[tuple[str, str]] = []
    for _, body in keys:
        found = _PAIR.match(body)
        if found is None:
            return None
        pairs.append((found[1].strip(), body[found.end() :]))
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
    found: list[tuple[str, str]] = []
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
        found.append((text[start + len(opening) : headed], text[headed + 1 : stop]))
        at = stop + len(close) if stop == end else stop
        if text[at:following].strip():
            return None
        start = following
    return found


def _find(text: str, word: str, start: int) -> int:
    at = text.find(word, start)
    return len(text) if at < 0 else at
