"""What a library has to do to be measured."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, Field

Prose = Callable[[], AsyncIterator[str]]
"""One turn: its text, piece by piece."""

QUESTION = "Where is my order A-1042?"
SYSTEM = "You are the support desk of a shop. Be brief and kind."


class Ticket(BaseModel):
    """What a turn ends with."""

    topic: str
    urgent: bool
    days: int


async def lookup_order(order_id: str) -> dict[str, object]:
    """Look up an order."""
    return {"order_id": order_id, "status": "shipped", "weight": 3.2}


async def search(
    query: Annotated[str, Field(description="What to look for, in a few words.")],
    limit: Annotated[int, Field(description="The most results.")] = 10,
    regions: Annotated[list[str] | None, Field(description="Only in these regions.")] = None,
    exact: bool = False,
) -> list[dict[str, Any]]:
    """Search a part of the shop."""
    return []


def many(count: int) -> list[tuple[str, str]]:
    """So many names and descriptions of tools."""
    return [(f"search_{at}", f"Search part {at} of the shop, newest first.") for at in range(count)]


class Library(ABC):
    """A library, with everything that can be done before a turn done."""

    package: str
    """The package whose version counts."""

    @abstractmethod
    def prose(self, url: str, messages: Sequence[dict[str, Any]], tools: int) -> Prose:
        """A turn that streams text.

        Args:
            url: the address before ``/chat/completions``.
            messages: the conversation as chat completions have it; the last is the user's.
            tools: how many tools the agent has.
        """

    @abstractmethod
    def turn(self, url: str) -> Callable[[], Awaitable[dict[str, Any]]]:
        """A whole turn: a tool call, streamed text, and then a `Ticket`, as a dict."""
