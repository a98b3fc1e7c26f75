"""What a stream format is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from finalturn._serve.formats.items import Item

__all__ = ["Projection", "Record"]

Record: TypeAlias = Mapping[str, Any] | str
"""A JSON object, or a text that is sent as it is."""


class Projection(Protocol):
    """Turns one turn's items into the records of a format.

    It does no I/O, and reads no clock: the same items give the same records. It is made for one turn, and may
    remember what it needs of earlier items.
    """

    def records(self, item: Item, /) -> Sequence[Record]:
        """The records of the next item."""
        ...
