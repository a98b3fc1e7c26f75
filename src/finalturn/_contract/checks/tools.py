"""Checks of tool calls: announced before they run, and answered in order."""

from __future__ import annotations

from collections.abc import Iterator

from finalturn._contract.traces.records import Shown
from finalturn._contract.traces.trace import Trace, Violation
from finalturn._contract.traces.turn import Batch, places, read_turn, result_of
from finalturn._core.messages import Message, Role, ToolCall

__all__ = [
    "nested_activity_apart",
    "tool_call_id_native",
    "tool_calls_always_stream",
    "tool_messages_in_call_order",
    "tool_name_always",
    "tool_result_marks_success",
]


def tool_calls_always_stream(trace: Trace) -> Iterator[Violation]:
    """One chunk for each requested call, in order, before the batch runs."""
    for call in read_turn(trace).calls:
        requested = call.end[1].tool_calls if call.end is not None and call.in_loop else ()
        runs = call.batches[0].place if call.batches else None
        before = 0
        for number, (place, record) in enumerate(call.announced):
            if record.chunk.tool_calls != requested[number : number + 1]:
                yield Violation(
                    place, "there is one chunk for each requested tool call, in the order of the calls"
                )
            elif runs is not None and place > runs:
                yield Violation(place, "a tool call is announced before it runs")
            else:
                before += 1
        if call.over and call.end is not None and before < len(requested):
            where = call.end[0] if runs is None else runs
            yield Violation(where, "every requested tool call has been announced before any runs")


def nested_activity_apart(trace: Trace) -> Iterator[Violation]:
    """Activity is of a call of the batch that runs, which has no outcome yet."""
    for call in read_turn(trace).calls:
        for place in call.strange_activity:
            yield Violation(place, "activity is of a tool call that runs")
        for batch in call.batches:
            shown_first = min((place for place, _ in batch.shown), default=None)
            for place, activity in batch.activity:
                asked = batch.started.calls[activity.index : activity.index + 1]
                if [(one.id, one.name) for one in asked] != [(activity.call_id, activity.tool)]:
                    yield Violation(place, "activity names its tool call")
                elif shown_first is not None and place > shown_first:
                    yield Violation(place, "activity is shown before the outcomes of the tool calls")


def tool_name_always(trace: Trace) -> Iterator[Violation]:
    """Every TOOL message that the turn made has `tool_name`."""
    for place, record in places(trace, Shown):
        message = record.chunk.tool_message
        if message is not None and message.tool_name is None:
            yield Violation(place, "the TOOL message has tool_name")
    result = result_of(trace)
    for number, message in enumerate(result[1].messages if result else ()):
        if result is not None and message.role is Role.TOOL and message.tool_name is None:
            yield Violation(result[0], f"messages[{number}] has tool_name")


def tool_result_marks_success(trace: Trace) -> Iterator[Violation]:
    """`tool_result` is the text of a tool that returned, and ``None`` otherwise."""
    for place, message, expected in _answered(trace):
        if message.tool_result != expected.tool_result:
            returned = expected.tool_result is not None
            wording = "the tool's text" if returned else "None, as the tool did not return"
            yield Violation(place, f"tool_result is {wording}")
        elif message.content != expected.content:
            yield Violation(place, "content is what the call came to")


def tool_call_id_native(trace: Trace) -> Iterator[Violation]:
    """Each native call has an id of its own, and a TOOL message has that of its call.

    A call without an id was read from text: a server without a parser for its model passes such calls on
    beside native ones, and a trace does not tell them apart.
    """
    for call in read_turn(trace).loop:
        if call.end is not None:
            ids = [tool_call.id for tool_call in call.end[1].tool_calls if tool_call.id is not None]
            if "" in ids or len(set(ids)) < len(ids):
                yield Violation(call.end[0], "every native tool call has an id of its own")
    for place, message, expected in _answered(trace):
        if message.tool_call_id != expected.tool_call_id:
            yield Violation(place, "tool_call_id is that of the call, or None when it was written as text")


def tool_messages_in_call_order(trace: Trace) -> Iterator[Violation]:
    """One TOOL message for each call of a batch, in call order."""
    turn = read_turn(trace)
    for call in turn.calls:
        for place in call.strays:
            yield Violation(place, "there is no TOOL message before a tool has run")
        for number, (place, message) in enumerate(call.refused):
            calls = call.end[1].tool_calls if call.end is not None else ()
            if number >= len(calls) or not _answers(message, calls[number]):
                yield Violation(place, "each call that is refused has one TOOL message, in call order")
        if call.over and len(call.refused) < len(call.refusals):
            yield Violation(call.refused[-1][0], "one TOOL message is shown for each call that is refused")
        for batch in call.batches:
            yield from _shown_in_order(batch)
    result = result_of(trace)
    if result is not None and not _is_answered_in_order(result[1].messages):
        yield Violation(result[0], "each message with tool calls is followed by one TOOL message for each")


def _shown_in_order(batch: Batch) -> Iterator[Violation]:
    calls = batch.started.calls
    for number, (place, message) in enumerate(batch.shown):
        outcome = batch.outcomes.get(number)
        fits = number < len(calls) and _answers(message, calls[number])
        if not fits or outcome is None or outcome.text != message.content:
            yield Violation(place, "there is one TOOL message for each call of the batch, in call order")
    if batch.over and len(batch.shown) < len(calls):
        yield Violation(batch.place, "one TOOL message is shown for each call of the batch")


def _is_answered_in_order(messages: tuple[Message, ...]) -> bool:
    due: list[ToolCall] = []
    for message in messages:
        if message.role is Role.TOOL:
            if not due or not _answers(message, due.pop(0)):
                return False
        elif due:
            return False
        due += message.tool_calls
    return not due


def _answers(message: Message, call: ToolCall) -> bool:
    return (message.tool_name, message.tool_call_id) == (call.name, call.id)


def _answered(trace: Trace) -> Iterator[tuple[int, Message, Message]]:
    """Each TOOL message that was shown or is in the result: where, itself, and what it ought to be."""
    turn = read_turn(trace)
    expected: list[Message] = []
    for call in turn.calls:
        answers = [(batch.shown, batch.messages) for batch in call.batches] + [(call.refused, call.refusals)]
        for shown, messages in answers:
            expected += messages
            for (place, message), expected_message in zip(shown, messages, strict=False):
                yield place, message, expected_message
    result = result_of(trace)
    if result is not None:
        tool_messages = [message for message in result[1].messages if message.role is Role.TOOL]
        for message, expected_message in zip(tool_messages, expected, strict=False):
            yield result[0], message, expected_message
