"""The protocols that observers of turns implement, and the events that they are sent.

An observer is asked once a turn what is to watch it; that is told each event, in order, as it happens:

```python
class Stopwatch:
    def observe(self, turn):
        return Laps()


class Laps:
    def on_event(self, event):
        match event:
            case ModelCallStarted(call=call):
                ...
            case TurnEnded(error=None):
                ...
```

An event refers to what the turn itself works with: nothing is copied, and all of it is frozen.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from finalturn._core.chunks import StreamChunk
from finalturn._core.messages import Message, ToolCall
from finalturn._core.model import ModelEvent, ModelRequest, ModelResponse, ReasoningDelta, TextDelta
from finalturn._core.result import AgentResult, Usage
from finalturn._core.tool_outcome import ToolFailure
from finalturn.stability import NEXT, beta

__all__ = [
    "ChunkDelivered",
    "ContextWatch",
    "ModelCallEnded",
    "ModelCallStarted",
    "ModelEventReceived",
    "ObservedTurn",
    "PredicateAnswered",
    "PredicateAsked",
    "RuleFired",
    "SaveEnded",
    "SaveStarted",
    "ToolBatchStarted",
    "ToolCallEnded",
    "ToolCallStarted",
    "TurnEnded",
    "TurnEvent",
    "TurnObserver",
    "TurnPart",
    "TurnPrepared",
    "TurnWatch",
]


@beta(since=NEXT)
@dataclass(frozen=True, slots=True)
class ObservedTurn:
    """The turn that an observer is asked to watch. Its session is not loaded yet.

    Attributes:
        user: this turn's USER messages.
        session: the id of its session; ``None`` without one.
        provider: the name of the provider's class.
        vendor: the provider's own attribute ``vendor``; ``None`` where it has none.
        model: the provider's own attribute ``model``; ``None`` where it has none.
        streams: the provider answers piece by piece.
        depth: how many turns it runs in, as a tool of each; 0 for a turn of its own.
    """

    user: tuple[Message, ...]
    session: str | None
    provider: str
    vendor: str | None
    model: str | None
    streams: bool
    depth: int = 0


@beta(since=NEXT)
@dataclass(frozen=True, slots=True)
class TurnPrepared:
    """The session is loaded and the prompt evaluated: this is how the turn is set up.

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
        system: the system prompt.
        history: the conversation before this turn, injections apart.
        injections: the SYSTEM messages between history and the user's messages.
        user: this turn's USER messages.
        schema: the JSON Schema of the response_format; ``None`` without one.
    """

    mode: Literal["plain", "default", "final_turn"]
    single_pass: bool
    hold: bool
    reuse: bool
    asks: bool
    native_tools: bool
    max_iterations: int
    max_retries: int
    system: str
    history: tuple[Message, ...]
    injections: tuple[Message, ...]
    user: tuple[Message, ...]
    schema: Mapping[str, Any] | None


@beta(since=NEXT)
@dataclass(frozen=True, slots=True)
class ModelCallStarted:
    """The model is about to be asked.

    Attributes:
        call: the 0-based index of the call in the turn.
        purpose: ``"loop"`` or ``"synthesis"``.
        request: what is asked, before it is put into the form that the provider takes.
    """

    call: int
    purpose: Literal["loop", "synthesis"]
    request: ModelRequest


@beta(since=NEXT)
@dataclass(frozen=True, slots=True)
class ModelEventReceived:
    """The provider has given a piece of its answer, as yet unchecked. One that answers whole gives none.

    Attributes:
        call: the index of the model call.
        event: the piece.
    """

    call: int
    event: ModelEvent


@beta(since=NEXT)
@dataclass(frozen=True, slots=True)
class ModelCallEnded:
    """A model call is over. Without a response and an error, the turn was closed or cancelled meanwhile.

    Attributes:
        call: the index of the model call.
        response: the whole answer.
        error: what the call failed with.
    """

    call: int
    response: ModelResponse | None = None
    error: BaseException | None = None


@beta(since=NEXT)
@dataclass(frozen=True, slots=True)
class ToolBatchStarted:
    """The tool calls of one response are about to be checked, and then run.

    Attributes:
        calls: the batch, in call order.
    """

    calls: tuple[ToolCall, ...]


@beta(since=NEXT)
@dataclass(frozen=True, slots=True)
class ToolCallStarted:
    """A tool is about to run: its arguments are valid, and every gate lets it.

    Attributes:
        index: the call's place in its batch.
        call: what the model asks for.
    """

    index: int
    call: ToolCall


@beta(since=NEXT)
@dataclass(frozen=True, slots=True)
class ToolCallEnded:
    """A tool call has its outcome. One that was not run has no `ToolCallStarted` before it.

    Calls that run at the same time end in any order.

    Attributes:
        index: the call's place in its batch.
        call: what the model asked for.
        text: the result's text, or what the model is told instead; ``""`` when it is cancelled.
        failure: why there is no result; ``None`` when the tool ran and returned, or is cancelled.
        error: what the tool raised.
        terminal: the tool ran, returned, and ends the turn.
        cancelled: the turn was closed or cancelled while the tool ran.
        usage: tokens of agents that the tool has run; ``None`` where it has run none, or is cancelled.
    """

    index: int
    call: ToolCall
    text: str = ""
    failure: ToolFailure | None = None
    error: BaseException | None = None
    terminal: bool = False
    cancelled: bool = False
    usage: Usage | None = None


@beta(since=NEXT)
@dataclass(frozen=True, slots=True)
class PredicateAsked:
    """The should_finalize predicate is about to be asked.

    Attributes:
        messages: the conversation that it is shown.
        last_response_text: the text that the model converged with.
    """

    messages: tuple[Message, ...]
    last_response_text: str


@beta(since=NEXT)
@dataclass(frozen=True, slots=True)
class PredicateAnswered:
    """The should_finalize predicate has answered. One that raises ends the turn instead.

    Attributes:
        finalize: whether the object is to be made.
    """

    finalize: bool


@beta(since=NEXT)
@dataclass(frozen=True, slots=True)
class SaveStarted:
    """The turn is about to be saved, where it has a session.

    Attributes:
        result: what the turn came to.
    """

    result: AgentResult[Any]


@beta(since=NEXT)
@dataclass(frozen=True, slots=True)
class SaveEnded:
    """The turn is saved, or has no session. A store that fails ends the turn instead."""


@beta(since=NEXT)
@dataclass(frozen=True, slots=True)
class RuleFired:
    """The turn's machine has taken an input. `ChunkDelivered` says when what it shows is read.

    Attributes:
        rule: the rule of the table that fired, by its name on the page about the machine.
        input: the name of the input there, such as ``"TextDelta"``.
        piece: the input itself, when it is a piece of text or reasoning; calls that are written as text
            have been taken out of it.
        verdict: what a finished response is judged to be: ``"calls"``, ``"plain"``, ``"valid"``,
            ``"invalid"``, ``"cut"``, ``"empty"`` or ``"refused"``; ``None`` with any other input.
        shown: the chunks that the rule shows.
    """

    rule: str
    input: str
    piece: TextDelta | ReasoningDelta | None = None
    verdict: str | None = None
    shown: tuple[StreamChunk, ...] = ()


@beta(since=NEXT)
@dataclass(frozen=True, slots=True)
class ChunkDelivered:
    """A chunk goes to the reader of the stream. What had been made ready when a turn is left never does.

    Attributes:
        chunk: the chunk.
    """

    chunk: StreamChunk


@beta(since=NEXT)
@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn is over, and this is the last event. Without a result and an error, it was left early.

    Attributes:
        result: what the turn came to.
        error: what it failed with.
        usage: tokens of its model calls, failed and stopped ones included.
    """

    result: AgentResult[Any] | None
    error: BaseException | None
    usage: Usage


