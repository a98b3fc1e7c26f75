"""The records of a recorded turn. Each is one line of a trace file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from finalturn._core.chunks import StreamChunk
from finalturn._core.limits import LimitName
from finalturn._core.messages import Message, ToolCall
from finalturn._core.result import StopReason, StructuredStatus, Usage
from finalturn.stability import NEXT, beta

__all__ = [
    "CallEnded",
    "CallStarted",
    "FinalizeAnswered",
    "FinalizeAsked",
    "ModelReasoning",
    "ModelText",
    "Record",
    "Shown",
    "ToolOutcomeRecorded",
    "ToolsStarted",
    "TurnCancelled",
    "TurnFailed",
    "TurnResult",
    "TurnSaved",
    "TurnStarted",
]


@beta(since="0.1.0")
@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The turn begins, and this is how it is set up.

    Attributes:
        mode: ``"plain"`` has no response_format; ``"default"`` streams the JSON; ``"final_turn"`` keeps the
            schema out of the loop.
        single_pass: it is asked for, and the provider can.
        hold: JSON blocks are held back.
        reuse: a converged answer that validates is taken.
        asks: there is a should_finalize predicate.
        native_tools: the provider takes tools natively; otherwise calls are text.
        max_iterations: how many loop calls the turn may make, retries apart.
        max_retries: how many answers that do not validate are asked for again.
        history: the conversation before this turn, injections apart.
        injections: the SYSTEM messages between history and the user's messages.
        user: this turn's USER messages.
    """

    mode: Literal["plain", "default", "final_turn"]
    single_pass: bool
    hold: bool
    reuse: bool
    asks: bool
    native_tools: bool
    max_iterations: int
    max_retries: int
    history: tuple[Message, ...]
    injections: tuple[Message, ...]
    user: tuple[Message, ...]


@beta(since="0.1.0")
@dataclass(frozen=True, slots=True)
class CallStarted:
    """A model call begins.

    Attributes:
        call: its 0-based index in the turn.
        purpose: ``"loop"`` or ``"synthesis"``.
        schema_sent: the request carries the schema, natively or in words.
        tools: the names of the tools that it offers.
        messages: the conversation that it sends, before it is put into the form that the provider takes.
    """

    call: int
    purpose: Literal["loop", "synthesis"]
    schema_sent: bool
    tools: tuple[str, ...]
    messages: tuple[Message, ...]


@beta(since="0.1.0")
@dataclass(frozen=True, slots=True)
class ModelText:
    """The model wrote a piece of text; whether anyone sees it is another record's matter.

    Attributes:
        call: the index of the model call.
        text: the piece. Calls that are written as text have been taken out of it.
    """

    call: int
    text: str


@beta(since="0.1.0")
@dataclass(frozen=True, slots=True)
class ModelReasoning:
    """The model thought a piece aloud.

    Attributes:
        call: the index of the model call.
        text: the piece.
    """

    call: int
    text: str


@beta(since="0.1.0")
@dataclass(frozen=True, slots=True)
class CallEnded:
    """A model call is complete.

    Attributes:
        call: its index.
        content: all text of it.
        tool_calls: what it asks for.
        finish_reason: the provider's, or ``None``.
        usage: its tokens; ``None`` when the provider reported none.
        verdict: what the turn makes of it: ``"calls"``, ``"plain"``, ``"valid"``, ``"invalid"``, ``"cut"``,
            ``"empty"`` or ``"refused"``.
    """

    call: int
    content: str
    tool_calls: tuple[ToolCall, ...]
    finish_reason: str | None
    usage: Usage | None
    verdict: str


@beta(since="0.1.0")
@dataclass(frozen=True, slots=True)
class Shown:
    """A chunk was delivered to the surface. What had been made ready when a turn was left is not shown.

    Attributes:
        chunk: the chunk.
    """

    chunk: StreamChunk


@beta(since="0.1.0")
@dataclass(frozen=True, slots=True)
class ToolsStarted:
    """A batch of tool calls is about to run.

    Attributes:
        calls: the calls, in order.
    """

    calls: tuple[ToolCall, ...]


@beta(since="0.1.0", fields={"usage": beta(since=NEXT)})
@dataclass(frozen=True, slots=True)
class ToolOutcomeRecorded:
    """One call of the batch has its outcome.

    Attributes:
        place: its 0-based place in the batch.
        succeeded: the tool ran and returned.
        text: its result's text, or the error's.
        terminal: it ends the turn.
        usage: tokens of turns that it ran; ``None`` where it ran none. Files of format 1 do not have it.
    """

    place: int
    succeeded: bool
    text: str
    terminal: bool
    usage: Usage | None = None


@beta(since="0.1.0")
@dataclass(frozen=True, slots=True)
class FinalizeAsked:
    """The predicate is asked, and sees this.

    Attributes:
        messages: the conversation at convergence.
        last_response_text: the text that the model converged with.
    """

    messages: tuple[Message, ...]
    last_response_text: str


@beta(since="0.1.0")
@dataclass(frozen=True, slots=True)
class FinalizeAnswered:
    """The predicate has answered.

    Attributes:
        finalize: whether the object is to be made.
    """

    finalize: bool


@beta(since="0.1.0")
@dataclass(frozen=True, slots=True)
class TurnSaved:
    """The turn's messages are in their session, or there is none to save them in. It has no fields."""


@beta(since="0.1.0", fields={"limit": beta(since=NEXT)})
@dataclass(frozen=True, slots=True)
class TurnResult:
    """The result was delivered. Fields that `AgentResult` has too are as they are there.

    Attributes:
        structured_status: how the structured answer came out; ``None`` without a response_format.
        stop_reason: why the turn ended.
        content: the answer's text.
        text: all content that was shown, joined.
        parsed: the JSON value of the parsed object; ``None`` without one.
        has_parsed: there is one, which may be null.
        messages: what the turn adds to the conversation.
        tool_calls: every call that the model asked for.
        usage: tokens of all model calls.
        model_calls: how many there were.
        answer_call: the index of the one that holds the answer, or ``None``.
        limit: which limit ended the turn; ``None`` where none did. Files of format 1 do not have it.
    """

    structured_status: StructuredStatus | None
    stop_reason: StopReason
    content: str
    text: str
    parsed: Any
    has_parsed: bool
    messages: tuple[Message, ...]
    tool_calls: tuple[ToolCall, ...]
    usage: Usage
    model_calls: int
    answer_call: int | None
    limit: LimitName | None = None


@beta(since="0.1.0")
@dataclass(frozen=True, slots=True)
class TurnFailed:
    """The turn raised.

    Attributes:
        error: the name of the exception's type.
    """

    error: str


@beta(since="0.1.0")
@dataclass(frozen=True, slots=True)
class TurnCancelled:
    """The consumer closed the stream, or was cancelled. It has no fields."""


Record: TypeAlias = (
    TurnStarted
    | CallStarted
    | ModelText
    | ModelReasoning
    | CallEnded
    | Shown
    | ToolsStarted
    | ToolOutcomeRecorded
    | FinalizeAsked
    | FinalizeAnswered
    | TurnSaved
    | TurnResult
    | TurnFailed
    | TurnCancelled
)
"""What a trace is made of."""
beta(since="0.1.0").constant(__name__, "Record")
