"""Calls in the notations of single models, between tokens of theirs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from finalturn._core.json_text import encode
from finalturn._core.messages import ToolCall
from finalturn._core.textcalls.json_calls import named_call
from finalturn._core.textcalls.read import malformed
from finalturn._core.textcalls.token_block import MALFORMED

__all__ = ["braces_call", "deepseek_calls", "kimi_calls", "tool_name"]

_FENCED: Final = re.compile(r"\s*([^\s`]+)\s*```(?:json)?(.*?)```\s*", re.DOTALL)
_CALL: Final = re.compile(r"\s*call:\s*([\w.-]+)\s*(\{.*\})\s*", re.DOTALL)
_KEY: Final = re.compile(r"([{,]\s*)([A-Za-z_][\w-]*)(\s*:)")


def tool_name(written: str) -> str:
    """The name of a tool that a model has put into a namespace, and numbered: ``functions.f:0``."""
    name, _, number = written.strip().removeprefix("functions.").partition(":")
    return name if not number or number.isdecimal() else f"{name}:{number}"


def kimi_calls(text: str) -> tuple[ToolCall, ...] | None:
    """``<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{…}<|tool_call_end|>``, once or more."""
    return _each(text, "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>", _plain)


def deepseek_calls(text: str, bar: str) -> tuple[ToolCall, ...] | None:
    """A name, a separator and an object; or the word function, and a name with an object in a fence.

    Args:
        bar: the character on the inner side of the tokens' brackets.
    """
    begin, separator, end = (f"<{bar}tool▁{word}{bar}>" for word in ("call▁begin", "sep", "call▁end"))
    return _each(text, begin, separator, end, _fenced)


def braces_call(text: str, quote: str) -> tuple[ToolCall, ...] | None:
    """``call:f{q:…}``: an object with bare keys, and strings between tokens.

    Args:
        quote: the token around a string.
    """
    found = _CALL.fullmatch(text)
    if found is None:
        return None
    pieces = found[2].split(quote)
    # What stands at odd places is the inside of a string.
    pieces[::2] = [_KEY.sub(r'\1"\2"\3', piece) for piece in pieces[::2]]
    pieces[1::2] = [encode(piece).decode() for piece in pieces[1::2]]
    call = named_call(found[1], "".join(pieces))
    return None if call is None else (call,)


def _each(
    text: str, begin: str, separator: str, end: str, read: Callable[[str, str], tuple[str, str]]
) -> tuple[ToolCall, ...] | None:
    before, *pieces = text.split(begin)
    if before.strip() or not pieces:
        return None
    calls: list[ToolCall] = []
    for piece in pieces:
        head, _, rest = piece.partition(separator)
        name, arguments = read(head, rest.partition(end)[0])
        call = named_call(name, arguments)
        calls.append(malformed("", MALFORMED, name) if call is None else call)
    return tuple(calls)


def _plain(head: str, text: str) -> tuple[str, str]:
    return tool_name(head), text


def _fenced(head: str, text: str) -> tuple[str, str]:
    found = _FENCED.fullmatch(text) if head.strip() == "function" else None
    return (found[1], found[2]) if found else (head.strip(), text)
