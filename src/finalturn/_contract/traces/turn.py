"""Groups the flat records of a trace by model call and batch of tools, as most checks need them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from finalturn._contract.traces.records import (
    CallEnded,
    CallStarted,
    FinalizeAnswered,
    FinalizeAsked,
    ModelReasoning,
    ModelText,
    Record,
    Shown,
    ToolOutcomeRecorded,
    ToolsStarted,
    TurnCancelled,
    TurnFailed,
    TurnResult,
    TurnSaved,
    TurnStarted,
)
from finalturn._contract.traces.trace import Trace, Undecidable
from finalturn._core.chunks import NestedActivity
from finalturn._core.messages import Message, Role
from finalturn._core.turn.messages import NO_MORE_TOOLS

__all__ = ["Batch", "TracedCall", "TracedTurn", "places", "read_turn", "result_of", "setup_of"]

R = TypeVar("R")


@dataclass
class Batch:
    """A batch of tool calls, and what came of it.

    Attributes:
        place: of the record that starts it.
        started: that record.
        outcomes: by place in the batch.
        shown: the TOOL messages that were shown, with the place of each.
        activity: what agents have shown that run as tools of it, with the place of each.
        over: the turn has gone on since, so all of them have been delivered.
    """

    place: int
    started: ToolsStarted
    outcomes: dict[int, ToolOutcomeRecorded] = field(default_factory=dict[int, ToolOutcomeRecorded])
    shown: list[tuple[int, Message]] = field(default_factory=list[tuple[int, Message]])
    activity: list[tuple[int, NestedActivity]] = field(default_factory=list[tuple[int, NestedActivity]])
    over: bool = False

    @property
    def messages(self) -> list[Message]:
        """The TOOL messages that the outcomes make, in call order."""
        return [
            Message(
                Role.TOOL,
                outcome.text,
                tool_name=call.name,
                tool_call_id=call.id,
                tool_result=outcome.text if outcome.succeeded else None,
            )
            for place, call in enumerate(self.started.calls)
            if (outcome := self.outcomes.get(place)) is not None
        ]


@dataclass
class TracedCall:
    """A model call, and all that happened before the next.

    Attributes:
        place: of the record that starts it.
        started: that record.
        end: the place of the record that ends it, and that record; ``None`` when it did not end.
        written: what the model wrote, piece by piece.
        thought: what it thought aloud, piece by piece.
        pieces: the content that was shown, with the place of each piece.
        announced: the chunks that announce tool calls, with their places.
        batches: the tools that ran; one batch at most, in a turn that goes as it should.
        refused: the TOOL messages of calls that the turn might not run any more, with their places.
        strays: the places of other TOOL messages that were shown before any batch.
        strange_activity: the places of activity that was shown before any batch.
        over: the turn has gone on since the call ended, so all that it shows has been delivered.
    """

    place: int
    started: CallStarted
    end: tuple[int, CallEnded] | None = None
    written: list[str] = field(default_factory=list[str])
    thought: list[str] = field(default_factory=list[str])
    pieces: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    announced: list[tuple[int, Shown]] = field(default_factory=list[tuple[int, Shown]])
    batches: list[Batch] = field(default_factory=list[Batch])
    refused: list[tuple[int, Message]] = field(default_factory=list[tuple[int, Message]])
    strays: list[int] = field(default_factory=list[int])
    strange_activity: list[int] = field(default_factory=list[int])
    over: bool = False

    @property
    def content(self) -> str:
        """All its text; of a call that did not end, what there is of it."""
        return "".join(self.written) if self.end is None else self.end[1].content

    @property
    def shown(self) -> str:
        """All its content that was shown."""
        return "".join(piece for _, piece in self.pieces)

    @property
    def verdict(self) -> str | None:
        """What the turn made of it; ``None`` when it did not end."""
        return None if self.end is None else self.end[1].verdict

    @property
    def refusals(self) -> list[Message]:
        """The TOOL messages that refuse all its tool calls; none where they ran, or none was shown."""
        calls = self.end[1].tool_calls if self.end is not None and self.refused else ()
        return [
            Message(Role.TOOL, NO_MORE_TOOLS, tool_name=call.name, tool_call_id=call.id) for call in calls
        ]

    @property
    def in_loop(self) -> bool:
        """It is a call of the tool loop."""
        return self.started.purpose == "loop"


@dataclass
class TracedTurn:
    """A turn that was recorded inside its process.

    Attributes:
        setup: how it is set up.
        calls: its model calls, in order.
        predicate_calls: the places where the predicate was asked.
        answers: what it answered, with the places.
        status: the structured status of its result; ``None`` without either.
        limit: which limit ended it, as its result says; ``None`` without either.
    """

    setup: TurnStarted
    calls: list[TracedCall]
    predicate_calls: list[tuple[int, FinalizeAsked]]
    answers: list[tuple[int, FinalizeAnswered]]
    status: str | None = None
    limit: str | None = None

    @property
    def loop(self) -> list[TracedCall]:
        """The calls of the tool loop."""
        return [call for call in self.calls if call.in_loop]

    @property
    def synthesis(self) -> list[TracedCall]:
        """The synthesis calls."""
        return [call for call in self.calls if not call.in_loop]

    @property
    def skipped(self) -> int | None:
        """The place where the predicate said that no object is needed."""
        return next((place for place, answer in self.answers if not answer.finalize), None)

    @property
    def answer_call(self) -> TracedCall | None:
        """The loop call whose answer is the object, or ought to be."""
        valid = next((call for call in self.loop if call.verdict == "valid"), None)
        made_elsewhere = self.synthesis or self.status != "ok"
        if self.setup.mode == "final_turn" and not self.setup.reuse and made_elsewhere:
            return None
        return None if self.setup.mode == "plain" else valid


def places(trace: Trace, kind: type[R]) -> Iterator[tuple[int, R]]:
    """The records of a kind, with their places."""
    for place, record in enumerate(trace.records):
        if isinstance(record, kind):
            yield place, record


def setup_of(trace: Trace) -> TurnStarted:
    """How the turn is set up.

    Raises:
        Undecidable: the trace does not say.
    """
    for record in trace.records:
        if isinstance(record, TurnStarted):
            return record
    raise Undecidable("needs the turn_started record, and those of the model calls")


def result_of(trace: Trace) -> tuple[int, TurnResult] | None:
    """The result, with its place; ``None`` when the turn raised or was left.

    Raises:
        Undecidable: the trace stops before the turn's end.
    """
    result = next(places(trace, TurnResult), None)
    cut_short = (isinstance(record, (TurnFailed, TurnCancelled)) for record in trace.records)
    if result is None and not any(cut_short):
        raise Undecidable("the trace stops before the turn's end")
    return result


def read_turn(trace: Trace) -> TracedTurn:
    """Read a trace.

    Raises:
        Undecidable: it was not recorded inside the process.
    """
    turn = TracedTurn(setup_of(trace), [], [], [])
    for place, record in enumerate(trace.records):
        if isinstance(record, CallStarted):
            _close_last_call(turn)
            turn.calls.append(TracedCall(place, record))
        elif turn.calls:
            _take(turn, turn.calls[-1], place, record)
    return turn


def _take(turn: TracedTurn, call: TracedCall, place: int, record: Record) -> None:
    match record:
        case ModelText():
            call.written.append(record.text)
        case ModelReasoning():
            call.thought.append(record.text)
        case CallEnded():
            call.end = call.end or (place, record)
        case Shown():
            _show(call, place, record)
        case ToolsStarted():
            _close_last_call(turn, past_tools=False)
            call.batches.append(Batch(place, record))
        case ToolOutcomeRecorded() if call.batches:
            call.batches[-1].outcomes.setdefault(record.place, record)
        case FinalizeAsked():
            _close_last_call(turn)
            turn.predicate_calls.append((place, record))
        case FinalizeAnswered():
            turn.answers.append((place, record))
        case TurnSaved():
            _close_last_call(turn)
        case TurnResult():
            _close_last_call(turn)
            turn.status, turn.limit = record.structured_status, record.limit
        case _:
            pass


def _show(call: TracedCall, place: int, record: Shown) -> None:
    chunk = record.chunk
    if chunk.content:
        call.pieces.append((place, chunk.content))
    elif chunk.activity is not None and call.batches:
        call.batches[-1].activity.append((place, chunk.activity))
    elif chunk.activity is not None:
        call.strange_activity.append(place)
    elif chunk.tool_calls:
        call.announced.append((place, record))
    elif chunk.tool_message is not None and call.batches:
        call.batches[-1].shown.append((place, chunk.tool_message))
    elif chunk.tool_message is not None and chunk.tool_message.content == NO_MORE_TOOLS:
        call.refused.append((place, chunk.tool_message))
    elif chunk.tool_message is not None:
        call.strays.append(place)


def _close_last_call(turn: TracedTurn, *, past_tools: bool = True) -> None:
    if not turn.calls:
        return
    call = turn.calls[-1]
    call.over = True
    for batch in call.batches:
        batch.over = batch.over or past_tools
