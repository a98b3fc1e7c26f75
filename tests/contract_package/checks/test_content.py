"""What is shown as content, and what is not: traces that break it, and what is found."""

from __future__ import annotations

import pytest

from finalturn import Message, PartialObject, StreamChunk, StreamEvent
from finalturn._contract.checks.content import (
    default_mode_streams,
    held_json,
    partial_objects,
    reasoning_apart,
    single_pass_suppresses_content,
    synthesis_never_streams,
    text_tool_calls_hidden,
)
from finalturn.contract import (
    DEFAULT_MODE_STREAMS,
    HELD_JSON,
    PARTIAL_OBJECTS,
    REASONING_APART,
    SINGLE_PASS_SUPPRESSES_CONTENT,
    SYNTHESIS_NEVER_STREAMS,
    TEXT_TOOL_CALLS_HIDDEN,
    CallEnded,
    CallStarted,
    ModelReasoning,
    ModelText,
    Record,
    Shown,
    TurnCancelled,
    TurnResult,
    TurnSaved,
    TurnStarted,
    verify,
)
from tests.contract._scenes import ANSWER
from tests.contract_package._traces import TEXT_CALL, added, changed, clean, place, violations, without


def test_the_clauses_have_these_checks() -> None:
    assert SYNTHESIS_NEVER_STREAMS.check is synthesis_never_streams
    assert SINGLE_PASS_SUPPRESSES_CONTENT.check is single_pass_suppresses_content
    assert HELD_JSON.check is held_json
    assert PARTIAL_OBJECTS.check is partial_objects
    assert TEXT_TOOL_CALLS_HIDDEN.check is text_tool_calls_hidden
    assert REASONING_APART.check is reasoning_apart
    assert DEFAULT_MODE_STREAMS.check is default_mode_streams


class TestPartialObjects:
    TRACE = clean("partials")

    def shown(self, value: object, call: int = 1) -> Shown:
        return Shown(StreamChunk(partial=PartialObject(value), call=call))

    def test_before_and_after_the_call_that_makes_the_object(self) -> None:
        other = "a partial object is of the synthesis call that is under way"
        begun = place(self.TRACE, CallStarted, -1)
        assert violations(added(self.TRACE, begun, self.shown({})), PARTIAL_OBJECTS) == [(begun, other)]
        over = place(self.TRACE, TurnSaved)
        assert violations(added(self.TRACE, over, self.shown({})), PARTIAL_OBJECTS) == [(over, other)]
        first = place(self.TRACE, CallEnded)
        broken = added(self.TRACE, first, self.shown({}, call=0))
        assert violations(broken, PARTIAL_OBJECTS) == [(first, other)]

    def test_one_of_another_call(self) -> None:
        at = place(self.TRACE, CallEnded, -1)
        assert violations(added(self.TRACE, at, self.shown({}, call=0)), PARTIAL_OBJECTS) == [
            (at, "a partial object is of the synthesis call that is under way")
        ]

    def test_one_that_takes_back_what_was_shown(self) -> None:
        at = place(self.TRACE, CallEnded, -1)
        assert violations(added(self.TRACE, at, self.shown({})), PARTIAL_OBJECTS) == [
            (at, "a partial object holds the one before it")
        ]

    @pytest.mark.parametrize("value", [{"other": True}, {"topic": "other"}, {"topic": ["other"]}, "other"])
    def test_one_that_the_call_has_not_written(self, value: object) -> None:
        trace = without(
            self.TRACE, *(one for one, record in enumerate(self.TRACE.records) if is_partial(record))
        )
        at = place(trace, CallEnded, -1)
        assert violations(added(trace, at, self.shown(value)), PARTIAL_OBJECTS) == [
            (at, "a partial object holds nothing that the call has not written")
        ]


def is_partial(record: Record) -> bool:
    return isinstance(record, Shown) and record.chunk.partial is not None


class TestSynthesisNeverStreams:
    TRACE = clean("synthesis")

    @pytest.mark.parametrize(
        "chunk", [StreamChunk("x", call=2), StreamChunk(reasoning="x", call=3)], ids=repr
    )
    @pytest.mark.parametrize("number", [-1, -2])
    def test_what_is_shown_in_a_synthesis_call(self, chunk: StreamChunk, number: int) -> None:
        at = place(self.TRACE, ModelText, number)
        broken = added(self.TRACE, at, Shown(chunk))
        assert violations(broken, SYNTHESIS_NEVER_STREAMS) == [(at, "nothing of a synthesis call is shown")]

    def test_its_text_as_a_message(self) -> None:
        at = place(self.TRACE, TurnResult)
        messages = (Message.user("hi"), Message.assistant(f"So: {ANSWER}"))
        broken = changed(self.TRACE, at, messages=messages)
        expected = "messages[1] has no text of a synthesis call as content"
        assert violations(broken, SYNTHESIS_NEVER_STREAMS) == [(at, expected)]

    def test_a_text_that_the_loop_gave_too_is_no_leak(self) -> None:
        assert violations(clean("no reuse"), SYNTHESIS_NEVER_STREAMS) == []


