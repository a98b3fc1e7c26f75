"""Tool calls, announced before they run and answered in order: what breaks it, and what is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalturn import Message, Role, StreamChunk, ToolCall
from finalturn._contract.checks.tools import (
    tool_call_id_native,
    tool_calls_always_stream,
    tool_messages_in_call_order,
    tool_name_always,
    tool_result_marks_success,
)
from finalturn.contract import (
    TOOL_CALL_ID_NATIVE,
    TOOL_CALLS_ALWAYS_STREAM,
    TOOL_MESSAGES_IN_CALL_ORDER,
    TOOL_NAME_ALWAYS,
    TOOL_RESULT_MARKS_SUCCESS,
    CallEnded,
    Clause,
    Shown,
    ToolsStarted,
    Trace,
    TurnCancelled,
    TurnResult,
    verify,
)
from tests.contract_package._traces import added, changed, clean, place, violations, without

TRACE = clean("tools")
RUN = place(TRACE, ToolsStarted)
END = len(TRACE.records) - 1
FIRST, SECOND = RUN - 2, RUN - 1
RESULTS = (RUN + 3, RUN + 4)


def message_at(at: int) -> Message:
    one = TRACE.records[at]
    assert isinstance(one, Shown) and one.chunk.tool_message is not None
    return one.chunk.tool_message


def with_message(at: int, **fields: object) -> Trace:
    """With other fields in a TOOL message that is shown."""
    return changed(TRACE, at, chunk=StreamChunk(tool_message=replace(message_at(at), **fields)))  # type: ignore[arg-type]


def with_result(number: int, **fields: object) -> Trace:
    """With other fields in a message of the result."""
    result = TRACE.records[END]
    assert isinstance(result, TurnResult)
    messages = list(result.messages)
    messages[number] = replace(messages[number], **fields)  # type: ignore[arg-type]
    return changed(TRACE, END, messages=tuple(messages))


def test_the_clauses_have_these_checks() -> None:
    checks = {
        TOOL_CALLS_ALWAYS_STREAM: tool_calls_always_stream,
        TOOL_NAME_ALWAYS: tool_name_always,
        TOOL_RESULT_MARKS_SUCCESS: tool_result_marks_success,
        TOOL_CALL_ID_NATIVE: tool_call_id_native,
        TOOL_MESSAGES_IN_CALL_ORDER: tool_messages_in_call_order,
    }
    for clause, check in checks.items():
        assert isinstance(clause, Clause) and clause.check is check


class TestAnnounced:
    IN_ORDER = "there is one chunk for each requested tool call, in the order of the calls"
    ALL = "every requested tool call has been announced before any runs"

    def test_one_is_missing(self) -> None:
        broken = without(TRACE, SECOND)
        assert violations(broken, TOOL_CALLS_ALWAYS_STREAM) == [(RUN - 1, self.ALL)]

    def test_they_are_swapped(self) -> None:
        first, second = TRACE.records[FIRST], TRACE.records[SECOND]
        broken = Trace((*TRACE.records[:FIRST], second, first, *TRACE.records[RUN:]))
        expected = [(FIRST, self.IN_ORDER), (SECOND, self.IN_ORDER), (RUN, self.ALL)]
        assert violations(broken, TOOL_CALLS_ALWAYS_STREAM) == expected

    def test_one_is_announced_twice(self) -> None:
        broken = added(TRACE, RUN, TRACE.records[SECOND])
        assert violations(broken, TOOL_CALLS_ALWAYS_STREAM) == [(RUN, self.IN_ORDER)]

    def test_both_are_in_one_chunk(self) -> None:
        ended = TRACE.records[place(TRACE, CallEnded)]
        assert isinstance(ended, CallEnded)
        broken = without(changed(TRACE, FIRST, chunk=StreamChunk(tool_calls=ended.tool_calls)), SECOND)
        assert violations(broken, TOOL_CALLS_ALWAYS_STREAM) == [(FIRST, self.IN_ORDER), (RUN - 1, self.ALL)]

    def test_one_is_announced_when_it_runs(self) -> None:
        broken = added(without(TRACE, SECOND), RUN, TRACE.records[SECOND])
        assert violations(broken, TOOL_CALLS_ALWAYS_STREAM) == [
            (RUN, "a tool call is announced before it runs"),
            (RUN - 1, self.ALL),
        ]

    def test_the_turn_is_left_meanwhile(self) -> None:
        left = Trace((*TRACE.records[:SECOND], TurnCancelled()))
        assert violations(left, TOOL_CALLS_ALWAYS_STREAM) == []

    def test_one_that_was_not_asked_for(self) -> None:
        at = place(clean("synthesis"), CallEnded, -1) + 1
        broken = added(clean("synthesis"), at, Shown(StreamChunk(tool_calls=(message_call(),), call=3)))
        assert violations(broken, TOOL_CALLS_ALWAYS_STREAM) == [(at, self.IN_ORDER)]


def message_call() -> ToolCall:
    one = TRACE.records[FIRST]
    assert isinstance(one, Shown)
    return one.chunk.tool_calls[0]


class TestNames:
    def test_a_message_that_is_shown(self) -> None:
        broken = with_message(RESULTS[0], tool_name=None)
        assert violations(broken, TOOL_NAME_ALWAYS) == [(RESULTS[0], "the TOOL message has tool_name")]

    def test_a_message_of_the_result(self) -> None:
        broken = with_result(2, tool_name=None)
        assert violations(broken, TOOL_NAME_ALWAYS) == [(END, "messages[2] has tool_name")]

    def test_what_was_shown_alone_can_break_it(self) -> None:
        (found,) = verify(
            Trace((with_message(RESULTS[0], tool_name=None).records[RESULTS[0]],)), [TOOL_NAME_ALWAYS]
        )
        assert (found.outcome, found.record) == ("violated", 0)


class TestSuccess:
    def test_a_failure_with_a_result(self) -> None:
        broken = with_message(RESULTS[1], tool_result="")
        expected = "tool_result is None, as the tool did not return"
        assert violations(broken, TOOL_RESULT_MARKS_SUCCESS) == [(RESULTS[1], expected)]

    def test_a_success_without_one(self) -> None:
        broken = with_message(RESULTS[0], tool_result=None)
        expected = "tool_result is the tool's text"
        assert violations(broken, TOOL_RESULT_MARKS_SUCCESS) == [(RESULTS[0], expected)]

    def test_in_the_result(self) -> None:
        broken = with_result(3, content="all is well")
        assert violations(broken, TOOL_RESULT_MARKS_SUCCESS) == [(END, "content is what the call came to")]


class TestIds:
    EXPECTED = "tool_call_id is that of the call, or None when it was written as text"

    @pytest.mark.parametrize("ids", [("a", "a"), ("", "a")])
    def test_a_native_call_without_one_of_its_own(self, ids: tuple[str, ...]) -> None:
        at = place(TRACE, CallEnded)
        ended = TRACE.records[at]
        assert isinstance(ended, CallEnded)
        calls = tuple(replace(call, id=id) for call, id in zip(ended.tool_calls, ids, strict=True))
        broken = changed(TRACE, at, tool_calls=calls)
        assert (at, "every native tool call has an id of its own") in violations(broken, TOOL_CALL_ID_NATIVE)

    def test_a_call_that_was_read_from_text_has_none_beside_native_ones(self) -> None:
        at = place(TRACE, CallEnded)
        ended = TRACE.records[at]
        assert isinstance(ended, CallEnded)
        calls = (replace(ended.tool_calls[0], id=None), *ended.tool_calls[1:])
        assert violations(changed(TRACE, at, tool_calls=calls), TOOL_CALL_ID_NATIVE) == []

    def test_a_message_without_one(self) -> None:
        broken = with_message(RESULTS[0], tool_call_id=None)
        assert violations(broken, TOOL_CALL_ID_NATIVE) == [(RESULTS[0], self.EXPECTED)]

    def test_a_message_of_the_result_with_another(self) -> None:
        assert violations(with_result(2, tool_call_id="x"), TOOL_CALL_ID_NATIVE) == [(END, self.EXPECTED)]

    def test_a_text_call_with_one(self) -> None:
        trace = clean("text tools")
        at = place(trace, ToolsStarted) + 2
        one = trace.records[at]
        assert isinstance(one, Shown) and one.chunk.tool_message is not None
        assert violations(trace, TOOL_CALL_ID_NATIVE) == []
        message = replace(one.chunk.tool_message, tool_call_id="x")
        broken = changed(trace, at, chunk=StreamChunk(tool_message=message))
        assert violations(broken, TOOL_CALL_ID_NATIVE) == [(at, self.EXPECTED)]


class TestOrder:
    EACH = "there is one TOOL message for each call of the batch, in call order"

    def test_they_are_swapped(self) -> None:
        first, second = (TRACE.records[at] for at in RESULTS)
        broken = Trace((*TRACE.records[: RESULTS[0]], second, first, *TRACE.records[RESULTS[1] + 1 :]))
        expected = [(at, self.EACH) for at in RESULTS]
        assert violations(broken, TOOL_MESSAGES_IN_CALL_ORDER) == expected

    def test_one_is_shown_twice(self) -> None:
        broken = added(TRACE, RESULTS[1] + 1, TRACE.records[RESULTS[1]])
        assert violations(broken, TOOL_MESSAGES_IN_CALL_ORDER) == [(RESULTS[1] + 1, self.EACH)]

    def test_one_is_missing(self) -> None:
        expected = "one TOOL message is shown for each call of the batch"
        assert violations(without(TRACE, RESULTS[1]), TOOL_MESSAGES_IN_CALL_ORDER) == [(RUN, expected)]

    def test_one_is_missing_as_the_turn_was_left(self) -> None:
        left = Trace((*TRACE.records[: RESULTS[1]], TurnCancelled()))
        assert violations(left, TOOL_MESSAGES_IN_CALL_ORDER) == []

    def test_one_comes_before_any_tool_runs(self) -> None:
        broken = added(TRACE, RUN, TRACE.records[RESULTS[0]])
        expected = "there is no TOOL message before a tool has run"
        assert violations(broken, TOOL_MESSAGES_IN_CALL_ORDER) == [(RUN, expected)]

    def test_in_the_result(self) -> None:
        result = TRACE.records[END]
        assert isinstance(result, TurnResult)
        messages = result.messages
        expected = "each message with tool calls is followed by one TOOL message for each"
        for broken in (
            (*messages[:2], messages[3], messages[2], *messages[4:]),
            (*messages[:3], *messages[4:]),
            messages[:3],
            (*messages, messages[3]),
        ):
            trace = changed(TRACE, END, messages=broken)
            assert violations(trace, TOOL_MESSAGES_IN_CALL_ORDER) == [(END, expected)]
        assert [message.role for message in messages[1:4]] == [Role.ASSISTANT, Role.TOOL, Role.TOOL]
