"""Tool calls in the notations of single models, between special tokens of their tokenizers.

The first closing token ends a block: a tokenizer keeps these tokens apart from text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Final

from finalturn._core.json_text import encode, without_surrogates
from finalturn._core.markup import BlockEnd, closing
from finalturn._core.messages import ToolCall
from finalturn._core.textcalls.json_calls import named_call
from finalturn._core.textcalls.read import malformed

__all__ = ["CUT", "MALFORMED", "TokenBlock", "braces_call", "deepseek_calls", "kimi_calls", "tool_name"]


MALFORMED = "the call was malformed, so nothing was run"
CUT = "the call was cut before its end, so nothing was run"


class TokenBlock:
    """The text after an opening token, fed in pieces.

    Args:
        closes: the closing tokens.
        read: the calls of the text; ``None`` when it is malformed.
        name: the tool's name, where it stands before the block.
        reopening: closing tokens that begin something else.
    """

    __slots__ = ("_closing", "_longest", "_name", "_parts", "_read", "_reopening", "_tail")

    def __init__(
        self,
        closes: tuple[str, ...],
        read: Callable[[str], tuple[ToolCall, ...] | None],
        *,
        name: str = "",
        reopening: Collection[str] = (),
    ) -> None:
        self._closing = closing(closes)
        self._longest = max(map(len, closes))
        self._read = read
        self._name = name
        self._reopening = reopening
        self._parts: list[str] = []
        self._tail = ""

    def feed(self, text: str, start: int) -> BlockEnd | None:
        """Take more text, from ``start`` on. Tells when the block ends in it."""
        # A token may have begun before this text.
        border = self._tail + text[start : start + self._longest - 1]
        token = self._closing.pattern.search(border) if self._tail else None
        end = 0 if token is None else start + token.end() - len(self._tail)
        if token is None and (token := self._closing.pattern.search(text, start)):
            end = token.end()
        if token is None:
            self._parts.append(text[start:])
            self._tail = (border if len(text) - start < self._longest else text)[1 - self._longest :]
            return None
        block = "".join((*self._parts, text[start:end]))
        calls = self._judged(block[: -len(token[0])], MALFORMED)
        if token[0] not in self._reopening:
            return BlockEnd(calls, text, end)
        begun = end - len(token[0])
        return BlockEnd(calls, text, begun) if begun >= start else BlockEnd(calls, token[0] + text[end:], 0)

    def finish(self) -> BlockEnd:
        """No more text comes. What ends a model's turn, servers leave out: what is there may be whole."""
        return BlockEnd(self._judged("".join(self._parts), CUT), "", 0)

    def _judged(self, text: str, error: str) -> tuple[ToolCall, ...]:
        calls = self._read(without_surrogates(text))
        return (malformed(text, error, self._name),) if calls is None else calls


_FENCED: Final = re.compile(r"\s*([^\s`]+)\s*```(?:json)?(.*?)```\s*", re.DOTALL)
_CALL: Final = re.compile(r"\s*call:\s*([\w.-]+)\s*(\{.*\})\s*", re.DOTALL)
_KEY: Final = re.compile(r"([{,]\s*)([A-Za-z_][\w-]*)(\s*:)")


def tool_name(written: str) -> str:
    """The name of a tool that a model has put into a namespace, and numbered: ``functions.f:0``."""
    name, _, number = written.strip().removeprefix("functions.").partition(":")
    return name if not number or number.isdecimal() else f"{name}:{number}"


def kimi_calls(text: str) -> tuple[ToolCall, ...] | None:
    """``<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{…}<|tool_call_end|>``, once or more."""
    return _calls_between(
        text, "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>", _plain
    )


def deepseek_calls(text: str, bar: str) -> tuple[ToolCall, ...] | None:
    """A name, a separator and an object; or the word function, and a name with an object in a fence.

    Args:
        bar: the character on the inner side of the tokens' brackets.
    """
    begin, separator, end = (f"<{bar}tool▁{word}{bar}>" for word in ("call▁begin", "sep", "call▁end"))
    return _calls_between(text, begin, separator, end, _fenced)


def braces_call(text: str, quote: str) -> tuple[ToolCall, ...] | None:
    """``call:f{q:…}``: an object with bare keys, and strings between tokens.

    Args:
        quote: the token around a string.
    """
    written = _CALL.fullmatch(text)
    if written is None:
        return None
    pieces = written[2].split(quote)
    # What stands at odd places is the inside of a string.
    pieces[::2] = [_KEY.sub(r'\1"\2"\3', piece) for piece in pieces[::2]]
    pieces[1::2] = [encode(piece).decode() for piece in pieces[1::2]]
    call = named_call(written[1], "".join(pieces))
    return None if call is None else (call,)


def _calls_between(
    text: str, begin: str, separator: str, end: str, read: Callable[[str, str], tuple[str, str]]
) -> tuple[ToolCall, ...] | None:
    before, *pieces = text.split(begin)
    if before.strip() or not pieces:
        return None
    calls: list[ToolCall] = []
    for piece in pieces:
        head, _, tail = piece.partition(separator)
        name, arguments = read(head, tail.partition(end)[0])
        call = named_call(name, arguments)
        calls.append(malformed("", MALFORMED, name) if call is None else call)
    return tuple(calls)


def _plain(head: str, text: str) -> tuple[str, str]:
    return tool_name(head), text


def _fenced(head: str, text: str) -> tuple[str, str]:
    fenced = _FENCED.fullmatch(text) if head.strip() == "function" else None
    return (fenced[1], fenced[2]) if fenced else (head.strip(), text)
