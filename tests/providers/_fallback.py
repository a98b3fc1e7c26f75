"""What tests of `Fallback` build members of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from finalturn import Message, ModelEnd, ModelRequest, ProviderError, TextDelta, Usage
from finalturn.providers import Scripted

REQUEST = ModelRequest([Message.user("hi")], call=2)
SPENT = Usage(input_tokens=7, total_tokens=7)
UNREPORTED = Usage(unreported_calls=1)


Kind = Callable[[Scripted], Any]
KINDS: dict[str, Kind] = {
    "streaming": lambda script: script,
    "whole-reply": lambda script: script.whole_reply(),
    "sync-whole-reply": lambda script: script.whole_reply(sync=True),
    "sync-stream": lambda script: script.sync_stream(),
}


def down(
    words: str = "it is down",
    *,
    status: int | None = 503,
    code: str | None = "overloaded",
    retryable: bool = False,
    detail: str | None = "their words",
    usage: Usage | None = None,
) -> ProviderError:
    """A failure."""
    error = ProviderError(words, status=status, code=code, retryable=retryable, detail=detail)
    error.usage = usage
    return error


class Named(Scripted):
    """A scripted model with a name."""

    def __init__(self, name: str, *calls: Any, **more: Any) -> None:
        super().__init__(*calls, **more)
        self.name = name

    def __repr__(self) -> str:
        return self.name


class Nobody:
    """Must not be asked."""

    def stream(self, request: ModelRequest, /) -> Any:
        raise AssertionError("it is asked")

    def __repr__(self) -> str:
        return "nobody"


def says(*pieces: str, **end: Any) -> list[Any]:
    """The events of an answer."""
    return [*map(TextDelta, pieces), ModelEnd(**end)]
