"""The values of a model call: the request, its settings and tools, and the pieces of the response."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from finalturn._core.described import described
from finalturn._core.errors import ConfigurationError
from finalturn._core.memo import Keeper
from finalturn._core.messages import Message, ToolCall
from finalturn._core.result import ProviderSwitch, Usage
from finalturn._core.type_guards import is_mapping, is_sequence
from finalturn._support.keywords import checked_class
from finalturn.stability import NEXT, beta, stable

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
"""Why a model stopped.

``"stop"``: it was done; a reason that a vendor adds is taken for this one. ``"length"``: the token limit cut
it. ``"tool_calls"``: it asks for tools. ``"refusal"``: it refused, or a safety filter stopped it; a call that
it has begun is not run.
"""
stable(since="0.1.0").constant(__name__, "FinishReason")


@stable(since="0.1.0")
@checked_class
@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a provider can do.

    Attributes:
        native_tools: it takes tool declarations. Without it, finalturn writes them into the prompt and
            reads calls from the text.
        native_schema: it can be given a JSON Schema that its answer follows.
        native_schema_with_tools: it can do so while tools are declared, and still calls them.
        native_schema_any_root: its schema mode takes roots that are not objects; OpenAI's takes objects
            alone (its guide to structured outputs). Without it, each schema in a request has a plain
            object at its root: any other is put into one, and the answer is taken out of it.
        images: it takes images in USER messages.
    """

    native_tools: bool = True
    native_schema: bool = False
    native_schema_with_tools: bool = False
    native_schema_any_root: bool = False
    images: bool = False


@stable(since="0.1.0")
@checked_class
@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How to sample. What is ``None`` is left to the provider. The names are those of OpenAI's API.

    Attributes:
        temperature: randomness, from 0; most servers take up to 2.
        top_p: nucleus sampling: the share of probability to choose from, above 0 and at most 1.
        max_tokens: the longest answer of one model call, in tokens.
        seed: for repeatable sampling, where the provider can.
        stop: texts that end the answer; OpenAI takes up to 4.
        tool_choice: ``"auto"`` lets the model choose; ``"required"`` demands a tool call, until one has
            run in the turn; ``"none"`` forbids calls. Synthesis calls have no tools and ignore it.
        extra_body: further top-level fields of the provider's request body; they win over finalturn's.

    Raises:
        ConfigurationError: one of them has a value that no model can be asked for; it is named.
    """

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: Sequence[str] | None = None
    tool_choice: Literal["auto", "required", "none"] | None = None
    extra_body: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        check_model_settings(self)


@stable(since="0.1.0")
@dataclass(frozen=True, slots=True)
class ToolSpec(Keeper):
    """A tool as a model sees it.

    Attributes:
        name: what the model calls it by; it matches ``[A-Za-z0-9_-]{1,64}``.
        description: what it is for, in words for the model.
        parameters: a JSON Schema (draft 2020-12) of the object that holds its arguments.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]


@stable(since="0.1.0")
@dataclass(frozen=True, slots=True)
class OutputSchema:
    """The schema that a provider is to enforce itself.

    Attributes:
        name: what the schema is called; it matches ``[A-Za-z0-9_-]{1,64}``, as OpenAI's API wants it.
        schema: a JSON Schema, draft 2020-12.
    """

    name: str
    schema: Mapping[str, Any]


@stable(since="0.1.0")
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

    Contract:
        - `schema-stays-out` (stable): In final_turn_only without single_pass, a loop request MUST NOT carry
          the schema or its descriptions.
    """

    messages: Sequence[Message]
    system: str = ""
    tools: Sequence[ToolSpec] = ()
    output: OutputSchema | None = None
    settings: ModelSettings = field(default_factory=ModelSettings)
    call: int = 0


@stable(since="0.1.0", fields={"switches": beta(since=NEXT)})
@checked_class
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


@stable(since="0.1.0")
@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer's text.

    Attributes:
        text: what comes next, as the provider cut it; an empty piece is passed over.
    """

    text: str


@stable(since="0.1.0")
@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of what the model thinks aloud.

    Attributes:
        text: what comes next, as the provider cut it; an empty piece is passed over.
    """

    text: str


@stable(since="0.1.0", fields={"from_text": beta(since=NEXT)})
@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A piece of a tool call, as loosely as servers send them.

    Attributes:
        index: which call of the response it belongs to, from 0; ``None`` when the server does not say.
        id: the call's id; ``None`` or ``""`` on a continuation.
        name: the tool's name, or a piece of it; ``""`` on a continuation.
        arguments: a piece of the arguments' JSON text.
        provider_data: opaque JSON that the provider wants back with the call; ``None`` when there is none.
        from_text: the whole call, where it was read from the text that the model wrote. It gets no id, and
            the other fields only repeat it.
    """

    index: int | None = None
    id: str | None = None
    name: str = ""
    arguments: str = ""
    provider_data: Mapping[str, Any] | None = None
    from_text: ToolCall | None = None


@stable(since="0.1.0", fields={"switches": beta(since=NEXT)})
@checked_class
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
stable(since="0.1.0").constant(__name__, "ModelEvent")


_CHOICES = ("auto", "required", "none")


def check_model_settings(settings: ModelSettings) -> None:
    """Check each of them. How large a temperature may be and the like is the vendor's to say.

    Raises:
        ConfigurationError: one cannot be meant; it is named.
    """
    for name in ("temperature", "top_p"):
        value: object = getattr(settings, name)
        if value is not None and not _is_number(value):
            raise _wrong(name, "a number", value)
    for name, least in (("max_tokens", 1), ("seed", None)):
        value = getattr(settings, name)
        if value is not None and not _is_whole(value, least):
            raise _wrong(
                name, "a whole number" if least is None else f"a whole number of at least {least}", value
            )
    _check_stop(settings.stop)
    choice: object = settings.tool_choice
    if choice is not None and choice not in _CHOICES:
        raise _wrong("tool_choice", f"one of {', '.join(map(repr, _CHOICES))}", choice)
    if settings.extra_body is not None and not is_mapping(settings.extra_body):
        raise _wrong("extra_body", "a mapping", settings.extra_body)


def _check_stop(stop: Sequence[str] | None) -> None:
    if isinstance(stop, str):
        raise ConfigurationError(
            f"ModelSettings: stop must be a list of texts, not a str; write stop=[{stop!r}]"
        )
    if stop is None:
        return
    if not is_sequence(stop):
        raise _wrong("stop", "a list of texts", stop)
    for index, text in enumerate(stop):
        if not isinstance(text, str) or not text:
            raise _wrong(f"stop[{index}]", "a text that is not empty", text)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_whole(value: object, least: int | None) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and (least is None or value >= least)


def _wrong(name: str, expected: str, value: object) -> ConfigurationError:
    shown = repr(value) if isinstance(value, (int, float, str)) else described(value)
    return ConfigurationError(f"ModelSettings: {name} must be {expected}, not {shown}")
