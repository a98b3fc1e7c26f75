"""Collects the items of a Responses answer, and gives the model events of what is new. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from finalturn._core.model import ModelEvent, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn._providers.json_types import arguments_text, as_object, as_text
from finalturn._providers.openai_responses.items import (
    message_text,
    reasoning_text,
    refuses,
    replayable,
)
from finalturn._providers.openai_responses.place import Item, Items
from finalturn._providers.openai_responses.prose import COMMENTARY, Prose
from finalturn._providers.openai_responses.replay import replay_data

MESSAGE, REASONING, CALL = "message", "reasoning", "function_call"


class ResponsesOutput:
    """Takes pieces of items, and items, and appends the events that they come to.

    Calls are given out at the end only, when it is certain that they are complete.

    Attributes:
        refused: some of what was said is a refusal.
        size: about how many characters of text, thoughts and calls there are.
    """

    def __init__(self) -> None:
        self.refused = False
        self.size = 0
        self._items = Items()
        self._prose = Prose()
        self._speaking: Item | None = None

    @property
    def complete(self) -> bool:
        """There are items, and the server has said of each that it is complete."""
        return bool(self._items.all) and all(item.done for item in self._items.all)

    def take_text(self, record: dict[str, Any], events: list[ModelEvent]) -> None:
        """A record with a piece of a message."""
        self._add_text(self._items.of_delta(record, MESSAGE), as_text(record.get("delta")), events)

    def take_reasoning(self, record: dict[str, Any], events: list[ModelEvent]) -> None:
        """A record with a piece of reasoning, or of its summary."""
        item, source = self._items.of_delta(record, REASONING), as_text(record.get("type"))
        # A server that sends both the reasoning and its summary says the same thing twice.
        item.source = item.source or source
        if item.source == source:
            self._add_reasoning(item, as_text(record.get("delta")), events)

    def take_arguments(self, record: dict[str, Any]) -> None:
        """A record with a piece of a call's arguments, or with all of them."""
        item = self._items.of_delta(record, CALL)
        if "arguments" in record:
            self._describe(item, record)
        elif delta := as_text(record.get("delta")):
            item.pieces.append(delta)
            self.size += len(delta)

    def begin(self, record: dict[str, Any]) -> None:
        """A record that begins an item."""
        self._describe(self._items.of_begin(record), as_object(record.get("item")))

    def end(self, record: dict[str, Any], events: list[ModelEvent]) -> None:
        """A record that completes an item."""
        self._complete(self._items.of_end(record), as_object(record.get("item")), events)

    def take_all(self, output: object, events: list[ModelEvent]) -> None:
        """The whole answer's list of items: what of it has not come so far."""
        for item, record in self._items.incomplete(output):
            self._complete(item, record, events)

    def finish(self, origin: str, events: list[ModelEvent]) -> bool:
        """The answer is complete: what was held back of its text, and its calls.

        Args:
            origin: the server and model that it comes from.

        Returns:
            whether there are calls.
        """
        self._show(self._prose.finish(), events)
        calls = list(self._calls(origin))
        events += calls
        return bool(calls)

    def _calls(self, origin: str) -> Iterator[ToolCallDelta]:
        before: list[Item] = []
        place = 0
        for item in self._items.all:
            if item.kind != CALL:
                before.append(item)
                continue
            data = replay_data(before, origin)
            yield ToolCallDelta(place, item.call_id or None, item.name, "".join(item.pieces), data)
            before, place = [], place + 1

    def _add_text(self, item: Item, text: str, events: list[ModelEvent]) -> None:
        if not text:
            return
        if item is not self._speaking:
            before, self._speaking = self._speaking, item
            commentary = "".join(before.pieces) if before and before.phase == COMMENTARY else ""
            self._show(self._prose.begin(item.phase, commentary), events)
        item.pieces.append(text)
        self.size += len(text)
        self._show(self._prose.feed(text), events)

    def _show(self, text: str, events: list[ModelEvent]) -> None:
        if text:
            events.append(TextDelta(text))

    def _add_reasoning(self, item: Item, text: str, events: list[ModelEvent]) -> None:
        if text:
            item.pieces.append(text)
            self.size += len(text)
            events.append(ReasoningDelta(text))

    def _describe(self, item: Item, record: dict[str, Any]) -> None:
        """Take what a record says of an item beside its text."""
        item.phase = as_text(record.get("phase")) or item.phase
        item.call_id = as_text(record.get("call_id")) or item.call_id
        item.name = as_text(record.get("name")) or item.name
        arguments = arguments_text(record.get("arguments")) if item.kind == CALL else ""
        # An empty object says nothing of what has come in pieces.
        if arguments and not (item.pieces and arguments.strip() == "{}"):
            self.size += max(len(arguments) - sum(map(len, item.pieces)), 0)
            item.pieces = [arguments]

    def _complete(self, item: Item, record: dict[str, Any], events: list[ModelEvent]) -> None:
        """Take an item that is complete, and what of it has not come in pieces."""
        item.done = True
        self._describe(item, record)
        if item.kind == MESSAGE:
            self.refused |= refuses(record)
            so_far, whole = "".join(item.pieces), message_text(record)
            if whole.startswith(so_far):
                self._add_text(item, whole[len(so_far) :], events)
        elif item.kind == REASONING:
            item.replay = replayable(record)
            if not item.pieces:
                self._add_reasoning(item, reasoning_text(record), events)