class TestSinglePass:
    TRACE = clean("single_pass")

    def test_content(self) -> None:
        at = place(self.TRACE, ModelText) + 1
        broken = added(self.TRACE, at, Shown(StreamChunk("Look. ")))
        expected = "no content is shown while single_pass is active"
        assert violations(broken, SINGLE_PASS_SUPPRESSES_CONTENT) == [(at, expected)]

    def test_a_reuse_event(self) -> None:
        at = place(self.TRACE, TurnSaved)
        broken = added(self.TRACE, at, Shown(StreamChunk(event=StreamEvent.STRUCTURED_REUSE, call=1)))
        expected = "no structured_reuse is shown while single_pass is active"
        assert violations(broken, SINGLE_PASS_SUPPRESSES_CONTENT) == [(at, expected)]

    def test_a_call_after_the_answer(self) -> None:
        at = place(self.TRACE, TurnSaved)
        broken = added(self.TRACE, at, CallStarted(2, "loop", schema_sent=True, tools=(), messages=()))
        expected = "a valid answer makes no further model call"
        assert violations(broken, SINGLE_PASS_SUPPRESSES_CONTENT) == [(at, expected)]


class TestHeldJson:
    TRACE = clean("held")

    def test_the_answer(self) -> None:
        at = place(self.TRACE, CallEnded, -1)
        broken = added(self.TRACE, at, Shown(StreamChunk(ANSWER, call=1)))
        assert violations(broken, HELD_JSON) == [(at, "a block that is the answer is not shown")]

    def test_prose_that_is_held_back(self) -> None:
        at = place(self.TRACE, Shown)
        ended = place(self.TRACE, CallEnded) - 1
        expected = "text without a JSON block is shown whole"
        assert violations(without(self.TRACE, at), HELD_JSON) == [(ended, expected)]

    def test_text_that_the_model_did_not_write(self) -> None:
        at = place(self.TRACE, Shown)
        broken = changed(self.TRACE, at, chunk=StreamChunk("kooL.\n"))
        expected = "what is shown of a call is its own text, in order"
        assert violations(broken, HELD_JSON) == [(place(self.TRACE, CallEnded), expected)]

    def test_other_blocks_are_decided_by_the_schema(self) -> None:
        at = place(self.TRACE, CallEnded)
        (found,) = verify(changed(self.TRACE, at, content='Look.\n{"a": 1}'), [HELD_JSON])
        expected = "needs the schema, to tell which blocks had to be held back"
        assert (found.outcome, found.text) == ("undecidable", expected)

    def test_prose_of_a_turn_that_was_left(self) -> None:
        at = place(self.TRACE, Shown)
        left = (*self.TRACE.records[:at], self.TRACE.records[at + 1], TurnCancelled())
        assert violations(type(self.TRACE)(left), HELD_JSON) == []


class TestTextToolCallsHidden:
    TRACE = clean("text tools")

    def test_markup(self) -> None:
        at = place(self.TRACE, CallEnded)
        pieces = [Shown(StreamChunk(piece)) for piece in (TEXT_CALL[:5], TEXT_CALL[5:20], TEXT_CALL[20:])]
        broken = added(self.TRACE, at, *pieces)
        expected = "the text of a tool call is not shown"
        assert violations(broken, TEXT_TOOL_CALLS_HIDDEN) == [(at + 1, expected)]

    def test_where_calls_are_native_it_is_text(self) -> None:
        at = place(self.TRACE, CallEnded)
        shown = added(self.TRACE, at, Shown(StreamChunk(TEXT_CALL)))
        assert violations(changed(shown, 0, native_tools=True), TEXT_TOOL_CALLS_HIDDEN) == []
        without_tools = changed(shown, place(shown, CallStarted), tools=())
        assert violations(without_tools, TEXT_TOOL_CALLS_HIDDEN) == []


class TestReasoningApart:
    TRACE = clean("plain")

    def test_reasoning_as_content(self) -> None:
        at = place(self.TRACE, ModelReasoning) + 1
        broken = changed(self.TRACE, at, chunk=StreamChunk("hm"))
        assert violations(broken, REASONING_APART) == [(at, "reasoning is not shown as content")]

    def test_in_the_midst_of_text(self) -> None:
        at = place(self.TRACE, ModelText, 1)
        broken = added(self.TRACE, at, Shown(StreamChunk("hm")))
        assert violations(broken, REASONING_APART) == [(at, "reasoning is not shown as content")]

    def test_where_text_is_held(self) -> None:
        at = place(self.TRACE, ModelText, 1)
        broken = changed(added(self.TRACE, at, Shown(StreamChunk("hm"))), 0, hold=True)
        assert violations(broken, REASONING_APART) == [(at, "reasoning is not shown as content")]


class TestDefaultModeStreams:
    TRACE = clean("default")

    def test_text_that_is_not_shown(self) -> None:
        at = place(self.TRACE, Shown)
        broken = without(self.TRACE, at)
        ended = place(broken, CallEnded)
        expected = "all text of the call is shown as content"
        assert violations(broken, DEFAULT_MODE_STREAMS) == [(ended, expected)]

    def test_text_that_is_shown_twice_before_the_turn_is_left(self) -> None:
        at = place(self.TRACE, Shown) + 1
        records = (*self.TRACE.records[:at], self.TRACE.records[at - 1], TurnCancelled())
        begun = place(self.TRACE, CallStarted)
        expected = "what is shown of a call is its own text, in order"
        assert violations(type(self.TRACE)(records), DEFAULT_MODE_STREAMS) == [(begun, expected)]

    def test_an_event(self) -> None:
        at = place(self.TRACE, TurnSaved)
        broken = added(self.TRACE, at, Shown(StreamChunk(event=StreamEvent.STRUCTURED_REUSE, call=1)))
        expected = "no event is shown without final_turn_only"
        assert violations(broken, DEFAULT_MODE_STREAMS) == [(at, expected)]
        other = changed(broken, 0, mode="final_turn")
        assert isinstance(other.records[0], TurnStarted)
        assert violations(other, DEFAULT_MODE_STREAMS) == []
