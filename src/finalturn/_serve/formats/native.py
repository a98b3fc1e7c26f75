"""The native stream format: one record for each item."""

from __future__ import annotations

from typing import Any, assert_never

from finalturn._serve.formats.items import (
    Activity,
    Content,
    Ended,
    Event,
    Item,
    Partial,
    Reasoning,
    RunFailed,
    RunStarted,
    ToolCalled,
    ToolDone,
)

__all__ = ["Native", "native_record"]


class Native:
    """The projection to native records."""

    def records(self, item: Item, /) -> tuple[dict[str, Any]]:
        """The item's one record."""
        return (native_record(item),)


def native_record(item: Item) -> dict[str, Any]:
    """The record of an item."""
    match item:
        case Content(text, call):
            return {"type": "chunk", "content": text, "call": call}
        case Reasoning(text, call):
            return {"type": "reasoning", "reasoning": text, "call": call}
        case ToolCalled(tool_call, call):
            return {"type": "tool_call", "tool_call": tool_call, "call": call}
        case ToolDone(message, call):
            return {"type": "tool_result", "tool_message": message, "call": call}
        case Event(event, call):
            return {"type": "event", "event": str(event), "call": call}
        case Partial(value, call):
            return {"type": "partial", "partial": value, "call": call}
        case Activity(tool, tool_call_id, index, inner, call):
            return {
                "type": "activity",
                "tool": tool,
                "tool_call_id": tool_call_id,
                "index": index,
                "activity": native_record(inner),
                "call": call,
            }
        case RunStarted(run_id, session):
            return {"type": "run", "run_id": run_id, "session": session}
        case Ended(result):
            return {"type": "result", **result}
        case RunFailed(failure):
            return {
                "type": "error",
                "code": failure.code,
                "message": failure.message,
                "retryable": failure.retryable,
            }
        case _:
            assert_never(item)
