"""Native records of an agent that runs as a tool, back to what it showed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from finalturn._core.chunks import StreamEvent
from finalturn._serve.formats.items import (
    Activity,
    Content,
    Event,
    Item,
    Partial,
    Reasoning,
    ToolCalled,
    ToolDone,
)


def inner_item(record: Mapping[str, Any]) -> Item:
    """The item of a record that may stand in an activity."""
    fields = {name: value for name, value in record.items() if name != "type"}
    match record["type"]:
        case "chunk":
            return Content(fields.pop("content"), **fields)
        case "reasoning":
            return Reasoning(fields.pop("reasoning"), **fields)
        case "tool_call":
            return ToolCalled(**fields)
        case "tool_result":
            return ToolDone(fields.pop("tool_message"), **fields)
        case "event":
            return Event(StreamEvent(fields.pop("event")), **fields)
        case "partial":
            return Partial(fields.pop("partial"), **fields)
        case "activity":
            return Activity(item=inner_item(fields.pop("activity")), **fields)
        case unknown:
            raise AssertionError(f"no record of an agent that runs as a tool: {unknown}")
