"""Parts of the AI SDK's UI message stream back to what a turn showed. A part out of place is an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from finalturn._core.chunks import StreamEvent, presentation_of
from finalturn._serve.formats.items import (
    Activity,
    Content,
    Ended,
    Event,
    Item,
    Partial,
    Reasoning,
    RunFailed,
    RunStarted,
    ToolCalled,
    ToolDone,
)
from finalturn._serve.problems.failure import Failure
from tests.serve._inner import inner_item
from tests.serve.ai_sdk._schema import check_part

__all__ = ["Decoder", "decode"]


def decode(records: Sequence[Mapping[str, Any] | str]) -> list[Item]:
    """The items of a whole run.

    Args:
        records: its parts, in order, ``"[DONE]"`` included.

    Raises:
        AssertionError: one of them is not where it may be.
    """
    assert records and records[-1] == "[DONE]", "the stream does not end"
    decoder = Decoder()
    for record in records[:-1]:
        assert not isinstance(record, str), record
        check_part(record)
        decoder.take(record)
    assert decoder.finished, "the stream does not end"
    return decoder.items


class Decoder:
    def __init__(self) -> None:
        self.items: list[Item] = []
        self.finished = False
        self._in_step = False
        self._open: dict[str, int] = {}
        self._used: set[str] = set()
        self._tools: dict[str, ToolCalled] = {}
        self._object: dict[str, Any] | None = None
        self._retracted: str | None = None
        self._failure: Mapping[str, Any] | None = None
        self._indices: dict[str, int] = {}
        # The part that grows: its id, and its pieces.
        self._growing: tuple[str, list[Mapping[str, Any]]] | None = None

    def take(self, part: Mapping[str, Any]) -> None:
        kind = part["type"]
        assert self._growing is None or kind == "data-activity", "a part is left growing"
        assert not self.finished, f"{kind} after the end"
        assert (kind == "start") == (not self.items), f"{kind} after {len(self.items)} items"
        of_a_step = kind.partition("-")[0] in ("text", "reasoning", "tool")
        assert self._in_step or not of_a_step, f"{kind} outside of a step"
        if (event := kind.removeprefix("data-")) in set(StreamEvent):
            self._event(StreamEvent(event), part)
        else:
            getattr(self, "_" + kind.replace("-", "_"))(part)

    def _start(self, part: Mapping[str, Any]) -> None:
        told = part["messageMetadata"]
        assert part["messageId"] == told["run_id"]
        self.items.append(RunStarted(told["run_id"], told["session"]))

    def _start_step(self, part: Mapping[str, Any]) -> None:
        assert not self._in_step
        self._in_step = True

    def _finish_step(self, part: Mapping[str, Any]) -> None:
        assert self._in_step and not self._open
        self._in_step = False

    def _begin(self, part: Mapping[str, Any]) -> None:
        call = part["providerMetadata"]["finalturn"]["call"]
        assert part["id"] not in self._used and part["id"].endswith(f"-{call}")
        self._used.add(part["id"])
        self._open[part["id"]] = call

    def _text_start(self, part: Mapping[str, Any]) -> None:
        assert not self._open, "another part is open"
        self._begin(part)

    def _text_delta(self, part: Mapping[str, Any]) -> None:
        assert "-reasoning-" not in "".join(self._open) and part["delta"]
        self.items.append(Content(part["delta"], self._open[part["id"]]))

    def _text_end(self, part: Mapping[str, Any]) -> None:
        call = self._open.pop(part["id"])
        assert not self._open, "reasoning that is open"
        if "providerMetadata" in part:
            ours = part["providerMetadata"]["finalturn"]
            object_id = self._object_id()
            assert ours == {"call": call, "retracted": True, "replacedBy": object_id}
            self._retracted = part["id"]

    def _reasoning_start(self, part: Mapping[str, Any]) -> None:
        assert "-reasoning-" not in "".join(self._open)
        self._begin(part)

    def _reasoning_delta(self, part: Mapping[str, Any]) -> None:
        assert part["delta"]
        self.items.append(Reasoning(part["delta"], self._open[part["id"]]))

    def _reasoning_end(self, part: Mapping[str, Any]) -> None:
        del self._open[part["id"]]

    def _tool_input_available(self, part: Mapping[str, Any], error: str | None = None) -> None:
        assert not self._open and part["toolCallId"] not in self._used
        assert part["dynamic"] is True and part["providerExecuted"] is True
        self._used.add(part["toolCallId"])
        told = part["providerMetadata"]["finalturn"]
        given = {"name": part["toolName"], "arguments": part["input"], "id": told["id"], "error": error}
        called = ToolCalled(given, told["call"])
        self._indices[part["toolCallId"]] = sum(
            isinstance(item, ToolCalled) and item.call == told["call"] for item in self.items
        )
        self._tools[part["toolCallId"]] = called
        self.items.append(called)

    def _tool_input_error(self, part: Mapping[str, Any]) -> None:
        self._tool_input_available(part, part["errorText"])

    def _tool_output_available(self, part: Mapping[str, Any]) -> None:
        self._result(part, part["output"], None)

    def _tool_output_error(self, part: Mapping[str, Any]) -> None:
        self._result(part, part["errorText"], part["providerMetadata"]["finalturn"]["tool_failure"])

    def _result(self, part: Mapping[str, Any], text: str, failure: str | None) -> None:
        assert not self._open
        assert part["dynamic"] is True and part["providerExecuted"] is True
        called = self._tools.pop(part["toolCallId"])
        message = {
            "role": "tool",
            "content": text,
            "tool_name": called.tool_call["name"],
            "tool_call_id": called.tool_call["id"],
            "tool_result": text if failure is None else None,
            "tool_failure": failure,
        }
        self.items.append(ToolDone(message, called.call))

    def _event(self, event: StreamEvent, part: Mapping[str, Any]) -> None:
        assert part["transient"] is True and not self._open
        kind = presentation_of(event).kind
        announces_object = kind != "notice"
        assert part["data"].get("id") == (self._object_id() if announces_object else None)
        replaced = part["data"].get("textId")
        assert (replaced is not None) == (kind == "replace") and replaced in (None, self._retracted)
        self.items.append(Event(event, part["data"]["call"]))

    def _data_activity(self, part: Mapping[str, Any]) -> None:
        assert self._in_step and not self._open
        if "transient" not in part:
            assert self._growing is not None and self._growing[0] == part["id"], "it was not shown before"
            assert part["data"] == _whole(self._growing[1]), "what is kept is not what was shown"
            self._growing = None
            return
        if self._growing is None:
            assert part["id"] not in self._used
            self._used.add(part["id"])
            self._growing = part["id"], []
        assert self._growing[0] == part["id"], "another part grows"
        data = part["data"]
        self._growing[1].append(data)
        called = self._tools[data["toolCallId"]]
        assert data["tool"] == called.tool_call["name"]
        index = self._indices[data["toolCallId"]]
        own_id = called.tool_call["id"]
        self.items.append(Activity(data["tool"], own_id, index, inner_item(data["record"]), called.call))

    def _object_id(self) -> str:
        first = self.items[0]
        assert isinstance(first, RunStarted)
        return f"{first.run_id}-structured"

    def _data_structured(self, part: Mapping[str, Any]) -> None:
        assert part["id"] == self._object_id() and "transient" not in part
        data = part["data"]
        pending = data["status"] == "pending"
        assert pending == self._in_step, "it is pending while the turn goes on"
        if data.keys() > {"status"} and pending:
            assert data.keys() == {"status", "value", "call"} and self._object is not None
            self.items.append(Partial(data["value"], data["call"]))
        assert not pending or isinstance(self.items[-1], (Event, Partial))
        assert self._object is None or self._object["status"] == "pending", "the object is settled twice"
        self._object = part["data"]

    def _data_result(self, part: Mapping[str, Any]) -> None:
        assert part["transient"] is True and not self._in_step
        result = part["data"]
        object_ = self._object
        if result["structured_status"] == "ok":
            error = result["parsed_error"]
            told = {"value": result["parsed"]} if error is None else {"error": error}
            status = "ok" if error is None else "unavailable"
            assert object_ == {"status": status, **told, "call": result["answer_call"]}
        else:
            wanted = {"status": result["structured_status"], "error": result["structured_error"]}
            assert object_ in (None, wanted)
        self.items.append(Ended(result))

    def _message_metadata(self, part: Mapping[str, Any]) -> None:
        self._failure = part["messageMetadata"].get("error")
        assert (self._failure is None) == isinstance(self.items[-1], Ended)

    def _finish(self, part: Mapping[str, Any]) -> None:
        assert isinstance(self.items[-1], Ended)
        self.finished = True

    def _error(self, part: Mapping[str, Any]) -> None:
        told = self._failure
        assert told is not None and not self._in_step
        assert self._object is None or self._object["status"] == "error", "an object is left pending"
        self.items.append(RunFailed(Failure(told["code"], part["errorText"], told["retryable"])))
        self.finished = True


def _whole(pieces: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """What a part holds that grew by these pieces: the first, with all their text."""
    first = pieces[0]
    if len(pieces) == 1:
        return first
    texts = [_text_in(piece["record"]) for piece in pieces]
    return {**first, "record": _with_text(first["record"], "".join(texts))}


def _text_in(record: Mapping[str, Any]) -> str:
    while record["type"] == "activity":
        record = record["activity"]
    text: str = record["content"] if record["type"] == "chunk" else record["reasoning"]
    return text


def _with_text(record: Mapping[str, Any], text: str) -> Mapping[str, Any]:
    if record["type"] == "activity":
        return {**record, "activity": _with_text(record["activity"], text)}
    return {**record, "content" if record["type"] == "chunk" else "reasoning": text}
