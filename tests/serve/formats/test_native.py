from __future__ import annotations

from typing import get_args

import pytest

from finalturn import StreamEvent
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
from finalturn._serve.formats.native import Native, native_record
from finalturn._serve.problems.failure import STOPPED

EXAMPLES: list[tuple[Item, dict[str, object]]] = [
    (RunStarted("r1", None), {"type": "run", "run_id": "r1", "session": None}),
    (Content("Hi", 0), {"type": "chunk", "content": "Hi", "call": 0}),
    (Reasoning("Hm", 1), {"type": "reasoning", "reasoning": "Hm", "call": 1}),
    (ToolCalled({"name": "f"}, 2), {"type": "tool_call", "tool_call": {"name": "f"}, "call": 2}),
    (ToolDone({"content": "x"}, 2), {"type": "tool_result", "tool_message": {"content": "x"}, "call": 2}),
    (
        Event(StreamEvent.STRUCTURED_SYNTHESIS_START, 3),
        {"type": "event", "event": "structured_synthesis_start", "call": 3},
    ),
    (Partial({"a": "b"}, 3), {"type": "partial", "partial": {"a": "b"}, "call": 3}),
    (
        Activity("ask", "c1", 1, Activity("deeper", None, 0, Content("Hi", 1), 0), 4),
        {
            "type": "activity",
            "tool": "ask",
            "tool_call_id": "c1",
            "index": 1,
            "activity": {
                "type": "activity",
                "tool": "deeper",
                "tool_call_id": None,
                "index": 0,
                "activity": {"type": "chunk", "content": "Hi", "call": 1},
                "call": 0,
            },
            "call": 4,
        },
    ),
    (Ended({"parsed": 1}), {"type": "result", "parsed": 1}),
    (
        RunFailed(STOPPED),
        {"type": "error", "code": "stopped", "message": "The turn was stopped.", "retryable": False},
    ),
]


def test_every_kind_of_item_is_here() -> None:
    assert {type(item) for item, _ in EXAMPLES} == set(get_args(Item))


@pytest.mark.parametrize(("item", "record"), EXAMPLES)
def test_a_record_for_each_item(item: Item, record: dict[str, object]) -> None:
    assert native_record(item) == record
    assert Native().records(item) == (record,)
