"""The blocks that a transcript is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from finalturn import Message, StreamEvent, ToolCall

__all__ = ["Block", "Bubble", "Card", "Notice", "Question", "Thought", "ToolUse"]


@dataclass(frozen=True, slots=True)
class Question:
    """What the person said."""

    text: str


@dataclass(frozen=True, slots=True)
class Bubble:
    """Text of one model call.

    Attributes:
        text: what has come of it; ``""`` once the bubble has been turned into a card.
        call: the index of the model call.
        open: more of it may come.
    """

    text: str
    call: int
    open: bool = True


@dataclass(frozen=True, slots=True)
class Thought:
    """What the model thinks aloud in one model call."""

    text: str
    call: int
    open: bool = True


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call, and its TOOL message once there is one.

    Attributes:
        call: the call.
        outcome: the message.
        inside: what an agent shows that runs as the tool.
    """

    call: ToolCall
    outcome: Message | None = None
    inside: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Card:
    """The structured answer.

    Attributes:
        title: what the object is called.
        origin: the event that announced it; ``None`` when it came without one.
        state: whether the object is there.
        value: the object, as JSON types, once it is there; before, what there is of it so far.
        reason: why there is none, once that is known.
    """

    title: str
    origin: StreamEvent | None = None
    state: Literal["pending", "ready", "failed"] = "pending"
    value: Any = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """An event that changes nothing else that is shown."""

    event: StreamEvent


Block: TypeAlias = Question | Bubble | Thought | ToolUse | Card | Notice
