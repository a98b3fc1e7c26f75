"""What a text is split into, and what reads a block in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

from finalturn._core.messages import ToolCall
from finalturn._core.model import ReasoningDelta, TextDelta

__all__ = ["BlockReader", "Ended", "Part", "Schemas", "Tag"]

Part: TypeAlias = TextDelta | ReasoningDelta | ToolCall
"""A piece of prose, a piece of reasoning, or a whole call."""

Schemas: TypeAlias = Mapping[str, Mapping[str, Any]]
"""The parameters of each tool that was offered, by its name."""


@dataclass(frozen=True, slots=True)
class Tag:
    """How a model marks its reasoning.

    Attributes:
        open: what begins it; ``""`` where something else has begun it.
        closes: what ends it: the first of them that comes.
    """

    open: str
    closes: tuple[str, ...]


class BlockReader(Protocol):
    """Reads one block, from behind its opening token."""

    def feed(self, text: str, start: int, /) -> Ended | None:
        """Take more text, from ``start`` on. Tells when the block ends in it."""
        ...

    def finish(self) -> Ended:
        """No more text comes."""
        ...


class Ended(NamedTuple):
    """A block that is over.

    Attributes:
        parts: its calls, or text that is to be shown after all.
        text: a text in which the answer goes on.
        at: the position in it.
        then: what comes next there, where it is not prose.
    """

    parts: tuple[ToolCall | TextDelta, ...]
    text: str
    at: int
    then: Tag | BlockReader | None = None
