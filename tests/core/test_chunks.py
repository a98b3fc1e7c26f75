"""Chunks: one purpose each, and frozen."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.chunks import StreamChunk, StreamEvent, content_chunk, presentation_of
from finalturn._core.messages import Message, Role, ToolCall
from tests.core._values import CALLS, MESSAGES

CALL = ToolCall("f", {"a": [1]}, "c1")
RESULT = Message(Role.TOOL, "", tool_name="f", tool_result="")

PURPOSES: dict[str, dict[str, Any]] = {
    "content": {"content": "text"},
    "reasoning": {"reasoning": "hm"},
    "tool_calls": {"tool_calls": (CALL,)},
    # Empty results and messages are results all the same.
    "tool_message": {"tool_message": RESULT},
    "event": {"event": StreamEvent.STRUCTURED_REUSE},
}
EMPTY: dict[str, Any] = {
    "content": "", "reasoning": "", "tool_calls": (), "tool_message": None, "event": None,
}  # fmt: skip

CHUNKS = st.one_of(
    st.builds(StreamChunk, content=st.text(min_size=1), call=st.integers(0, 9)),
    st.builds(StreamChunk, reasoning=st.text(min_size=1)),
    st.builds(StreamChunk, tool_calls=st.tuples(CALLS)),
    st.builds(StreamChunk, tool_message=MESSAGES),
    st.builds(StreamChunk, event=st.sampled_from(StreamEvent), call=st.integers(0, 9)),
)


@pytest.mark.parametrize("name", PURPOSES)
def test_a_chunk_has_one_purpose(name: str) -> None:
    chunk = StreamChunk(**PURPOSES[name], call=3)
    for field, empty in EMPTY.items():
        assert getattr(chunk, field) == PURPOSES[name].get(field, empty)
    assert chunk.call == 3


@pytest.mark.parametrize("one", PURPOSES)
@pytest.mark.parametrize("other", PURPOSES)
def test_a_chunk_of_two_purposes_is_refused(one: str, other: str) -> None:
    if one != other:
        with pytest.raises(ValueError, match="exactly one of"):
            StreamChunk(**PURPOSES[one], **PURPOSES[other])


def test_a_chunk_without_a_purpose_is_refused() -> None:
    nothings: list[dict[str, Any]] = [{}, EMPTY, {"call": 3}]
    for nothing in nothings:
        with pytest.raises(ValueError, match="exactly one of"):
            StreamChunk(**nothing)


@pytest.mark.parametrize("chunk", [StreamChunk("text"), content_chunk("text", 1)])
def test_a_chunk_cannot_be_changed(chunk: Any) -> None:
    with pytest.raises(FrozenInstanceError, match="'content'"):
        chunk.content = "other"
    with pytest.raises(FrozenInstanceError, match="'content'"):
        del chunk.content
    # Before Python 3.14 a dataclass with slots fails with a TypeError here.
    with pytest.raises((AttributeError, TypeError)):
        chunk.other = 1
    with pytest.raises((AttributeError, TypeError)):
        chunk.__class__ = object
    # Making it again, as pickle and subclasses might, changes nothing either.
    chunk.__init__("other")
    assert chunk.content == "text"
    assert not hasattr(chunk, "__dict__")


@given(CHUNKS, st.integers(0, 9))
def test_a_changed_copy_can_be_made(chunk: StreamChunk, call: int) -> None:
    again = replace(chunk, call=call)
    values = {field.name: getattr(chunk, field.name) for field in fields(chunk)}
    assert {field.name: getattr(again, field.name) for field in fields(again)} == {**values, "call": call}
    assert type(again) is StreamChunk
    other = replace(chunk, content="text", reasoning="", tool_calls=(), tool_message=None, event=None)
    assert other == StreamChunk("text", call=chunk.call)


def test_a_changed_copy_has_one_purpose_too() -> None:
    with pytest.raises(ValueError, match="exactly one of"):
        replace(StreamChunk("text"), reasoning="hm")


def test_the_quick_way_makes_the_same() -> None:
    assert content_chunk("text", 2) == StreamChunk("text", call=2)
    assert type(content_chunk("text", 2)) is StreamChunk
    assert hash(content_chunk("text", 2)) == hash(StreamChunk("text", call=2))


@given(CHUNKS)
def test_it_can_be_compared_hashed_copied_and_pickled(chunk: StreamChunk) -> None:
    for again in (copy.copy(chunk), copy.deepcopy(chunk), pickle.loads(pickle.dumps(chunk))):
        assert again == chunk
        assert hash(again) == hash(chunk)
        assert type(again) is StreamChunk


def test_they_differ_in_any_field() -> None:
    chunks = [StreamChunk(**given) for given in PURPOSES.values()]
    assert len({*chunks, *(StreamChunk(**given, call=1) for given in PURPOSES.values())}) == 10
    assert StreamChunk("a") != StreamChunk(reasoning="a")
    assert StreamChunk("a") != ("a", "", (), None, None, 0)
    assert StreamChunk("a") != "a"


@pytest.mark.parametrize(
    ("chunk", "shown"),
    [
        (StreamChunk("a\n", call=1), "StreamChunk(content='a\\n', call=1)"),
        (StreamChunk(reasoning="hm"), "StreamChunk(reasoning='hm', call=0)"),
        (StreamChunk(tool_calls=(CALL,)), f"StreamChunk(tool_calls=({CALL!r},), call=0)"),
        (StreamChunk(tool_message=RESULT), f"StreamChunk(tool_message={RESULT!r}, call=0)"),
        (
            StreamChunk(event=StreamEvent.STRUCTURED_REUSE),
            "StreamChunk(event=<StreamEvent.STRUCTURED_REUSE: 'structured_reuse'>, call=0)",
        ),
    ],
)
def test_repr_shows_the_purpose_of_a_chunk(chunk: StreamChunk, shown: str) -> None:
    assert repr(chunk) == shown


def purpose(chunk: StreamChunk) -> str:
    """The match statement of the documentation."""
    match chunk:
        case StreamChunk(event="structured_synthesis_start"):
            return "start"
        case StreamChunk(event="structured_reuse"):
            return "reuse"
        case StreamChunk(tool_calls=[_, *_] as calls):
            return f"calls {calls[0].name}"
        case StreamChunk(content=str(text)) if text:
            return f"text {text}"
        case StreamChunk():
            return "rest"


@pytest.mark.parametrize(
    ("chunk", "found"),
    [
        (StreamChunk(event=StreamEvent.STRUCTURED_SYNTHESIS_START), "start"),
        (StreamChunk(event=StreamEvent.STRUCTURED_REUSE), "reuse"),
        (StreamChunk(tool_calls=(CALL,)), "calls f"),
        (StreamChunk("hi"), "text hi"),
        (StreamChunk(reasoning="hm"), "rest"),
        (StreamChunk(tool_message=RESULT), "rest"),
    ],
)
def test_match_statements_work(chunk: StreamChunk, found: str) -> None:
    assert purpose(chunk) == found


def test_its_parts_match_by_position_too() -> None:
    match StreamChunk(event=StreamEvent.STRUCTURED_REUSE, call=4):
        case StreamChunk("", "", (), None, StreamEvent.STRUCTURED_REUSE, 4):
            pass
        case other:
            pytest.fail(f"{other} does not match")


def test_events_are_their_names() -> None:
    assert [str(event) for event in StreamEvent] == ["structured_synthesis_start", "structured_reuse"]
    assert json.dumps({"event": StreamEvent.STRUCTURED_REUSE}) == '{"event": "structured_reuse"}'


@pytest.mark.parametrize("event", StreamEvent)
def test_every_event_says_what_it_means(event: StreamEvent) -> None:
    shown = presentation_of(event)
    assert shown.label and shown.meaning.endswith(".")