TurnEvent: TypeAlias = (
    TurnPrepared
    | RuleFired
    | ModelCallStarted
    | ModelEventReceived
    | ModelCallEnded
    | ToolBatchStarted
    | ToolCallStarted
    | ToolCallEnded
    | PredicateAsked
    | PredicateAnswered
    | SaveStarted
    | SaveEnded
    | ChunkDelivered
    | TurnEnded
)
"""Something that happens in a turn. More kinds may be added: pass over those that you do not know."""
beta(since=NEXT).constant(__name__, "TurnEvent")

TurnPart: TypeAlias = ObservedTurn | ModelCallStarted | ToolCallStarted
"""What can have a context of its own: the turn, a model call, or a tool that runs."""
beta(since=NEXT).constant(__name__, "TurnPart")


@beta(since=NEXT)
@runtime_checkable
class TurnWatch(Protocol):
    """Is told of one turn. A `ContextWatch` also has code of the turn run in contexts of its own."""

    def on_event(self, event: TurnEvent, /) -> None:
        """Take notice of what happens.

        Args:
            event: what happens; its exceptions and messages may hold anything that was said.
        """
        ...


@beta(since=NEXT)
@runtime_checkable
class ContextWatch(TurnWatch, Protocol):
    """A `TurnWatch` that sets context variables for code of the turn, such as the current span of a trace."""

    def around(self, part: TurnPart, /) -> AbstractContextManager[object]:
        """The context of code of a part of the turn.

        Args:
            part: whose code is about to run; of a model call and of a tool, what `on_event` was told before.

        Returns:
            A context manager. It is entered anew for each step of a turn and of a model call, and once for
            a tool, or for each step of one that shows what it does. It is told of no exception, and hides
            none.
        """
        ...


@beta(since=NEXT)
@runtime_checkable
class TurnObserver(Protocol):
    """Watches the turns of an agent: to measure, to log, to trace. It changes nothing.

    It is called on the turn's own event loop, in order, and must not block. It sees the conversation: what
    people, models and tools wrote. One that raises an exception does not break the turn: the kind of
    exception is logged as a warning, and it is told nothing more of that turn.
    """

    def observe(self, turn: ObservedTurn, /) -> TurnWatch | None:
        """Say what is to watch a turn that begins.

        Args:
            turn: the turn.

        Returns:
            An object for this turn alone, as turns may run at the same time; ``None`` to watch another.
        """
        ...
