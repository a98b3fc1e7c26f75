"""What one block says."""

from __future__ import annotations

import re
from typing import Any, cast

from finalturn._core.json_text import decode, escape_controls
from finalturn._core.messages import ToolCall

__all__ = ["CLOSE", "NOT_CLOSED", "NOT_EXACT", "OPEN", "exact", "exact_calls", "is_json", "malformed"]

OPEN = "<tool_call>"
CLOSE = "</tool_call>"

_FORM = 'a call is written exactly as <tool_call>{"name": "...", "arguments": {...}}</tool_call>'
NOT_CLOSED = f"the call was not closed with </tool_call>, so nothing was run; {_FORM}"
NOT_EXACT = f"the call was malformed, so nothing was run; {_FORM}"

_BLANK = " \t\n\r"
_WS = f"[{_BLANK}]*"
_STRING = r'("[^"\\]*(?:\\.[^"\\]*)*")'
_NAME_FIRST = re.compile(rf'{{{_WS}"name"{_WS}:{_WS}{_STRING}', re.DOTALL)
_THEN_ARGUMENTS = re.compile(rf'{_WS},{_WS}"arguments"{_WS}:')
_ARGUMENTS_FIRST = re.compile(rf'{{{_WS}"arguments"{_WS}:')
_THEN_NAME = re.compile(rf',{_WS}"name"{_WS}:{_WS}{_STRING}{_WS}}}\Z', re.DOTALL)


def exact(block: str) -> ToolCall | None:
    """The call, when the block is one JSON object of a name and an arguments object and nothing else.

    The two values are cut out and parsed by themselves. So a repeated key cannot pass, and the arguments
    keep the text that the model wrote.
    """
    block = escape_controls(block.strip(_BLANK))
    if not block.endswith("}"):
        return None
    if head := _NAME_FIRST.match(block):
        comma = _THEN_ARGUMENTS.match(block, head.end())
        return _call(head[1], block[comma.end() : -1]) if comma else None
    if head := _ARGUMENTS_FIRST.match(block):
        tail = _THEN_NAME.search(block, head.end())
        return _call(tail[1], block[head.end() : tail.start()]) if tail else None
    return None


def exact_calls(block: str) -> tuple[ToolCall, ...] | None:
    """The same, as the calls of the block."""
    call = exact(block)
    return None if call is None else (call,)


def _call(name: str, arguments: str) -> ToolCall | None:
    found_name, found = _decoded(name), _object(arguments)
    if not found_name or found is None:
        return None
    return ToolCall(found_name, found, _text=arguments.strip(_BLANK))


def is_json(block: str) -> bool:
    """Whether the block is one JSON value of any shape."""
    try:
        decode(escape_controls(block))
    except ValueError:
        return False
    return True


def malformed(block: str, error: str, name: str = "") -> ToolCall:
    """A call that cannot run, with the tool's name: the one that is given, or as far as it can be read."""
    if name:
        return ToolCall(name, error=error)
    block = block.strip(_BLANK)
    head = _NAME_FIRST.match(block)
    found: object = _decoded(head[1]) if head else None
    if found is None:
        found = (_object(block) or {}).get("name")
    return ToolCall(found if isinstance(found, str) else "", error=error)


def _decoded(text: str) -> Any:
    try:
        return decode(text)
    except ValueError:
        return None


def _object(text: str) -> dict[str, Any] | None:
    value = _decoded(text)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None
