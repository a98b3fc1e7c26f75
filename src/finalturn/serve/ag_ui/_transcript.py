"""What an AG-UI client holds of a run.

A MESSAGES_SNAPSHOT, which takes a text back, must repeat all the rest of the run, or the client loses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from ag_ui.core import AssistantMessage, FunctionCall, Message, ReasoningMessage, ToolCall, ToolMessage
from pydantic import TypeAdapter, ValidationError

__all__ = ["Transcript", "as_sent"]

_MESSAGE: TypeAdapter[Message] = TypeAdapter(Message)


def as_sent(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message that a client has sent, for it to keep: without fields that are null, which it refuses."""
    try:
        return cast(
            "Mapping[str, Any]", _MESSAGE.validate_python(message).model_dump(mode="json", by_alias=True)
        )
    except ValidationError:
        # No message of the protocol: it is the client's own affair.
        return {name: value for name, value in message.items() if value is not None}


@dataclass(slots=True)
class _Entry:
    kind: Literal["assistant", "reasoning", "tool"]
    metadata: dict[str, Any] | None = None
    pieces: list[str] = field(default_factory=list[str])
    tool_calls: list[ToolCall] = field(default_factory=list[ToolCall])
    tool_call_id: str = ""

    def message(self, message_id: str) -> Message:
        text = "".join(self.pieces)
        match self.kind:
            case "reasoning":
                return ReasoningMessage(id=message_id, content=text, metadata=self.metadata)
            case "tool":
                return ToolMessage(
                    id=message_id, content=text, tool_call_id=self.tool_call_id, metadata=self.metadata
                )
            case "assistant":
                calls = self.tool_calls or None
                return AssistantMessage(
                    id=message_id, content=text or None, tool_calls=calls, metadata=self.metadata
                )


class Transcript:
    """The messages of one run, in the order in which they began."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}

    def begin(
        self, message_id: str, kind: Literal["assistant", "reasoning"], metadata: dict[str, Any]
    ) -> None:
        """A text or a reasoning message begins."""
        self._entries[message_id] = _Entry(kind, metadata)

    def add(self, message_id: str, text: str) -> None:
        """It goes on."""
        self._entries[message_id].pieces.append(text)

    def call(
        self, parent_id: str, tool_call_id: str, name: str, arguments: str, metadata: dict[str, Any]
    ) -> None:
        """A message asks for a tool; where there is no such message yet, one without text begins."""
        call = ToolCall(
            id=tool_call_id, function=FunctionCall(name=name, arguments=arguments), metadata=metadata
        )
        self._entries.setdefault(parent_id, _Entry("assistant")).tool_calls.append(call)

    def result(self, message_id: str, tool_call_id: str, text: str, metadata: dict[str, Any]) -> None:
        """A tool has answered."""
        self._entries[message_id] = _Entry("tool", metadata, [text], tool_call_id=tool_call_id)

    def retract(self, message_id: str) -> None:
        """The text of a message was the structured answer: it is no message any more."""
        entry = self._entries[message_id]
        entry.pieces.clear()
        if not entry.tool_calls:
            del self._entries[message_id]

    def messages(self) -> list[Message]:
        """What the run has added."""
        return [entry.message(message_id) for message_id, entry in self._entries.items()]
