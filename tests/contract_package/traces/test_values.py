"""The values of records as JSON: what is written is read again, and what does not fit is named."""

from __future__ import annotations

import json
from typing import Any, Literal, Optional

import pytest

from finalturn import Message, NestedActivity, PartialObject, Role, StreamChunk, StreamEvent, ToolCall, Usage
from finalturn._contract.traces.values import Kind, Misfit, kind_of, misses
from finalturn._core import json_text

DEEPER = StreamChunk(activity=NestedActivity("c2", "deeper", StreamChunk(reasoning="b", call=1)))
CALL = ToolCall("lookup", {"order": ["A", None, 1.5]}, "x", provider_data={"a": 1})
DEEP = json.loads("[" * 101 + "]" * 101)
USAGE: dict[str, Any] = {
    "input_tokens": 1,
    "cached_tokens": 2,
    "output_tokens": 3,
    "reasoning_tokens": 4,
    "total_tokens": 5,
    "unreported_calls": 6,
}


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (Any, {"a": [None, 1]}),
        (bool, True),
        (int, 3),
        (str, "a\u2028é\n"),
        (str | None, None),
        (Optional[str], "a"),  # noqa: UP045
        (Literal["a", "b"], "b"),
        (Literal["a", "b"] | None, None),
        (tuple[str, ...], ("a", "b")),
        (tuple[Message, ...], (Message.user("a"), Message(Role.TOOL, "b", tool_result=""))),
        (tuple[ToolCall, ...], (CALL, ToolCall("", error="no"))),
        (Usage | None, Usage(1, 2, 3, 4, 5, 6)),
        (StreamChunk, StreamChunk("a", call=2)),
        (StreamChunk, StreamChunk(reasoning="a")),
        (StreamChunk, StreamChunk(tool_calls=(CALL,))),
        (StreamChunk, StreamChunk(tool_message=Message(Role.TOOL, "", tool_name="x"))),
        (StreamChunk, StreamChunk(event=StreamEvent.STRUCTURED_REUSE, call=1)),
        (StreamChunk, StreamChunk(partial=PartialObject({"a": [None, "b"]}), call=1)),
        (StreamChunk, StreamChunk(activity=NestedActivity("c1", "ask", StreamChunk(content="a")), call=1)),
        (StreamChunk, StreamChunk(activity=NestedActivity(None, "ask", DEEPER, 2))),
    ],
)
def test_a_value_is_read_as_it_was_written(hint: Any, value: Any) -> None:
    kind = kind_of(hint)
    line = json_text.encode(kind.write(value))
    found = kind.read("field", json_text.decode(line))
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("hint", "value", "problem"),
    [
        (bool, 1, "field: must be true or false"),
        (int, True, "field: must be an integer"),
        (int, 1.0, "field: must be an integer"),
        (str, None, "field: must be a string"),
        (str | None, 1, "field: must be a string"),
        (Literal["a", "b"], "c", 'field: must be "a" or "b"'),
        (Literal["a", "b"], ["a"], 'field: must be "a" or "b"'),
        (tuple[str, ...], "ab", "field: must be an array"),
        (tuple[str, ...], ["a", 1], "field[1]: must be a string"),
        (tuple[Message, ...], [{"role": "user"}, {}], "field[1].role: is missing"),
        (tuple[Message, ...], ["secret"], "field[0]: a Message is read from a mapping, not str"),
        (tuple[ToolCall, ...], [{"name": 1}], "field[0].name: must be a str, not int"),
        (Usage, [], "field: must be an object"),
        (Usage, {}, "field.input_tokens: is missing"),
        (Usage, {**USAGE, "input_tokens": "secret"}, "field.input_tokens: must be an integer"),
        (StreamChunk, {"content": "secret"}, "field.call: is missing"),
        (StreamChunk, {"call": 0, "content": 1}, "field.content: must be a string"),
        (
            StreamChunk,
            {"call": 0, "event": "secret"},
            'field.event: must be "structured_synthesis_start" or "structured_reuse"',
        ),
        (StreamChunk, {"call": 0, "partial": DEEP}, "field.partial: is nested more than 100 deep"),
        (StreamChunk, {"call": 0, "activity": {"call_id": None}}, "field.activity.tool: is missing"),
        (
            StreamChunk,
            {"call": 0, "activity": {"call_id": None, "tool": "a", "chunk": {"call": "secret"}, "index": 0}},
            "field.activity.chunk.call: must be an integer",
        ),
        (
            StreamChunk,
            {"call": 0, "content": "secret", "reasoning": "x"},
            "field: a StreamChunk has exactly one of content, reasoning, tool_calls, tool_message, event, activity, partial",  # noqa: E501
        ),
        (
            StreamChunk,
            {"call": 0, "secret": 1},
            "field: has a field that is none of content, reasoning, tool_calls, tool_message, event, call, activity, partial",  # noqa: E501
        ),
    ],
)
def test_what_does_not_fit_is_named_and_not_quoted(hint: Any, value: Any, problem: str) -> None:
    with pytest.raises(Misfit) as caught:
        kind_of(hint).read("field", value)
    assert str(caught.value) == problem
    assert "secret" not in problem


def test_a_kind_says_what_it_is_in_json() -> None:
    assert kind_of(tuple[str, ...]).json == "an array; each item is a string"
    assert kind_of(Usage | None).json == "an object: the fields of `Usage`, or null"
    assert kind_of(Literal["a", "b"]).json == '"a" or "b"'
    assert isinstance(kind_of(Any), Kind)


def test_other_types_are_refused() -> None:
    with pytest.raises(TypeError, match="a record cannot hold a"):
        kind_of(dict[str, str])


def test_a_misfit_names_its_field() -> None:
    assert str(misses("turn", "an integer")) == "turn: must be an integer"
