"""The chunks that a turn streams while it runs: text, reasoning, tool calls, tool results and events."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, assert_never, final

from finalturn._core.messages import Message, ToolCall
from finalturn._support.keywords import checked_class
from finalturn.stability import NEXT, beta, stable

__all__ = ["NestedActivity", "PartialObject", "StreamChunk", "StreamEvent"]


@stable(since="0.1.0")
class StreamEvent(StrEnum):
    """What a surface is told beside the text.

    Each is a ``str`` too: ``chunk.event == "structured_reuse"``.

    Attributes:
        STRUCTURED_SYNTHESIS_START: the prose is over; a silent model call now makes the object.
        STRUCTURED_REUSE: the text just shown *was* the structured answer; a surface may convert its
            bubble into whatever shows the object.

    Contract:
        - `synthesis-start-once` (stable): `structured_synthesis_start` MUST be shown exactly once when a turn
          makes a synthesis call, before that call begins, and never otherwise; retries do not repeat it.
        - `reuse-signalled` (stable): When the converged answer is reused and text of it was shown, exactly
          one `structured_reuse` MUST be shown, after that text and before the result.
        - `events-carry-no-content` (stable): An event chunk MUST have nothing but its event and the index of
          its model call.
    """

    STRUCTURED_SYNTHESIS_START = "structured_synthesis_start"
    STRUCTURED_REUSE = "structured_reuse"


@dataclass(frozen=True, slots=True)
class EventPresentation:
    """What an event means to everything that shows a turn.

    The formats of front ends, the terminal and the chat page know events by this alone.

    Attributes:
        kind: ``"pending"``: the structured answer is on its way. ``"replace"``: the text of the event's model
            call was the structured answer. ``"notice"``: a remark, which changes nothing else that is shown.
        label: a few words for the person.
        meaning: for who writes a client, in the schema of the native stream.
    """

    kind: Literal["pending", "replace", "notice"]
    label: str
    meaning: str


def presentation_of(event: StreamEvent) -> EventPresentation:
    """How an event is shown."""
    match event:
        case StreamEvent.STRUCTURED_SYNTHESIS_START:
            return EventPresentation(
                "pending",
                "on its way",
                "the text is over, and the structured answer is being made: show that it is pending.",
            )
        case StreamEvent.STRUCTURED_REUSE:
            return EventPresentation(
                "replace",
                "the text was the answer",
                "the text just shown was the structured answer: show the object in its place.",
            )
        case _:
            assert_never(event)


@beta(since=NEXT)
@checked_class
@dataclass(frozen=True, slots=True)
class NestedActivity:
    """What an agent shows that runs as a tool of this turn's agent.

    Attributes:
        call_id: the id of the tool call that it runs for; ``None`` where the model gave none.
        tool: the name of the tool.
        chunk: what it shows: a chunk of its own turn, with the index of a model call of that turn.
        index: the place of the tool call among those of its model call, from 0.

    Contract:
        - `nested-activity-apart` (beta): What an agent shows that runs as a tool MUST appear as activity of
          its tool call, before the outcome of that, and nowhere else in the turn that runs it.
    """

    call_id: str | None
    tool: str
    chunk: StreamChunk
    index: int = 0


@beta(since=NEXT)
@checked_class
@dataclass(frozen=True, slots=True)
class PartialObject:
    """The structured answer as far as it is known, while the silent call makes it.

    It is shown where `StructuredOutputConfig.partial_objects` asks for it.

    Attributes:
        value: JSON, frozen; ``json.loads(json.dumps(value))`` is a plain copy. It is what the model has
            written so far, under the keys that it writes, without what the schema does not declare or take:
            an object has some of its keys, an array the first of its items, a string may be the beginning of
            one. It replaces the one before it, and the result replaces the last.

    Contract:
        - `partial-objects` (beta): Partial objects MUST be shown of synthesis calls only, and only with
          partial_objects: each holds what its call has written so far, under keys that the schema declares
          and of the types that it gives them, and the one before it of the same call is part of it. A retry
          begins with nothing, and the result takes the place of the last.
    """

    value: Any


class _ChunkFields:
    """The slots, still writable: only this module makes one, and seals it at once."""

    __slots__ = (
        "activity",
        "call",
        "content",
        "event",
        "partial",
        "reasoning",
        "tool_calls",
        "tool_message",
    )

    content: str
    reasoning: str
    tool_calls: tuple[ToolCall, ...]
    tool_message: Message | None
    event: StreamEvent | None
    call: int
    activity: NestedActivity | None
    partial: PartialObject | None

    def __init__(
        self,
        content: str,
        reasoning: str,
        tool_calls: tuple[ToolCall, ...],
        tool_message: Message | None,
        event: StreamEvent | None,
        call: int,
        activity: NestedActivity | None = None,
        partial: PartialObject | None = None,
    ) -> None:
        self.content = content
        self.reasoning = reasoning
        self.tool_calls = tool_calls
        self.tool_message = tool_message
        self.event = event
        self.call = call
        self.activity = activity
        self.partial = partial


@stable(since="0.1.0", fields={"activity": beta(since=NEXT), "partial": beta(since=NEXT)})
@final
@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class StreamChunk(_ChunkFields):
    """One thing that a turn shows. Frozen; exactly one field beside ``call`` is set.

    ``dataclasses.replace(chunk, content="...")`` makes a changed copy.

    Attributes:
        content: a piece of the text that a person sees; ``""`` when that is not this chunk's purpose.
        reasoning: a piece of what the model thinks aloud; ``""`` likewise.
        tool_calls: one call that the model asked for, about to be run; ``()`` likewise.
        tool_message: the outcome of one tool call, a TOOL message; ``None`` likewise.
        event: what the surface is told beside the text; ``None`` likewise.
        call: the 0-based index, within the turn, of the model call this belongs to. An event carries
            the call that it announces.
        activity: what an agent shows that runs as a tool; ``None`` likewise.
        partial: the structured answer as far as it is known; ``None`` likewise.

    Raises:
        ValueError: none of them, or more than one, is set.

    Contract:
        - `tool-calls-always-stream` (stable): Every requested tool call MUST be announced by one tool-call
          chunk before it runs, in every mode and with every provider.
        - `reasoning-apart` (stable): Reasoning MUST NOT appear as content.
        - `events-carry-no-content` (stable): An event chunk MUST have nothing but its event and the index of
          its model call.
        - `answer-call-known` (beta): Every chunk MUST name its model call, and the result the one that holds
          the answer.
        - `default-mode-streams` (stable): Without final_turn_only, the answer's text MUST stream as content,
          rejected attempts included, told apart by `call`; no event is shown.
    """

    __match_args__ = (
        "content",
        "reasoning",
        "tool_calls",
        "tool_message",
        "event",
        "call",
        "activity",
        "partial",
    )

    content: str = ""
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_message: Message | None = None
    event: StreamEvent | None = None
    call: int = 0
    activity: NestedActivity | None = None
    partial: PartialObject | None = None

    def __new__(
        cls,
        content: str = "",
        reasoning: str = "",
        tool_calls: tuple[ToolCall, ...] = (),
        tool_message: Message | None = None,
        event: StreamEvent | None = None,
        call: int = 0,
        activity: NestedActivity | None = None,
        partial: PartialObject | None = None,
    ) -> StreamChunk:
        """Check that it has one purpose, and seal it."""
        purposes = bool(content) + bool(reasoning) + bool(tool_calls)
        purposes += sum(value is not None for value in (tool_message, event, activity, partial))
        if purposes != 1:
            raise ValueError(
                "a StreamChunk has exactly one of content, reasoning, tool_calls, tool_message, event, "
                "activity, partial"
            )
        return _seal(content, reasoning, tool_calls, tool_message, event, call, activity, partial)

    def __init__(
        self,
        content: str = "",
        reasoning: str = "",
        tool_calls: tuple[ToolCall, ...] = (),
        tool_message: Message | None = None,
        event: StreamEvent | None = None,
        call: int = 0,
        activity: NestedActivity | None = None,
        partial: PartialObject | None = None,
    ) -> None:
        """Nothing is left to do: `__new__` has filled and sealed it."""

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)

    def __eq__(self, other: object) -> bool:
        if type(other) is not StreamChunk:
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        shown = ((name, getattr(self, name)) for name in self.__match_args__ if name != "call")
        purpose = next(f"{name}={value!r}" for name, value in shown if value)
        return f"StreamChunk({purpose}, call={self.call})"

    def __reduce__(self) -> tuple[Any, ...]:
        return StreamChunk, self._values()


def _seal(
    content: str,
    reasoning: str,
    tool_calls: tuple[ToolCall, ...],
    tool_message: Message | None,
    event: StreamEvent | None,
    call: int,
    activity: NestedActivity | None = None,
    partial: PartialObject | None = None,
) -> StreamChunk:
    # A chunk is made for every text delta. Filling writable slots and then changing the class costs a
    # quarter of what a frozen dataclass does, which sets each field through object.__setattr__.
    chunk = _ChunkFields(content, reasoning, tool_calls, tool_message, event, call, activity, partial)
    chunk.__class__ = StreamChunk
    return chunk  # type: ignore[return-value]


def content_chunk(text: str, call: int) -> StreamChunk:
    """A content chunk of text that is known not to be empty, by the quickest way."""
    # Not through `_seal`: its frame would cost more than all that is done here.
    chunk = _ChunkFields(text, "", (), None, None, call)
    chunk.__class__ = StreamChunk
    return chunk  # type: ignore[return-value]
