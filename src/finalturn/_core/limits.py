"""`Limits`: what a turn may use before it ends."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias

from finalturn._core.described import described
from finalturn._core.errors import ConfigurationError
from finalturn._support.keywords import checked_class
from finalturn.stability import NEXT, beta

__all__ = ["LIMIT_WORDS", "LimitName", "Limits", "given_limits", "merged_limits"]

LimitName: TypeAlias = Literal[
    "requests", "tool_calls", "input_tokens", "output_tokens", "total_tokens", "seconds"
]
"""Which of its `Limits` a turn reached; the names are those of the fields."""
beta(since=NEXT).constant(__name__, "LimitName")

LIMIT_WORDS: Mapping[LimitName, str] = {
    "requests": "requests to the model",
    "tool_calls": "tool calls",
    "input_tokens": "tokens read",
    "output_tokens": "tokens written",
    "total_tokens": "tokens",
    "seconds": "time",
}
"""What each limits, for a person."""

_INSTEAD: Mapping[str, str] = {
    "requests": "a turn makes at least one request",
    "tool_calls": "for a turn without tools, give tools=[]",
}


@beta(since=NEXT)
@checked_class
@dataclass(frozen=True, slots=True)
class Limits:
    """What a turn may use before it ends. What is ``None`` is not limited.

    A turn that would pass a limit ends with a result: its ``stop_reason`` is ``"limit_reached"``, and its
    ``limit`` says which. Turns of agents that its tools run count in it too, and may have stricter limits
    of their own.

    Example:
        agent = Agent(provider, tools=[search], limits=Limits(requests=8, seconds=60))

    Attributes:
        requests: model calls, retries of answers and the synthesis call included. What a provider repeats
            or hands to another by itself is one request.
        tool_calls: calls that the model asks for. When one response asks for more than are left, none of
            them runs.
        input_tokens: tokens read. Once as many are used, no further model call begins; a call that is
            under way is not cut off. A call whose provider reports no usage counts as none.
        output_tokens: tokens written; as above.
        total_tokens: tokens in all; as above.
        seconds: from the turn's start to its end, time in which its stream is not read included. What is
            under way then is stopped. Saving to the session is not.

    Raises:
        ConfigurationError: one of them is not above 0, or is of another type; it is named.

    Contract:
        - `limits-end-cleanly` (beta): A turn that would pass one of its limits MUST end with a result that
          names it as `limit`, with `stop_reason` "limit_reached": no model call or tool that would pass it
          begins, what was shown and used stays, and every tool call has its TOOL message.
    """

    requests: int | None = None
    tool_calls: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                _check(field.name, value)


def given_limits(limits: Limits) -> dict[str, Any]:
    """Those that are not ``None``."""
    values = {field.name: getattr(limits, field.name) for field in fields(limits)}
    return {name: value for name, value in values.items() if value is not None}


def merged_limits(limits: Limits, over: Limits) -> Limits:
    """The first, but for what the second says."""
    return replace(limits, **given_limits(over))


def _check(name: str, value: object) -> None:
    kind = "number of seconds" if name == "seconds" else "whole number"
    types = (int, float) if name == "seconds" else (int,)
    if isinstance(value, bool) or not isinstance(value, types):
        raise ConfigurationError(
            f"the limit {name} must be a {kind} above 0, not {described(value)}; leave it out for no limit"
        )
    if not 0 < value < math.inf:
        instead = _INSTEAD.get(name)
        instead = "" if instead is None else f"; {instead}"
        raise ConfigurationError(
            f"the limit {name} must be a {kind} above 0, not {value!r}{instead}; leave it out for no limit"
        )
