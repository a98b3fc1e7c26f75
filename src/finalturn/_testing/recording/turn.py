"""The watch that notes one turn as the records of a trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from finalturn._core import json_text
from finalturn._core.messages import Role
from finalturn._core.model import ModelRequest, ModelResponse, ReasoningDelta, TextDelta
from finalturn._core.observers import (
    ChunkDelivered,
    ModelCallEnded,
    ModelCallStarted,
    PredicateAnswered,
    PredicateAsked,
    RuleFired,
    SaveEnded,
    ToolBatchStarted,
    ToolCallEnded,
    TurnEnded,
    TurnEvent,
    TurnPrepared,
)
from finalturn._core.result import AgentResult
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

__all__ = ["TurnRecorder"]


class TurnRecorder:
    """Watches a turn, and notes it as records.

    Args:
        note: takes each record as it comes to be.
    """

    def __init__(self, note: Callable[[Record], None]) -> None:
        self._note = note
        self._setup: TurnPrepared | None = None
        self._call = -1
        self._response: ModelResponse | None = None
        self._tools: dict[int, ToolCallEnded] = {}

    def on_event(self, event: TurnEvent, /) -> None:
        """Note what happens, where it is part of a trace."""
        match event:
            case TurnPrepared():
                self._setup = event
                self._note(_started(event))
            case ModelCallStarted():
                self._call = event.call
                self._note(_call_started(event, self._setup))
            case ModelCallEnded():
                self._response = event.response
            case RuleFired():
                self._note_input(event)
            case ToolBatchStarted():
                self._tools.clear()
                self._note(ToolsStarted(event.calls))
            case ToolCallEnded():
                self._tools[event.index] = event
            case PredicateAsked():
                self._note(FinalizeAsked(event.messages, event.last_response_text))
            case PredicateAnswered():
                self._note(FinalizeAnswered(event.finalize))
            case SaveEnded():
                self._note(TurnSaved())
            case ChunkDelivered():
                self._note(Shown(event.chunk))
            case TurnEnded():
                self._note(_ended(event))
            case _:
                pass

    def _note_input(self, event: RuleFired) -> None:
        """Note what the machine was told: of tool calls that ran at the same time, in call order."""
        if isinstance(event.piece, TextDelta):
            self._note(ModelText(self._call, event.piece.text))
        elif isinstance(event.piece, ReasoningDelta):
            self._note(ModelReasoning(self._call, event.piece.text))
        elif event.verdict is not None and self._response is not None:
            self._note(_call_ended(self._call, self._response, event.verdict))
        elif event.input == "ToolReturned":
            tool = self._tools.pop(min(self._tools))
            succeeded = tool.failure is None
            self._note(ToolOutcomeRecorded(tool.index, succeeded, tool.text, tool.terminal, tool.usage))


def _started(event: TurnPrepared) -> TurnStarted:
    return TurnStarted(
        mode=event.mode,
        single_pass=event.single_pass,
        hold=event.hold,
        reuse=event.reuse,
        asks=event.asks,
        native_tools=event.native_tools,
        max_iterations=event.max_iterations,
        max_retries=event.max_retries,
        history=event.history,
        injections=event.injections,
        user=event.user,
    )


def _call_started(event: ModelCallStarted, setup: TurnPrepared | None) -> CallStarted:
    request = event.request
    return CallStarted(
        call=event.call,
        purpose=event.purpose,
        schema_sent=request.output is not None or (setup is not None and _in_words(request, setup)),
        tools=tuple(tool.name for tool in request.tools if request.settings.tool_choice != "none"),
        messages=tuple(request.messages),
    )


def _in_words(request: ModelRequest, setup: TurnPrepared) -> bool:
    """Whether what the turn itself has written into the request holds the schema."""
    if setup.schema is None:
        return False
    before = len(setup.history) + len(setup.injections) + len(setup.user)
    own = [request.system.removeprefix(setup.system)]
    # Behind the user's own messages, the turn speaks for the user.
    own += [message.content for message in request.messages[before:] if message.role is Role.USER]
    schema = json_text.encode(setup.schema).decode()
    return any(schema in text for text in own)


def _call_ended(call: int, response: ModelResponse, verdict: str) -> CallEnded:
    return CallEnded(
        call=call,
        content=response.content,
        tool_calls=response.tool_calls,
        finish_reason=response.finish_reason,
        usage=response.usage,
        verdict=verdict,
    )


def _ended(event: TurnEnded) -> TurnResult | TurnFailed | TurnCancelled:
    if event.result is not None:
        return _result(event.result)
    return TurnCancelled() if event.error is None else TurnFailed(type(event.error).__name__)


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
        limit=item.limit,
    )


def _value(text: str) -> Any:
    try:
        return json_text.decode(text)
    except ValueError:
        return None
