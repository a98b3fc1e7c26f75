"""Finds the item of a Responses answer that a record is about. Pure.

Servers leave out the item's id, its place in the output, or both; some change the id from record to record,
or give every item the same place; and a stream that is taken up again begins in the middle of an item.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from finalturn._providers.json_types import as_array, as_int, as_object, as_text


class Item:
    """One item of an answer, complete or not yet.

    Attributes:
        kind: the type of the item, such as ``"message"``.
        id: its id; ``""`` when the server does not say.
        index: its place in the output; ``None`` when the server does not say.
        phase: what a message is: commentary, or the final answer; ``""`` when the server does not say.
        pieces: what it has said so far: text, reasoning, or arguments.
        source: the type of the records that its reasoning comes from.
        call_id: a call's id.
        name: the name of the tool that a call is for.
        replay: what is sent back of a reasoning item.
        done: the server has said that the item is complete.
    """

    __slots__ = ("call_id", "done", "id", "index", "kind", "name", "phase", "pieces", "replay", "source")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.id = ""
        self.index: int | None = None
        self.phase = ""
        self.pieces: list[str] = []
        self.source = ""
        self.call_id = ""
        self.name = ""
        self.replay: dict[str, Any] | None = None
        self.done = False


class Items:
    """The items of an answer.

    Attributes:
        all: in the order in which they began.
    """

    __slots__ = ("_at", "_latest", "_with_id", "all")

    def __init__(self) -> None:
        self.all: list[Item] = []
        self._at: dict[int, Item] = {}
        self._with_id: dict[str, Item] = {}
        self._latest: dict[str, Item] = {}

    def of_delta(self, record: dict[str, Any], kind: str) -> Item:
        """The item that a record holds a piece of."""
        index, item_id = as_int(record.get("output_index")), as_text(record.get("item_id"))
        return self._known_as(self._find(index, item_id, kind) or self._add(kind), index, item_id)

    def of_begin(self, record: dict[str, Any]) -> Item:
        """The item that a record begins. One that is begun twice is one item."""
        index, item_id, kind = _names(record)
        known = self._with_id.get(item_id)
        if known is not None and not known.done and (known.kind, known.index) == (kind, index):
            return known
        return self._known_as(self._add(kind), index, item_id)

    def of_end(self, record: dict[str, Any]) -> Item:
        """The item that a record completes."""
        index, item_id, kind = _names(record)
        item = self._find(index, item_id, kind)
        if item is None or item.done:
            item = self._add(kind)
        return self._known_as(item, index, item_id)

    def incomplete(self, output: object) -> Iterator[tuple[Item, dict[str, Any]]]:
        """The items of a whole answer that are new or were not complete, each with what it says of them.

        Args:
            output: the answer's list of items.
        """
        calls = {item.call_id: item for item in self.all if item.call_id}
        kinds: dict[str, list[Item]] = {}
        for item in self.all:
            kinds.setdefault(item.kind, []).append(item)
        counts: dict[str, int] = {}
        for index, record in enumerate(map(as_object, as_array(output))):
            kind, call_id = as_text(record.get("type")), as_text(record.get("call_id"))
            count = counts[kind] = counts.get(kind, -1) + 1
            known = kinds.get(kind, ())
            match = self._named(index, as_text(record.get("id")), kind)
            match = match or (known[count] if count < len(known) else None)
            if call_id and (match is None or match.call_id != call_id):
                match = calls.get(call_id) or (match if match and not match.call_id else None)
            elif match is None and known:
                # It has come as part of another one, from a server that does not tell items apart.
                continue
            match = match or self._add(kind)
            if not match.done:
                yield match, record

    def _named(self, index: int | None, item_id: str, kind: str) -> Item | None:
        with_id = self._with_id.get(item_id)
        confirmed = with_id if with_id is not None and index in (None, with_id.index) else None
        for item in (confirmed, None if index is None else self._at.get(index), with_id):
            if item is not None and item.kind == kind:
                return item
        return None

    def _find(self, index: int | None, item_id: str, kind: str) -> Item | None:
        item = self._named(index, item_id, kind)
        if item is not None:
            return item
        # The latest of its kind, unless something says that it is another one.
        latest = self._latest.get(kind)
        if latest is None or latest.done or (item_id and latest.id):
            return None
        return None if index is not None and latest.index is not None else latest

    def _add(self, kind: str) -> Item:
        item = self._latest[kind] = Item(kind)
        self.all.append(item)
        return item

    def _known_as(self, item: Item, index: int | None, item_id: str) -> Item:
        if index is not None and item.index is None:
            item.index = index
            self._at[index] = item
        if item_id and not item.id:
            item.id = item_id
            self._with_id[item_id] = item
        return item


def _names(record: dict[str, Any]) -> tuple[int | None, str, str]:
    item = as_object(record.get("item"))
    return as_int(record.get("output_index")), as_text(item.get("id")), as_text(item.get("type"))
