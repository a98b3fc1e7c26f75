"""AG-UI events back to what a turn showed. It is strict: an event out of place is an error."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from finalturn._core.chunks import StreamEvent
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

__all__ = ["Decoder", "decode"]

CLOSING = (
    "TEXT_MESSAGE_CONTENT",
    "TEXT_MESSAGE_END",
    "ACTIVITY_SNAPSHOT",
    "CUSTOM",
    "RUN_FINISHED",
    "RUN_ERROR",
)


def decode(records: Sequence[Mapping[str, Any] | str]) -> list[Item]:
    """The items of a whole run.

    Args:
        records: its events, in order.

    Raises:
        AssertionError: one of them is not where it may be.
    """
    decoder = Decoder()
    for record in records:
        assert not isinstance(record, str), record
        decoder.take(record)
    assert decoder.items and isinstance(decoder.items[-1], (Ended, RunFailed)), "the run does not end"
    return decoder.items


class Decoder:
    def __init__(self) -> None:
        self.items: list[Item] = []
        self._texts: dict[str, int] = {}
        self._open_text: str | None = None
        self._reasoning: list[str] = []
        self._reasoning_call = 0
        self._tool: ToolCalled | None = None
        self._arguments: str | None = None
        self._tools: dict[str, ToolCalled] = {}
        self._value: list[Any] = []
        self._activities: dict[str, str] = {}
        self._indices: dict[str, int] = {}
        self._closing = False
        self._partial = ""
        self._unseen: str | None = None
        self._previous: Mapping[str, Any] = {}

    def take(self, record: Mapping[str, Any]) -> None:
        kind = record["type"]
        ended = self.items and isinstance(self.items[-1], (Ended, RunFailed))
        assert not ended, f"{kind} after the end"
        assert (kind == "RUN_STARTED") == (not self.items), f"{kind} as event {len(self.items)}"
        if self._closing:
            assert kind in CLOSING, f"{kind} near the end"
        retracted = self._previous.get("metadata", {}).get("finalturn", {}).get("retracted") is True
        assert not retracted or record["name"] == "structured_reuse", "a text is marked for no reason"
        getattr(self, f"_{kind.lower()}")(record)
        self._previous = record

    def _nothing_is_open(self) -> bool:
        return self._open_text is None and not self._reasoning and self._tool is None

    def _run_started(self, record: Mapping[str, Any]) -> None:
        told = record["metadata"]["finalturn"]
        self.items.append(RunStarted(told["run_id"], told["session"]))

    def _text_message_start(self, record: Mapping[str, Any]) -> None:
        assert self._nothing_is_open()
        assert record["role"] == "assistant"
        assert record["messageId"] not in self._texts, "a message that begins again"
        self._open_text = record["messageId"]
        self._texts[record["messageId"]] = record["metadata"]["finalturn"]["call"]
        self._closing = record["messageId"].endswith("-answer")

    def _text_message_content(self, record: Mapping[str, Any]) -> None:
        assert not self._reasoning and self._open_text == record["messageId"] and record["delta"]
        if self._closing:
            assert self._unseen is None
            self._unseen = record["delta"]
            return
        self.items.append(Content(record["delta"], self._texts[record["messageId"]]))

    def _text_message_end(self, record: Mapping[str, Any]) -> None:
        assert not self._reasoning and self._open_text == record["messageId"]
        silent = self._previous["type"] == "TEXT_MESSAGE_START"
        assert self._closing or not silent, "a text is empty only when it stands for what was not shown"
        self._open_text = None

    def _reasoning_start(self, record: Mapping[str, Any]) -> None:
        assert not self._reasoning
        self._reasoning = [record["messageId"]]

    def _reasoning_message_start(self, record: Mapping[str, Any]) -> None:
        assert self._reasoning == [record["messageId"]] and record["role"] == "reasoning"
        self._reasoning.append(record["messageId"])
        self._reasoning_call = record["metadata"]["finalturn"]["call"]

    def _reasoning_message_content(self, record: Mapping[str, Any]) -> None:
        assert self._reasoning == [record["messageId"]] * 2 and record["delta"]
        self.items.append(Reasoning(record["delta"], self._reasoning_call))

    def _reasoning_message_end(self, record: Mapping[str, Any]) -> None:
        assert self._reasoning.pop() == record["messageId"] and len(self._reasoning) == 1

    def _reasoning_end(self, record: Mapping[str, Any]) -> None:
        assert self._reasoning == [record["messageId"]]
        self._reasoning = []

    def _tool_call_start(self, record: Mapping[str, Any]) -> None:
        assert self._nothing_is_open() and record["toolCallId"] not in self._tools
        told = record["metadata"]["finalturn"]
        call: dict[str, Any] = {"name": record["toolCallName"], "id": told["id"], "error": told["error"]}
        self._indices[record["toolCallId"]] = sum(
            isinstance(item, ToolCalled) and item.call == told["call"] for item in self.items
        )
        self._tool = self._tools[record["toolCallId"]] = ToolCalled(call, told["call"])

    def _tool_call_args(self, record: Mapping[str, Any]) -> None:
        assert self._tools[record["toolCallId"]] is self._tool and self._arguments is None
        self._arguments = record["delta"]

    def _tool_call_end(self, record: Mapping[str, Any]) -> None:
        tool = self._tool
        assert self._tools[record["toolCallId"]] is tool and tool is not None and self._arguments is not None
        call = ToolCalled({**tool.tool_call, "arguments": json.loads(self._arguments)}, tool.call)
        self._tools[record["toolCallId"]] = call
        self._tool = self._arguments = None
        self.items.append(call)

    def _tool_call_result(self, record: Mapping[str, Any]) -> None:
        assert self._nothing_is_open() and record.get("role") in ("tool", None)
        called = self._tools.pop(record["toolCallId"])
        told = record["metadata"]["finalturn"]
        assert told["call"] == called.call
        failed = told["tool_failure"] is not None
        content = record["content"]
        assert failed == ("role" not in record)
        if failed:
            assert content.startswith("Error: ")
            content = content.removeprefix("Error: ")
        message = {
            "role": "tool",
            "content": content,
            "tool_name": called.tool_call["name"],
            "tool_call_id": called.tool_call["id"],
            "tool_result": None if failed else content,
            "tool_failure": told["tool_failure"],
        }
        self.items.append(ToolDone(message, called.call))

    def _custom(self, record: Mapping[str, Any]) -> None:
        assert self._nothing_is_open()
        if record["name"] == "structured":
            assert self._previous["type"] == "ACTIVITY_SNAPSHOT"
            assert record["value"] == self._previous["content"]
            return
        message_id = record["value"].get("messageId")
        assert message_id is None or message_id in self._texts
        self.items.append(Event(StreamEvent(record["name"]), record["value"]["call"]))

    def _nested(self, tool_call_id: str, inner: Mapping[str, Any]) -> None:
        called = self._tools[tool_call_id]
        name, own_id = called.tool_call["name"], called.tool_call["id"]
        self.items.append(Activity(name, own_id, self._indices[tool_call_id], inner_item(inner), called.call))

    def _activity_delta(self, record: Mapping[str, Any]) -> None:
        assert self._nothing_is_open() and record["activityType"] == "nested_agent"
        [patch] = record["patch"]
        assert (patch["op"], patch["path"]) == ("add", "/records/-")
        self._nested(self._activities[record["messageId"]], patch["value"])

    def _activity_snapshot(self, record: Mapping[str, Any]) -> None:
        assert self._nothing_is_open() and not self._value
        if record["activityType"] == "nested_agent":
            content = record["content"]
            assert record["messageId"] not in self._activities and record["replace"] is True
            assert content["tool"] == self._tools[content["toolCallId"]].tool_call["name"]
            self._activities[record["messageId"]] = content["toolCallId"]
            [inner] = content["records"]
            self._nested(content["toolCallId"], inner)
            return
        assert record["replace"] is True
        first = self.items[0]
        assert isinstance(first, RunStarted) and record["messageId"] == f"{first.run_id}-structured"
        if record["activityType"] == "structured_partial":
            self._partial_snapshot(**record["content"])
            return
        assert record["activityType"] == "structured"
        assert record["content"]["status"] == "ok"
        self._partial = "replaced"
        self._value = [record["content"]["value"]]
        self._closing = True

    def _partial_snapshot(self, status: str, **told: Any) -> None:
        if status == "partial":
            assert not self._closing
            self._partial = "shown"
            self.items.append(Partial(**told))
        else:
            assert self._partial == "shown"
            assert set(told) == (set() if status == "error" else {"error"})
            self._partial = status
            self._closing = True

    def _run_finished(self, record: Mapping[str, Any]) -> None:
        assert self._nothing_is_open()
        result = record["result"]
        assert self._unseen in (None, result["content"])
        # A value that cannot be sent is no activity: clients would look into it.
        told = result["structured_status"] == "ok" and result["parsed_error"] is None
        assert self._value == ([result["parsed"]] if told else [])
        status = "unavailable" if result["parsed_error"] else result["structured_status"]
        assert self._partial in ("", "replaced" if told else status), "an object is left partial"
        self.items.append(Ended(result))

    def _run_error(self, record: Mapping[str, Any]) -> None:
        assert self._nothing_is_open()
        assert self._partial in ("", "error"), "an object is left partial"
        retryable = record["metadata"]["finalturn"]["retryable"]
        self.items.append(RunFailed(Failure(record["code"], record["message"], retryable)))
