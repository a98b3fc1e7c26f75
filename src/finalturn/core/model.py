"""What is asked of a model, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from finalturn.core.messages import Message, ToolCall
from finalturn.core.result import ProviderSwitch, Usage

__all__ = [
    "Capabilities",
    "FinishReason",
    "ModelEnd",
    "ModelEvent",
    "ModelRequest",
    "ModelResponse",
    "ModelSettings",
    "OutputSchema",
    "ReasoningDelta",
    "TextDelta",
    "ToolCallDelta",
    "ToolSpec",
]

FinishReason: TypeAlias = Literal["stop", "length", "tool_calls", "refusal"]
"""Why a model stopped. ``"refusal"`` is also a safety block; a reason that a vendor adds is ``"stop"``."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a provider can do.

    Attributes:
        native_tools: it takes tool declarations. Without it, finalturn writes them into the prompt and
            reads calls from the text.
        native_schema: it can be given a JSON Schema that its answer follows.
        native_schema_with_tools: it can do so while tools are declared, and still calls them.
        native_schema_any_root: its schema mode takes roots that are not objects.
        images: it takes images.
    """

    native_tools: bool = True
    native_schema: bool = False
    native_schema_with_tools: bool = False
    native_schema_any_root: bool = False
    images: bool = False


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How to sample. What is ``None`` is left to the provider.

    Attributes:
        temperature: randomness, from 0.
        top_p: nucleus sampling, above 0 and at most 1.
        max_tokens: the longest answer of one model call, in tokens.
        seed: for repeatable sampling, where the provider can.
        stop: texts that end the answer.
        tool_choice: ``"required"`` demands a tool call, until one has run in the turn; ``"none"``
            forbids calls. Synthesis calls have no tools and ignore it.
        extra_body: further top-level fields of the provider's request body; they win over finalturn's.
    """

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: Sequence[str] | None = None
    tool_choice: Literal["auto", "required", "none"] | None = None
    extra_body: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it: its name, what it does, and a JSON Schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class OutputSchema:
    """The schema that a provider is to enforce itself.

    Attributes:
        name: matches ``[A-Za-z0-9_-]{1,64}``.
        schema: a JSON Schema, draft 2020-12.
    """

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One model call.

    Attributes:
        messages: the conversation, without the system prompt. SYSTEM messages may stand anywhere in it.
        system: the system prompt; ``""`` when there is none.
        tools: what the model may call; empty in a synthesis call.
        output: the schema to enforce, only when the provider's capabilities allow it.
        settings: how to sample.
        call: the 0-based index of the model call within its turn.
    """

    messages: Sequence[Message]
    system: str = ""
    tools: Sequence[ToolSpec] = ()
    output: OutputSchema | None = None
    settings: ModelSettings = field(default_factory=ModelSettings)
    call: int = 0


@dataclass(frozen=True, slots=True)
class ModelResponse:
    """A model's whole answer.

    Attributes:
        content: its text.
        reasoning: what it thought aloud, as the provider marks it.
        tool_calls: what it asks to run.
        finish_reason: why it stopped. Calls decide what happens next, not this.
        usage: tokens of this call; ``None`` when the provider did not report any.
        switches: the providers that failed before this answer, of a provider that asks several.
    """

    content: str = ""
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: FinishReason = "stop"
    usage: Usage | None = None
    switches: tuple[ProviderSwitch, ...] = ()


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of what the model thinks aloud."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A piece of a tool call, as loosely as servers send them.

    Attributes:
        index: which call of the response it belongs to; ``None`` when the server does not say.
        id: the call's id; ``None`` or ``""`` on a continuation.
        name: the tool's name, or a piece of it; ``""`` on a continuation.
        arguments: a piece of the arguments' JSON text.
        provider_data: opaque JSON that the provider wants back with the call.
    """

    index: int | None = None
    id: str | None = None
    name: str = ""
    arguments: str = ""
    provider_data: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ModelEnd:
    """The answer is complete. A stream that ends without it has failed.

    Attributes:
        finish_reason: why the model stopped.
        usage: tokens of this call; ``None`` when the provider did not report any.
        switches: the providers that failed before this answer, of a provider that asks several.
    """

    finish_reason: FinishReason = "stop"
    usage: Usage | None = None
    switches: tuple[ProviderSwitch, ...] = ()


ModelEvent: TypeAlias = TextDelta | ReasoningDelta | ToolCallDelta | ModelEnd
"""What a streaming provider yields: pieces in any order, then one `ModelEnd`."""
