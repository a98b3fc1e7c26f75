"""Writes a turn as parts of the AI SDK's UI message stream.

That is version 1 of https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol. A client takes an unknown kind of part
for a failure of the whole stream. So what the format has no part for is in ``data-`` parts, and in the
metadata of parts and of the message.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, assert_never

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
    parsed_data,
)
from finalturn._serve.formats.native import native_record
from finalturn._serve.formats.tool_ids import ToolIds

__all__ = ["DONE", "HEADERS", "AiSdk"]

HEADERS = {"x-vercel-ai-ui-message-stream": "v1"}
DONE = "[DONE]"

_FINISH_REASONS = {
    "completed": "stop",
    "terminal_tool": "stop",
    "iteration_limit": "tool-calls",
    "truncated": "length",
    "refused": "content-filter",
    "limit_reached": "other",
}

_LIGHT = (
    "structured_status",
    "structured_error",
    "stop_reason",
    "limit",
    "usage",
    "model_calls",
    "answer_call",
)
"""What of a result stays with a message, and comes back with each later request."""


_GROWS = {"chunk": "content", "reasoning": "reasoning", "activity": "activity"}
"""The field of a native record that pieces are joined in, by the type of record."""


class AiSdk:
    """The projection of one run.

    Args:
        run_id: the id of the run; ids of parts start with it.
    """

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._tool_ids = ToolIds(run_id)
        self._step: int | None = None
        self._text: str | None = None
        self._reasoning: str | None = None
        self._parts = 0
        self._pending = False
        self._activity: dict[str, Any] | None = None

    @property
    def _object_id(self) -> str:
        return f"{self._run_id}-structured"

    def records(self, item: Item, /) -> Sequence[Record]:
        """The parts of the next item."""
        return list(self._records(item))

    def _records(self, item: Item) -> Iterator[Record]:
        if self._activity is not None and not isinstance(item, Activity):
            yield from self._keep_activity()
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
                yield self._object({"status": "pending", "value": value, "call": call})
            case Activity():
                yield from self._show_activity(item)
            case RunStarted(run_id, session):
                metadata = {"run_id": run_id, "session": session}
                yield {"type": "start", "messageId": run_id, "messageMetadata": metadata}
            case Ended(result):
                yield from self._end(result)
            case RunFailed(failure):
                yield from self._finish_step()
                if self._pending:
                    yield self._object({"status": "error"})
                error = {"code": failure.code, "retryable": failure.retryable}
                yield {"type": "message-metadata", "messageMetadata": {"error": error}}
                yield {"type": "error", "errorText": failure.message}
                yield DONE
            case _:
                assert_never(item)

    # Steps, texts and reasoning.

    def _enter(self, call: int) -> Iterator[Record]:
        if self._step != call:
            yield from self._finish_step()
            self._step = call
            yield {"type": "start-step"}

    def _finish_step(self) -> Iterator[Record]:
        yield from self._close()
        if self._step is not None:
            self._step = None
            yield {"type": "finish-step"}

    def _content(self, text: str, call: int) -> Iterator[Record]:
        yield from self._enter(call)
        yield from self._close_reasoning()
        if self._text is None:
            self._text = self._part_id("text", call)
            yield {"type": "text-start", "id": self._text, "providerMetadata": _own_metadata(call=call)}
        yield {"type": "text-delta", "id": self._text, "delta": text}

    def _show_reasoning(self, text: str, call: int) -> Iterator[Record]:
        yield from self._enter(call)
        if self._reasoning is None:
            self._reasoning = self._part_id("reasoning", call)
            yield {
                "type": "reasoning-start",
                "id": self._reasoning,
                "providerMetadata": _own_metadata(call=call),
            }
        yield {"type": "reasoning-delta", "id": self._reasoning, "delta": text}

    def _part_id(self, kind: str, call: int) -> str:
        self._parts += 1
        return f"{self._run_id}-{kind}-{self._parts}-{call}"

    def _close(self) -> Iterator[Record]:
        yield from self._close_reasoning()
        if self._text is not None:
            yield {"type": "text-end", "id": self._text}
            self._text = None

    def _close_reasoning(self) -> Iterator[Record]:
        if self._reasoning is not None:
            yield {"type": "reasoning-end", "id": self._reasoning}
            self._reasoning = None

    # Tools.

    def _call(self, tool_call: Mapping[str, Any], call: int) -> Iterator[Record]:
        yield from self._enter(call)
        yield from self._close()
        record: dict[str, Any] = {
            "type": "tool-input-available",
            "toolCallId": self._tool_ids.of_call(tool_call, call),
            "toolName": tool_call["name"],
            "input": tool_call["arguments"],
            # The client knows no tools, and runs none.
            "dynamic": True,
            "providerExecuted": True,
            "providerMetadata": _own_metadata(call=call, id=tool_call["id"]),
        }
        if tool_call["error"] is not None:
            record |= {"type": "tool-input-error", "errorText": tool_call["error"]}
        yield record

    def _result(self, message: Mapping[str, Any], call: int) -> Iterator[Record]:
        yield from self._enter(call)
        yield from self._close()
        record: dict[str, Any] = {
            "type": "tool-output-available",
            "toolCallId": self._tool_ids.of_result(message),
            "dynamic": True,
            "providerExecuted": True,
        }
        if message["tool_failure"] is None:
            yield record | {"output": message["content"]}
        else:
            metadata = _own_metadata(call=call, tool_failure=message["tool_failure"])
            failed = {"type": "tool-output-error", "errorText": message["content"]}
            yield record | failed | {"providerMetadata": metadata}

    # What agents show that run as tools. Neighbouring pieces of text are one part, which a message keeps once
    # it is whole. Each piece comes before as a part that no message keeps, to be shown at once.

    def _show_activity(self, item: Activity) -> Iterator[Record]:
        yield from self._enter(item.call)
        yield from self._close()
        tool_call_id = self._tool_ids.of_place(item.call, item.index)
        data = {"toolCallId": tool_call_id, "tool": item.tool, "record": native_record(item.item)}
        grown = None if self._activity is None else _joined(self._activity["data"], data)
        if grown is None:
            yield from self._keep_activity()
            part_id = self._part_id("activity", item.call)
            self._activity = {"type": "data-activity", "id": part_id, "data": data}
        else:
            assert self._activity is not None, "what has grown was there"
            self._activity["data"] = grown
        yield self._activity | {"data": data, "transient": True}

    def _keep_activity(self) -> Iterator[Record]:
        if self._activity is not None:
            yield self._activity
            self._activity = None

    # Events and the end.

    def _event(self, event: StreamEvent, call: int) -> Iterator[Record]:
        yield from self._enter(call)
        yield from self._close_reasoning()
        data: dict[str, Any] = {"call": call}
        kind = presentation_of(event).kind
        match kind:
            case "replace":
                data["id"] = self._object_id
                if self._text is not None:
                    data["textId"] = self._text
                    retracted = _own_metadata(call=call, retracted=True, replacedBy=self._object_id)
                    yield {"type": "text-end", "id": self._text, "providerMetadata": retracted}
                    self._text = None
            case "pending":
                data["id"] = self._object_id
            case "notice":
                pass
            case _:
                assert_never(kind)
        yield from self._close()
        yield {"type": f"data-{event}", "data": data, "transient": True}
        if kind != "notice":
            self._pending = True
            yield self._object({"status": "pending"})

    def _object(self, data: Mapping[str, Any]) -> Record:
        return {"type": "data-structured", "id": self._object_id, "data": data}

    def _end(self, result: Mapping[str, Any]) -> Iterator[Record]:
        yield from self._finish_step()
        status = result["structured_status"]
        if status == "ok":
            yield self._object(parsed_data(result))
        elif self._pending:
            yield self._object({"status": status, "error": result["structured_error"]})
        yield {"type": "data-result", "data": result, "transient": True}
        metadata = {name: result[name] for name in _LIGHT}
        if (status != "ok" or result["parsed_error"] is not None) and (unseen := _unseen(result)):
            # There is no object to send, and the last answer was not shown: what there is to read is here.
            metadata["content"] = unseen
        yield {"type": "message-metadata", "messageMetadata": metadata}
        yield {"type": "finish", "finishReason": _FINISH_REASONS[result["stop_reason"]]}
        yield DONE


def _unseen(result: Mapping[str, Any]) -> str:
    """The last answer, where nothing of it was shown."""
    if not result["text"]:
        return str(result["content"])
    texts = [str(message["content"]) for message in result["messages"] if message["role"] == "assistant"]
    return texts[-1] if texts and texts[-1] not in result["text"] else ""


def _joined(data: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any] | None:
    """Two pieces of one text as one; ``None`` where they are none."""
    record = _joined_records(data["record"], more["record"])
    if data["toolCallId"] != more["toolCallId"] or record is None:
        return None
    return {**data, "record": record}


def _joined_records(record: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any] | None:
    name = _GROWS.get(record["type"])
    apart = [key for key in record if key != name and record[key] != more.get(key)]
    if name is None or apart:
        return None
    if name == "activity":
        inner = _joined_records(record[name], more[name])
        return None if inner is None else {**record, name: inner}
    return {**record, name: record[name] + more[name]}


def _own_metadata(**fields: object) -> dict[str, Any]:
    return {"finalturn": fields}
