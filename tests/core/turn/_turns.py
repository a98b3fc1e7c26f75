"""Plays a turn on the machine alone: no event loop, no provider."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from finalturn._core.chunks import StreamChunk
from finalturn._core.messages import Message, ToolCall
from finalturn._core.model import ModelRequest, ModelResponse, ReasoningDelta, TextDelta
from finalturn._core.result import AgentResult
from finalturn._core.tool_outcome import ToolOutcome
from finalturn._core.turn import (
    TABLE,
    Action,
    AskFinalize,
    CallModel,
    Decided,
    Failed,
    Finish,
    Finished,
    Input,
    Machine,
    Mode,
    Raise,
    RunTools,
    Saved,
    SaveTurn,
    Started,
    Table,
    ToolReturned,
    ToolsFinished,
    TurnSetup,
)
from finalturn._response_format import output_of


class Point(BaseModel):
    x: int


OUTPUT = output_of(Point)
VALID = '{"x": 1}'
INVALID = '{"x": "one"}'
USER = (Message.user("hi"),)


def setup(mode: Mode = Mode.PLAIN, **more: Any) -> TurnSetup:
    """A turn's setup; all but plain ones want a Point."""
    output = None if mode is Mode.PLAIN else OUTPUT
    return TurnSetup(user=USER, output=output, mode=mode, **more)


def says(text: str = "", **more: Any) -> ModelResponse:
    """A response of text."""
    return ModelResponse(text, **more)


def asks(*names: str, text: str = "") -> ModelResponse:
    """A response that asks for tools."""
    calls = tuple(ToolCall(name, {}, f"c{index}") for index, name in enumerate(names))
    return ModelResponse(text, tool_calls=calls)


@dataclass
class Played:
    """What a turn showed and asked for."""

    machine: Machine
    shown: list[StreamChunk] = field(default_factory=list[StreamChunk])
    requests: list[ModelRequest] = field(default_factory=list[ModelRequest])
    asked: list[AskFinalize] = field(default_factory=list[AskFinalize])
    rules: list[str | None] = field(default_factory=list[str | None])
    result: AgentResult[Any] | None = None
    error: BaseException | None = None

    @property
    def done(self) -> AgentResult[Any]:
        assert self.result is not None
        return self.result

    @property
    def content(self) -> str:
        return "".join(chunk.content for chunk in self.shown)

    @property
    def events(self) -> list[str]:
        return [str(chunk.event) for chunk in self.shown if chunk.event]


def play(
    turn: TurnSetup,
    *responses: ModelResponse | BaseException,
    outcomes: Sequence[ToolOutcome] | None = None,
    finalize: bool | BaseException = True,
    table: Table = TABLE,
) -> Played:
    """Play a turn to its end: each model call gives the next response, character by character."""
    played = Played(Machine(turn, table))
    coming = iter(responses)
    actions: list[Action] = []

    def feed(item: Input) -> None:
        shown, more = played.machine.step(item)
        played.shown += shown
        actions.extend(more)
        if played.machine.last_rule is not None:
            played.rules.append(played.machine.last_rule)

    feed(Started())
    while actions:
        action = actions.pop(0)
        match action:
            case CallModel():
                played.requests.append(action.request)
                for item in _inputs(next(coming)):
                    feed(item)
            case RunTools():
                for one in outcomes or [ToolOutcome(i, "done") for i in range(len(action.calls))]:
                    feed(ToolReturned(one))
                feed(ToolsFinished())
            case AskFinalize():
                played.asked.append(action)
                feed(Failed(finalize) if isinstance(finalize, BaseException) else Decided(finalize))
            case SaveTurn():
                feed(Saved())
            case Finish():
                played.result = action.result
            case Raise():
                played.error = action.error
    return played


def _inputs(response: ModelResponse | BaseException) -> Iterator[Input]:
    if isinstance(response, BaseException):
        yield Failed(response)
        return
    yield from (ReasoningDelta(letter) for letter in response.reasoning)
    yield from (TextDelta(letter) for letter in response.content)
    yield Finished(response)
