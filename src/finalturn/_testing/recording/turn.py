"""One turn of an agent, as records of a trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from finalturn._core import json_text
from finalturn._core.chunks import StreamChunk
from finalturn._core.messages import Role
from finalturn._core.model import ModelRequest, ModelResponse, ReasoningDelta, TextDelta
from finalturn._core.result import AgentResult
from finalturn._core.turn import (
    Action,
    AskFinalize,
    CallModel,
    Decided,
    Finished,
    Input,
    Mode,
    Phase,
    RunTools,
    Saved,
    State,
    ToolReturned,
)
from finalturn.contract import (
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

if TYPE_CHECKING:
    from finalturn._agent.spec import TurnSpec
    from finalturn._agent.watch import Moment

__all__ = ["TurnWitness"]


class TurnWitness:
    """Notes a turn as records.

    Args:
        note: takes each record as it comes to be.
    """

    def __init__(self, note: Callable[[Record], None]) -> None:
        self._note = note
        self._now: Moment | None = None

    def begins(self, turn: TurnSpec, now: Moment, /) -> None:
        """Note how the turn is set up."""
        self._now = now
        setup = now.state.setup
        self._note(
            TurnStarted(
                mode=setup.mode.value,
                single_pass=setup.single_pass,
                hold=setup.hold,
                reuse=setup.reuse,
                asks=setup.asks,
                native_tools=turn.agent.capabilities.native_tools,
                max_iterations=setup.max_iterations,
                max_retries=setup.max_retries,
                history=tuple(setup.history),
                injections=setup.injections,
                user=setup.user,
            )
        )

    def takes(self, item: Input, before: Moment, after: Moment, validated: bool, /) -> None:
        """Note an input. What a finished call is judged to be is noted with it."""
        self._now = after
        match item:
            case TextDelta():
                self._note(ModelText(before.state.call, item.text))
            case ReasoningDelta():
                self._note(ModelReasoning(before.state.call, item.text))
            case Finished():
                self._note(_ended(item.response, before, validated))
            case ToolReturned():
                outcome = item.outcome
                succeeded = outcome.failure is None
                self._note(ToolOutcomeRecorded(outcome.index, succeeded, outcome.text, outcome.terminal))
            case Decided():
                self._note(FinalizeAnswered(item.finalize))
            case Saved():
                self._note(TurnSaved())
            case _:
                pass

    def acts(self, action: Action, /) -> None:
        """Note what is about to be done. That the turn is saved is noted when it is."""
        match action:
            case CallModel():
                self._note(_started(action.request, self._now))
            case RunTools():
                self._note(ToolsStarted(action.calls))
            case AskFinalize():
                self._note(FinalizeAsked(action.messages, action.last_response_text))
            case _:
                pass

    def delivers(self, item: StreamChunk | AgentResult[Any], /) -> None:
        """Note what goes to the surface."""
        self._note(Shown(item) if isinstance(item, StreamChunk) else _result(item))

    def fails(self, error: BaseException, /) -> None:
        """Note that the turn raises."""
        self._note(TurnFailed(type(error).__name__))

    def leaves(self) -> None:
        """Note that the turn is left."""
        self._note(TurnCancelled())


def _started(request: ModelRequest, now: Moment | None) -> CallStarted:
    return CallStarted(
        call=request.call,
        purpose="synthesis" if now is not None and now.phase is Phase.SYNTHESIZING else "loop",
        schema_sent=request.output is not None or (now is not None and _in_words(request, now.state)),
        tools=tuple(tool.name for tool in request.tools if request.settings.tool_choice != "none"),
        messages=tuple(request.messages),
    )


def _in_words(request: ModelRequest, state: State) -> bool:
    """Whether what the turn itself has written into the request holds the schema."""
    setup = state.setup
    if setup.output is None:
        return False
    conversation = len(setup.history) + len(setup.injections) + len(setup.user) + len(state.added)
    own = [request.system.removeprefix(setup.system)]
    own += [message.content for message in request.messages[conversation:] if message.role is Role.USER]
    schema = json_text.encode(setup.output.schema).decode()
    return any(schema in text for text in own)


def _ended(response: ModelResponse, before: Moment, validated: bool) -> CallEnded:
    return CallEnded(
        call=before.state.call,
        content=response.content,
        tool_calls=response.tool_calls,
        finish_reason=response.finish_reason,
        usage=response.usage,
        verdict=_verdict(response, before, validated),
    )


def _verdict(response: ModelResponse, before: Moment, validated: bool) -> str:
    in_loop = before.phase is not Phase.SYNTHESIZING
    if in_loop and response.tool_calls:
        return "calls"
    if response.finish_reason == "refusal":
        return "refused"
    if response.finish_reason == "length":
        return "cut"
    if not response.content.strip():
        return "empty" if in_loop else "invalid"
    if before.state.setup.mode is Mode.PLAIN:
        return "plain"
    return "valid" if validated else "invalid"


def _result(item: AgentResult[Any]) -> TurnResult:
    answered = item.structured_status == "ok"
    return TurnResult(
        structured_status=item.structured_status,
        stop_reason=item.stop_reason,
        content=item.content,
        text=item.text,
        parsed=_value(item.content) if answered else None,
        # A schema may admit null, so that the object alone does not tell.
        has_parsed=answered or item.parsed is not None,
        messages=item.messages,
        tool_calls=item.tool_calls,
        usage=item.usage,
        model_calls=item.model_calls,
        answer_call=item.answer_call,
    )


def _value(text: str) -> Any:
    try:
        return json_text.decode(text)
    except ValueError:
        return None
