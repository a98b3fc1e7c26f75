"""`Activity`: a tool call that shows what it does while it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from finalturn._core.chunks import StreamChunk

__all__ = ["Activity", "OpenActivity"]


class Activity(Protocol):
    """A tool call under way. It is driven by its reader: nothing runs between two pieces."""

    async def next(self) -> StreamChunk | str:
        """What it shows next; a text is its result, and the last."""
        ...

    async def aclose(self) -> None:
        """Stop it, if it has not ended, and free what it holds."""
        ...


OpenActivity: TypeAlias = Callable[..., Activity]
"""Takes what the tool's function takes, and begins nothing yet."""
