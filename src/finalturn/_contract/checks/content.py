"""Checks that content shows what it may, and neither a synthesis, held JSON, nor reasoning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from finalturn._contract.traces.records import CallEnded, CallStarted, ModelText, Shown
from finalturn._contract.traces.trace import Trace, Undecidable, Violation
from finalturn._contract.traces.turn import TracedCall, places, read_turn, result_of, setup_of
from finalturn._core.chunks import StreamEvent
from finalturn._core.messages import Role
from finalturn._core.output.partial import extends
from finalturn._core.type_guards import is_array, is_mapping

__all__ = [
    "default_mode_streams",
    "held_json",
    "partial_objects",
    "reasoning_apart",
    "single_pass_suppresses_content",
    "synthesis_never_streams",
    "text_tool_calls_hidden",
]

_CALL_TAG = "<tool_call>"

# What can begin a block which is held, or the markup around one.
_MAY_BEGIN_A_BLOCK = re.compile(r"[{\[`~<]")
_BLANK_OR_MARK = re.compile(r"[\s\ufeff]*")
_LONGEST_HELD = 256 * 1024


def synthesis_never_streams(trace: Trace) -> Iterator[Violation]:
    """Nothing is shown of a synthesis call, and none of its text is a message's content."""
    turn = read_turn(trace)
    if not turn.synthesis:
        return
    begun = turn.synthesis[0].place
    for place, record in places(trace, Shown):
        if place > begun and (record.chunk.content or record.chunk.reasoning):
            yield Violation(place, "nothing of a synthesis call is shown")
    result = result_of(trace)
    if result is None:
        return
    said_in_loop = "\n".join(call.content for call in turn.loop)
    for call in turn.synthesis:
        text = call.content.strip()
        for number, message in enumerate(result[1].messages):
            copied = bool(text) and text in message.content and text not in said_in_loop
            if message.role is Role.ASSISTANT and copied:
                yield Violation(result[0], f"messages[{number}] has no text of a synthesis call as content")


def partial_objects(trace: Trace) -> Iterator[Violation]:
    """Partial objects come while a synthesis call writes, hold what it has written, and only grow.

    Which keys and types the schema has, only the schema tells; it is not in a trace.
    """
    setup_of(trace)
    synthesis: int | None = None
    written = ""
    last: list[Any] = []
    for place, record in enumerate(trace.records):
        if isinstance(record, CallStarted):
            synthesis = record.call if record.purpose == "synthesis" else None
            written = ""
            last = []
        elif isinstance(record, CallEnded):
            synthesis = None
        elif isinstance(record, ModelText):
            written += record.text
        elif isinstance(record, Shown) and record.chunk.partial is not None:
            value = record.chunk.partial.value
            if record.chunk.call != synthesis:
                yield Violation(place, "a partial object is of the synthesis call that is under way")
            elif any(not extends(one, value) for one in last):
                yield Violation(place, "a partial object holds the one before it")
            elif not _is_written(value, written):
                yield Violation(place, "a partial object holds nothing that the call has not written")
            last = [value]


def single_pass_suppresses_content(trace: Trace) -> Iterator[Violation]:
    """With single_pass active: no content, no reuse event, and no call after a valid answer."""
    turn = read_turn(trace)
    if not turn.setup.single_pass:
        return
    for place, record in places(trace, Shown):
        if record.chunk.content:
            yield Violation(place, "no content is shown while single_pass is active")
        elif record.chunk.event is StreamEvent.STRUCTURED_REUSE:
            yield Violation(place, "no structured_reuse is shown while single_pass is active")
    answer = turn.answer_call
    for call in turn.calls:
        if answer is not None and call.place > answer.place:
            yield Violation(call.place, "a valid answer makes no further model call")


def held_json(trace: Trace) -> Iterator[Violation]:
    """What is held stays hidden when it is the answer, and prose is shown whole.

    Which other blocks carry the schema's keys, only the schema tells; it is not in a trace.
    """
    turn = read_turn(trace)
    if not turn.setup.hold:
        return
    undecided = False
    for call in turn.loop:
        where = call.end[0] if call.end else call.place
        if _followed(call.shown, call.content, 0) is None:
            yield Violation(where, "what is shown of a call is its own text, in order")
        elif not _MAY_BEGIN_A_BLOCK.search(call.content):
            if call.over and call.end is not None and call.shown != call.content:
                yield Violation(where, "text without a JSON block is shown whole")
        elif call.verdict == "valid" and _is_held_whole(call.content):
            for place, piece in call.pieces:
                if not _is_blank(piece):
                    yield Violation(place, "a block that is the answer is not shown")
        else:
            undecided = True
    if undecided:
        raise Undecidable("needs the schema, to tell which blocks had to be held back")


def text_tool_calls_hidden(trace: Trace) -> Iterator[Violation]:
    """Where calls are text, no opened call is shown."""
    turn = read_turn(trace)
    if turn.setup.native_tools:
        return
    for call in turn.loop:
        at = call.shown.find(_CALL_TAG) if call.started.tools else -1
        if at >= 0:
            yield Violation(_place_of(call, at + len(_CALL_TAG)), "the text of a tool call is not shown")


def reasoning_apart(trace: Trace) -> Iterator[Violation]:
    """Content is what the model wrote, not what it thought aloud."""
    turn = read_turn(trace)
    for call in turn.calls:
        text, thought, at = "".join(call.written), "".join(call.thought), 0
        for place, piece in call.pieces:
            end = _followed(piece, text, at) if turn.setup.hold else _next(piece, text, at)
            if end is not None:
                at = end
            elif piece in thought:
                yield Violation(place, "reasoning is not shown as content")


def default_mode_streams(trace: Trace) -> Iterator[Violation]:
    """In default mode all text is shown, and no event."""
    turn = read_turn(trace)
    if turn.setup.mode != "default":
        return
    for call in turn.loop:
        where = call.end[0] if call.end else call.place
        if call.over and call.shown != call.content:
            yield Violation(where, "all text of the call is shown as content")
        elif not call.content.startswith(call.shown):
            yield Violation(where, "what is shown of a call is its own text, in order")
    for place, record in places(trace, Shown):
        if record.chunk.event is not None:
            yield Violation(place, "no event is shown without final_turn_only")


def _is_written(value: Any, text: str) -> bool:
    """Whether the names and words of a value stand in a JSON text."""
    if is_mapping(value):
        return all(_is_written(key, text) and _is_written(one, text) for key, one in value.items())
    if is_array(value):
        return all(_is_written(one, text) for one in value)
    # A number, an escape or a character that is written out may be written in more than one way.
    return not isinstance(value, str) or "\\" in text or value in text


def _next(piece: str, text: str, at: int) -> int | None:
    """Where the piece ends, when it stands at that place of the text."""
    return at + len(piece) if text.startswith(piece, at) else None


def _followed(piece: str, text: str, at: int) -> int | None:
    """Where the piece ends, when its characters stand in the text from there on, in order."""
    for character in piece:
        at = text.find(character, at) + 1
        if at == 0:
            return None
    return at


def _place_of(call: TracedCall, length: int) -> int:
    """The place of the piece with which that much content had been shown."""
    for place, piece in call.pieces:
        length -= len(piece)
        if length <= 0:
            return place
    return call.place


def _is_held_whole(text: str) -> bool:
    """Whether a text that is an answer can be held: its root is no scalar, and it is not too long."""
    return len(text) < _LONGEST_HELD and text.lstrip(" \t\r\n\ufeff")[:1] in ("{", "[", "`")


def _is_blank(text: str) -> bool:
    return _BLANK_OR_MARK.fullmatch(text) is not None
