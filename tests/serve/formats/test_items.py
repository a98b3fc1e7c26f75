from __future__ import annotations

from finalturn import Message, NestedActivity, PartialObject, Role, StreamChunk, StreamEvent, ToolCall
from finalturn._core.frozen import freeze
from finalturn._serve.formats.items import (
    Activity,
    Content,
    Event,
    Partial,
    Projection,
    Reasoning,
    ToolCalled,
    ToolDone,
    item_of,
    parsed_data,
)
from finalturn._serve.formats.native import Native
from finalturn._serve.formats.public import public_call, public_tool_message
from finalturn._serve.runs.whole import OutcomeOnly


def test_each_purpose_of_a_chunk_is_an_item() -> None:
    call = ToolCall("look", id="c1")
    outcome = Message(Role.TOOL, "found", tool_name="look", tool_result="found")
    failed = Message(Role.TOOL, "secret", tool_name="look", tool_failure="error")
    assert item_of(StreamChunk("Hi", call=1)) == Content("Hi", 1)
    assert item_of(StreamChunk(reasoning="Hm", call=2)) == Reasoning("Hm", 2)
    assert item_of(StreamChunk(tool_calls=(call,), call=3)) == ToolCalled(public_call(call), 3)
    assert item_of(StreamChunk(tool_message=outcome, call=4)) == ToolDone(public_tool_message(outcome), 4)
    event = StreamEvent.STRUCTURED_REUSE
    assert item_of(StreamChunk(event=event, call=5)) == Event(event, 5)
    partial = item_of(StreamChunk(partial=PartialObject(freeze({"a": [1]}, "")), call=6))
    assert isinstance(partial, Partial) and partial == Partial({"a": [1]}, 6)
    assert type(partial.value) is dict
    shown = NestedActivity("c1", "ask", StreamChunk(tool_message=failed, call=7), 2)
    inner = ToolDone(public_tool_message(failed), 7)
    assert item_of(StreamChunk(activity=shown, call=6)) == Activity("ask", "c1", 2, inner, 6)
    assert "secret" not in repr(inner)


def test_what_a_front_end_is_told_of_an_answer() -> None:
    fine = {"parsed": 1, "parsed_error": None, "answer_call": 2}
    assert parsed_data(fine) == {"status": "ok", "value": 1, "call": 2}
    lost = {"parsed": None, "parsed_error": "why", "answer_call": 2}
    assert parsed_data(lost) == {"status": "unavailable", "error": "why", "call": 2}


def test_formats_are_projections() -> None:
    formats: list[Projection] = [Native(), OutcomeOnly()]
    assert all(callable(one.records) for one in formats)
