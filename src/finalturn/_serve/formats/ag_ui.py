"""Writes a turn as events of the AG-UI protocol 1.0 (https://docs.ag-ui.com).

Each START has its END before the last event, whatever a turn shows. What the protocol has no field for is in
the metadata of events, below ``"finalturn"``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, assert_never

from ag_ui.core import (
    ActivityDeltaEvent,
    ActivitySnapshotEvent,
    BaseEvent,
    CustomEvent,
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

from finalturn._core import json_text
from finalturn._core.chunks import StreamEvent, presentation_of
from finalturn._serve.formats.items import (
    Activity,
    Content,
    Ended,
    Event,
    Item,
    Partial,
    Reasoning,
    Record,
    RunFailed,
    RunStarted,
    ToolCalled,
    ToolDone,
)
from finalturn._serve.formats.native import native_record
from finalturn._serve.formats.tool_ids import ToolIds

__all__ = ["FAILED", "NESTED_AGENT", "PROTOCOL_VERSION", "AgUi"]

PROTOCOL_VERSION = "1.0"

NESTED_AGENT = "nested_agent"
"""The type of an activity that is what an agent shows that runs as a tool; its records are native ones."""

FAILED = "Error: "
"""What the text of a failed tool begins with."""


class AgUi:
    """The projection of one run.

    Args:
        run_id: the server's id of the run; ids of messages start with it.
        thread_id: the client's id of the conversation.
        client_run_id: the client's id of the run.
    """

    def __init__(self, run_id: str, *, thread_id: str, client_run_id: str) -> None:
        self._run_id = run_id
        self._thread_id = thread_id
        self._client_run_id = client_run_id
        self._tool_ids = ToolIds(run_id)
        self._text: tuple[str, int] | None = None
        self._reasoning: tuple[str, int] | None = None
        self._used: set[str] = set()
        # The last text, and its model call, for an event that names it.
        self._last: tuple[str, int] = ("", -1)
        # Whether the client holds a text that answers the user.
        self._answered = False
        # Whether it holds an object that is not whole.
        self._partial = False

    def records(self, item: Item, /) -> Sequence[Record]:
        """The events of the next item."""
        return [event.model_dump(mode="json", by_alias=True) for event in self._events(item)]

    def _events(self, item: Item) -> Iterator[BaseEvent]:
        match item:
            case Content(text, call):
                yield from self._content(text, call)
            case Reasoning(text, call):
                yield from self._show_reasoning(text, call)
            case ToolCalled(tool_call, call):
                yield from self._call(tool_call, call)
            case ToolDone(message, call):
                yield from self._result(message, call)
            case Event(event, call):
                yield from self._event(event, call)
            case Partial(value, call):
                yield from self._close_reasoning()
                self._partial = True
                yield self._object("structured_partial", {"status": "partial", "value": value, "call": call})
            case Activity():
                yield from self._activity(item)
            case RunStarted(run_id, session):
                yield RunStartedEvent(
                    thread_id=self._thread_id,
                    run_id=self._client_run_id,
                    protocol_version=PROTOCOL_VERSION,
                    metadata=_own_metadata(run_id=run_id, session=session),
                )
            case Ended(result):
                yield from self._end(result)
            case RunFailed(failure):
                yield from self._close()
                if self._partial:
                    yield self._object("structured_partial", {"status": "error"})
                yield RunErrorEvent(
                    message=failure.message,
                    code=failure.code,
                    metadata=_own_metadata(retryable=failure.retryable),
                )
            case _:
                assert_never(item)

    # Texts and reasoning.

    def _content(self, text: str, call: int) -> Iterator[BaseEvent]:
        yield from self._close_reasoning()
        if self._text is None or self._text[1] != call:
            yield from self._close_text()
            message_id = self._begin(call, "assistant")
            self._text = self._last = message_id, call
            self._answered = True
            yield TextMessageStartEvent(
                message_id=message_id, role="assistant", metadata=_own_metadata(call=call)
            )
        yield TextMessageContentEvent(message_id=self._text[0], delta=text)

    def _show_reasoning(self, text: str, call: int) -> Iterator[BaseEvent]:
        if self._reasoning is None or self._reasoning[1] != call:
            yield from self._close_reasoning()
            if self._text is not None and self._text[1] != call:
                yield from self._close_text()
            message_id = self._begin(call, "reasoning")
            self._reasoning = message_id, call
            yield ReasoningStartEvent(message_id=message_id)
            yield ReasoningMessageStartEvent(message_id=message_id, metadata=_own_metadata(call=call))
        yield ReasoningMessageContentEvent(message_id=self._reasoning[0], delta=text)

    def _begin(self, call: int, kind: str) -> str:
        message_id = self._text_id(call)
        if kind == "reasoning" or message_id in self._used:
            message_id = f"{message_id}-{kind}-{len(self._used)}"
        self._used.add(message_id)
        return message_id

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
        tool_call_id = self._tool_ids.of_call(tool_call, call)
        # The calls of one response are of one message, whether it has a text or not.
        parent = self._text_id(call)
        self._used.add(parent)
        arguments = json_text.encode(tool_call["arguments"]).decode()
        metadata = _own_metadata(call=call, id=tool_call["id"], error=tool_call["error"])
        self._answered = False
        yield ToolCallStartEvent(
            tool_call_id=tool_call_id,
            tool_call_name=tool_call["name"],
            parent_message_id=parent,
            metadata=metadata,
        )
        yield ToolCallArgsEvent(tool_call_id=tool_call_id, delta=arguments)
        yield ToolCallEndEvent(tool_call_id=tool_call_id)

    def _result(self, message: Mapping[str, Any], call: int) -> Iterator[BaseEvent]:
        yield from self._close()
        tool_call_id = self._tool_ids.of_result(message)
        failure = message["tool_failure"]
        yield ToolCallResultEvent(
            message_id=f"{tool_call_id}-result",
            tool_call_id=tool_call_id,
            # The protocol has no field for a failure: whoever shows the text must show that it is one, and
            # some clients take a result with a role for a success.
            content=message["content"] if failure is None else f"{FAILED}{message['content']}",
            role="tool" if failure is None else None,
            metadata=_own_metadata(call=call, tool_failure=failure),
        )

    def _activity(self, item: Activity) -> Iterator[BaseEvent]:
        yield from self._close()
        tool_call_id = self._tool_ids.of_place(item.call, item.index)
        message_id = f"{tool_call_id}-activity"
        record = native_record(item.item)
        if message_id in self._used:
            patch: list[Any] = [{"op": "add", "path": "/records/-", "value": record}]
            yield ActivityDeltaEvent(message_id=message_id, activity_type=NESTED_AGENT, patch=patch)
            return
        self._used.add(message_id)
        yield ActivitySnapshotEvent(
            message_id=message_id,
            activity_type=NESTED_AGENT,
            content={"tool": item.tool, "toolCallId": tool_call_id, "records": [record]},
            replace=True,
        )

    # Events and the end.

    def _event(self, event: StreamEvent, call: int) -> Iterator[BaseEvent]:
        yield from self._close_reasoning()
        names_last_text = self._answered
        kind = presentation_of(event).kind
        match kind:
            case "replace":
                if self._text is not None and self._text[1] == call:
                    # Marked, not taken away: a client that does not show the object has nothing else to show.
                    metadata = _own_metadata(call=call, retracted=True)
                    yield TextMessageEndEvent(message_id=self._text[0], metadata=metadata)
                    self._text = None
                # Where no text of this call was shown, the last text is not the one that was the answer.
                names_last_text = self._answered and self._last[1] == call
            case "pending" | "notice":
                pass
            case _:
                assert_never(kind)
        yield from self._close_text()
        value: dict[str, Any] = {"call": call}
        if names_last_text:
            value["messageId"] = self._last[0]
        yield CustomEvent(name=str(event), value=value)

    def _end(self, result: Mapping[str, Any]) -> Iterator[BaseEvent]:
        yield from self._close()
        if not self._answered:
            yield from self._silent_answer(result)
        if result["structured_status"] == "ok" and result["parsed_error"] is None:
            structured = {"status": "ok", "value": result["parsed"], "call": result["answer_call"]}
            yield self._object("structured", structured)
            # Some clients show custom events, and no activities.
            yield CustomEvent(name="structured", value=structured)
        elif self._partial:
            error = result["structured_error"] or result["parsed_error"]
            status = "unavailable" if result["parsed_error"] else result["structured_status"]
            yield self._object("structured_partial", {"status": status, "error": error})
        yield RunFinishedEvent(
            thread_id=self._thread_id,
            run_id=self._client_run_id,
            result=dict(result),
            usage=_usage(result["usage"]),
        )

    def _object(self, activity_type: str, content: dict[str, Any]) -> BaseEvent:
        """The one activity of the object, in the place of what it was before.

        What is not the whole object has a type of its own, so that no client takes it for the object.
        """
        return ActivitySnapshotEvent(
            message_id=f"{self._run_id}-structured",
            activity_type=activity_type,
            content=content,
            replace=True,
        )

    def _silent_answer(self, result: Mapping[str, Any]) -> Iterator[BaseEvent]:
        """A message for an answer of which no text was shown.

        Where the answer is the object, it has no text. A client sends no activity back: without this message,
        its next request would not tell that the user has been answered, and a server without sessions would
        not know how.
        """
        message_id = f"{self._run_id}-answer"
        is_object = result["structured_status"] == "ok"
        structured = {"structured": result["content"]} if is_object else {}
        metadata = _own_metadata(call=result["answer_call"], **structured)
        yield TextMessageStartEvent(message_id=message_id, role="assistant", metadata=metadata)
        if result["content"] and not is_object:
            yield TextMessageContentEvent(message_id=message_id, delta=result["content"])
        yield TextMessageEndEvent(message_id=message_id)


def _own_metadata(**fields: object) -> dict[str, Any]:
    return {"finalturn": fields}


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
