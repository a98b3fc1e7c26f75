from __future__ import annotations

from typing import Any, get_args

import pytest

from finalturn import Agent, Message, Role, StreamEvent, ToolCall
from finalturn._serve.formats import schemas_records as records
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
from finalturn._serve.formats.native import native_record
from finalturn._serve.formats.public import public_call, public_result, public_tool_message
from finalturn._serve.problems.failure import Failure, FailureCode
from finalturn.providers import Scripted
from tests.serve._valid import accepts, check

RESULT = public_result(Agent(Scripted("Hello.")).run("hi"))
DONE = Message(Role.TOOL, "ok", tool_name="look", tool_call_id="call_1", tool_result="ok")

ITEMS: list[tuple[Item, Any]] = [
    (RunStarted("r", None), records.RunRecord),
    (RunStarted("r", "s"), records.RunRecord),
    (Content("Hello", 0), records.ChunkRecord),
    (Reasoning("Hm", 0), records.ReasoningRecord),
    (ToolCalled(public_call(ToolCall("look", {"number": "A-1"}, "call_1")), 0), records.ToolCallRecord),
    (ToolDone(public_tool_message(DONE), 0), records.ToolResultRecord),
    *((Event(event, 1), records.EventRecord) for event in StreamEvent),
    (Partial({"topic": "inv"}, 1), records.PartialRecord),
    (Partial("a text", 1), records.PartialRecord),
    (Activity("ask", None, 0, Activity("deeper", "c2", 1, Reasoning("Hm", 1), 0), 0), records.ActivityRecord),
    (Ended({"run_id": "r", **RESULT}), records.ResultRecord),
    *((RunFailed(Failure(code, "why")), records.ErrorRecord) for code in get_args(FailureCode)),
]


def _name(value: object) -> str:
    return getattr(value, "__name__", type(value).__name__)


@pytest.mark.parametrize(("item", "declared"), ITEMS, ids=_name)
def test_the_record_of_every_item_is_declared(item: Item, declared: Any) -> None:
    record = native_record(item)
    check(records.NativeRecord, record)
    check(declared, record)


def test_there_is_one_type_for_each_kind_of_item() -> None:
    assert {type(item) for item, _ in ITEMS} == set(get_args(Item))
    declared = {name for name in records.__all__ if name != "NativeRecord"}
    assert {found.__name__ for _, found in ITEMS} == declared
    assert len(declared) == len(get_args(Item))


@pytest.mark.parametrize(("item", "declared"), ITEMS[2:6], ids=_name)
def test_a_record_is_of_no_other_type(item: Item, declared: Any) -> None:
    others = {found.__name__: found for _, found in ITEMS if found is not declared}
    assert [name for name, other in others.items() if accepts(other, native_record(item))] == []


def test_an_empty_piece_is_no_record() -> None:
    assert not accepts(records.NativeRecord, {"type": "chunk", "content": "", "call": 0})
