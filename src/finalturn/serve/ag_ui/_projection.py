"""The projection to AG-UI events.

Each START has its END before the last event, whatever a turn shows. What the protocol has no field for is in
the metadata of events, below ``"finalturn"``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, assert_never

from ag_ui.core import (
    ActivitySnapshotEvent,
    BaseEvent,
    CustomEvent,
    Message,
    MessagesSnapshotEvent,
    ReasoningEndEvent,
    ReasoningMessageContentEvent,
    ReasoningMessageEndEvent,
    ReasoningMessageStartEvent,
    ReasoningStartEvent,
    RunErrorEvent,
    RunFinishedEvent,
    RunStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    TokenUsage,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
)

from finalturn.core import json_text
from finalturn.core.chunks import StreamEvent
from finalturn.serve._items import (
    Content,
    Ended,
    Event,
    Failed,
    Item,
    Reasoning,
    Started,
    ToolCalled,
    ToolDone,
    parsed_data,
)
from finalturn.serve._projection import Record
from finalturn.serve._tool_ids import ToolIds
from finalturn.serve.ag_ui._transcript import Transcript

__all__ = ["PROTOCOL_VERSION", "AgUi"]

PROTOCOL_VERSION = "1.0"


class AgUi:
    """The projection of one run.

    Args:
        run_id: the server's id of the run; ids of messages start with it.
        thread_id: the client's id of the conversation.
        client_run_id: the client's id of the run.
        held: the messages that the client has sent.
    """

    def __init__(self, run_id: str, *, thread_id: str, client_run_id: str, held: Sequence[Message]) -> None:
        self._run_id = run_id
        self._thread_id = thread_id
        self._client_run_id = client_run_id
        self._held = held
        self._transcript = Transcript()
        self._tool_ids = ToolIds(run_id)
        self._text: tuple[str, int] | None = None
        self._reasoning: tuple[str, int] | None = None
        self._used: set[str] = set()
        # The texts of the last model call that has shown any, for an event that names them.
        self._texts: list[str] = []
        self._texts_call = -1
        # Whether the client holds a text that answers the user.
        self._answered = False

    def records(self, item: Item, /) -> Sequence[Record]:
        """The events of the next item."""
        return [event.model_dump(mode="json", by_alias=True) for event in self._events(item)]

    def _events(self, item: Item) -> Iterator[BaseEvent]:
        match item:
            case Content(text, call):
                yield from self._content(text, call)
            case Reasoning(text, call):
                yield from self._think(text, call)
            case ToolCalled(tool_call, call):
                yield from self._call(tool_call, call)
            case ToolDone(message, call):
                yield from self._result(message, call)
            case Event(event, call):
                yield from self._event(event, call)
            case Started(run_id, session):
                yield RunStartedEvent(
                    thread_id=self._thread_id,
                    run_id=self._client_run_id,
                    protocol_version=PROTOCOL_VERSION,
                    metadata=_ours(run_id=run_id, session=session),
                )
            case Ended(result):
                yield from self._end(result)
            case Failed(failure):
                yield from self._close()
                yield RunErrorEvent(
                    message=failure.message, code=failure.code, metadata=_ours(retryable=failure.retryable)
                )
            case _:
                assert_never(item)

    # Texts and reasoning.

    def _content(self, text: str, call: int) -> Iterator[BaseEvent]:
        yield from self._close_reasoning()
        if self._text is None or self._text[1] != call:
            yield from self._close_text()
            message_id, metadata = self._begin(call, "assistant")
            self._text = message_id, call
            if self._texts_call != call:
                self._texts, self._texts_call = [], call
            self._texts.append(message_id)
            self._answered = True
            yield TextMessageStartEvent(message_id=message_id, role="assistant", metadata=metadata)
        self._transcript.add(self._text[0], text)
        yield TextMessageContentEvent(message_id=self._text[0], delta=text)

    def _think(self, text: str, call: int) -> Iterator[BaseEvent]:
        if self._reasoning is None or self._reasoning[1] != call:
            yield from self._close_reasoning()
            if self._text is not None and self._text[1] != call:
                yield from self._close_text()
            message_id, metadata = self._begin(call, "reasoning")
            self._reasoning = message_id, call
            yield ReasoningStartEvent(message_id=message_id)
            yield ReasoningMessageStartEvent(message_id=message_id, metadata=metadata)
        self._transcript.add(self._reasoning[0], text)
        yield ReasoningMessageContentEvent(message_id=self._reasoning[0], delta=text)

    def _begin(self, call: int, kind: Literal["assistant", "reasoning"]) -> tuple[str, dict[str, Any]]:
        message_id = self._text_id(call)
        if kind == "reasoning" or message_id in self._used:
            message_id = f"{message_id}-{kind}-{len(self._used)}"
        self._used.add(message_id)
        metadata = _ours(call=call)
        self._transcript.begin(message_id, kind, metadata)
        return message_id, metadata

    def _text_id(self, call: int) -> str:
        return f"{self._run_id}-{call}"

    def _close(self) -> Iterator[BaseEvent]:
        yield from self._close_reasoning()
        yield from self._close_text()

    def _close_text(self) -> Iterator[BaseEvent]:
        if self._text is not None:
            yield TextMessageEndEvent(message_id=self._text[0])
            self._text = None

    def _close_reasoning(self) -> Iterator[BaseEvent]:
        if self._reasoning is not None:
            yield ReasoningMessageEndEvent(message_id=self._reasoning[0])
            yield ReasoningEndEvent(message_id=self._reasoning[0])
            self._reasoning = None

    # Tools.

    def _call(self, tool_call: Mapping[str, Any], call: int) -> Iterator[BaseEvent]:
        yield from self._close()
        given = self._tool_ids.of_call(tool_call, call)
        # The calls of one response are of one message, whether it has a text or not.
        parent = self._text_id(call)
        self._used.add(parent)
        arguments = json_text.encode(tool_call["arguments"]).decode()
        metadata = _ours(call=call, id=tool_call["id"], error=tool_call["error"])
        self._transcript.call(parent, given, tool_call["name"], arguments, metadata)
        self._answered = False
        yield ToolCallStartEvent(
            tool_call_id=given, tool_call_name=tool_call["name"], parent_message_id=parent, metadata=metadata
        )
        yield ToolCallArgsEvent(tool_call_id=given, delta=arguments)
        yield ToolCallEndEvent(tool_call_id=given)

    def _result(self, message: Mapping[str, Any], call: int) -> Iterator[BaseEvent]:
        yield from self._close()
        given = self._tool_ids.of_result(message)
        message_id = f"{given}-result"
        metadata = _ours(call=call, tool_failure=message["tool_failure"])
        self._transcript.result(message_id, given, message["content"], metadata)
        yield ToolCallResultEvent(
            message_id=message_id,
            tool_call_id=given,
            content=message["content"],
            role="tool",
            metadata=metadata,
        )

    # Events and the end.

    def _event(self, event: StreamEvent, call: int) -> Iterator[BaseEvent]:
        yield from self._close()
        reuse = event is StreamEvent.STRUCTURED_REUSE
        told: dict[str, Any] = {"call": call}
        # The texts are of this call when they were the answer, and else of the one before.
        if self._answered and (self._texts_call == call or not reuse):
            told["messageId"] = self._texts[-1]
        yield CustomEvent(name=str(event), value=told)
        if reuse and "messageId" in told:
            for message_id in self._texts:
                self._transcript.retract(message_id)
            self._texts = []
            self._answered = False
            yield MessagesSnapshotEvent(messages=[*self._held, *self._transcript.messages()])

    def _end(self, result: Mapping[str, Any]) -> Iterator[BaseEvent]:
        yield from self._close()
        if not self._answered:
            yield from self._silent_answer(result)
        if result["structured_status"] == "ok" and result["parsed_error"] is None:
            yield ActivitySnapshotEvent(
                message_id=f"{self._run_id}-structured",
                activity_type="structured",
                content=parsed_data(result),
                replace=True,
            )
        yield RunFinishedEvent(
            thread_id=self._thread_id,
            run_id=self._client_run_id,
            result=dict(result),
            usage=_usage(result["usage"]),
        )

    def _silent_answer(self, result: Mapping[str, Any]) -> Iterator[BaseEvent]:
        """A message without text, for an answer that was not shown, or was taken back.

        A client sends no activity back: without this message, its next request would not tell that the user
        has been answered, and a server without sessions would not know how.
        """
        message_id = f"{self._run_id}-answer"
        answer = {"structured" if result["structured_status"] == "ok" else "content": result["content"]}
        metadata = _ours(call=result["answer_call"], **answer)
        yield TextMessageStartEvent(message_id=message_id, role="assistant", metadata=metadata)
        yield TextMessageEndEvent(message_id=message_id)


def _ours(**told: object) -> dict[str, Any]:
    return {"finalturn": told}


def _usage(usage: Mapping[str, int]) -> list[TokenUsage] | None:
    """The tokens of the run, as the protocol counts them; ``None`` where a provider has not told them all."""
    if usage["unreported_calls"]:
        return None
    return [
        TokenUsage(
            input_tokens=usage["input_tokens"],
            output_tokens=usage["output_tokens"],
            total_tokens=usage["input_tokens"] + usage["output_tokens"],
            reasoning_tokens=usage["reasoning_tokens"],
            cached_input_tokens=usage["cached_tokens"],
        )
    ]
