"""What an AI SDK client is sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given

from finalturn._serve.formats.ai_sdk import AiSdk
from finalturn._serve.formats.items import (
    Content,
    Ended,
    Event,
    Item,
    Partial,
    Reasoning,
    RunFailed,
    RunStarted,
)
from finalturn._serve.problems.failure import OVERLOADED
from tests._notice import show_as_notice
from tests.serve._front_end_items import REUSE, RUN, SYNTHESIS, called, done, ended, turns
from tests.serve.ai_sdk._decode import decode

STARTED = RunStarted(RUN, "s1")
PENDING = {"type": "data-structured", "id": f"{RUN}-structured", "data": {"status": "pending"}}


def records_of(*items: Item) -> list[Any]:
    projection = AiSdk(RUN)
    records = [record for item in items for record in projection.records(item)]
    assert json.loads(json.dumps(records)) == records
    return records


def only(records: list[Any], kind: str) -> Mapping[str, Any]:
    (found,) = [record for record in records if record != "[DONE]" and record["type"] == kind]
    return dict(found)


@given(turns())
def test_nothing_of_a_turn_is_lost(items: list[Item]) -> None:
    assert decode(records_of(*items)) == items


def test_a_plain_answer() -> None:
    result = ended(None)
    assert records_of(STARTED, Content("He", 0), Content("llo", 0), result) == [
        {"type": "start", "messageId": RUN, "messageMetadata": {"run_id": RUN, "session": "s1"}},
        {"type": "start-step"},
        {
            "type": "text-start",
            "id": f"{RUN}-text-1-0",
            "providerMetadata": {"finalturn": {"call": 0}},
        },
        {"type": "text-delta", "id": f"{RUN}-text-1-0", "delta": "He"},
        {"type": "text-delta", "id": f"{RUN}-text-1-0", "delta": "llo"},
        {"type": "text-end", "id": f"{RUN}-text-1-0"},
        {"type": "finish-step"},
        {"type": "data-result", "data": result.result, "transient": True},
        {
            "type": "message-metadata",
            "messageMetadata": {
                "structured_status": None,
                "structured_error": None,
                "stop_reason": "completed",
                "limit": None,
                "usage": result.result["usage"],
                "model_calls": 1,
                "answer_call": None,
            },
        },
        {"type": "finish", "finishReason": "stop"},
        "[DONE]",
    ]


def test_a_step_for_each_model_call() -> None:
    call = called()
    records = records_of(STARTED, Content("a", 0), call, done(call), Content("b", 1), ended(None))
    kinds = [one["type"] for one in records[1:-4]]
    assert kinds == [
        *["start-step", "text-start", "text-delta", "text-end", "tool-input-available"],
        *["tool-output-available", "finish-step"],
        *["start-step", "text-start", "text-delta", "text-end", "finish-step"],
    ]


def test_a_tool_call_and_its_result() -> None:
    call = called(arguments={"order": "A1"}, own_id=None)
    records = records_of(STARTED, call, done(call), ended())
    flags = {"dynamic": True, "providerExecuted": True}
    assert only(records, "tool-input-available") == {
        "type": "tool-input-available",
        "toolCallId": f"{RUN}-0-tool-1",
        "toolName": "lookup",
        "input": {"order": "A1"},
        **flags,
        "providerMetadata": {"finalturn": {"call": 0, "id": None}},
    }
    assert only(records, "tool-output-available") == {
        "type": "tool-output-available",
        "toolCallId": f"{RUN}-0-tool-1",
        "output": "found",
        **flags,
    }


def test_a_malformed_call_and_a_failed_tool() -> None:
    call = called(error="the arguments were not valid")
    records = records_of(STARTED, call, done(call, "the arguments were not valid", "arguments"), ended())
    assert only(records, "tool-input-error")["errorText"] == "the arguments were not valid"
    failed = only(records, "tool-output-error")
    assert failed["errorText"] == "the arguments were not valid"
    assert failed["providerMetadata"] == {"finalturn": {"call": 0, "tool_failure": "arguments"}}


def test_synthesis_shows_a_pending_object_that_the_real_one_replaces() -> None:
    records = records_of(STARTED, Content("prose", 0), Event(SYNTHESIS, 1), ended(answer_call=1))
    first = records.index(PENDING)
    assert records[first - 1] == {
        "type": "data-structured_synthesis_start",
        "data": {"call": 1, "id": f"{RUN}-structured"},
        "transient": True,
    }
    assert records[first + 1 : first + 3] == [
        {"type": "finish-step"},
        {**PENDING, "data": {"status": "ok", "value": {"a": None}, "call": 1}},
    ]


def test_a_pending_object_holds_what_there_is_of_it() -> None:
    growing = [Partial({"a": "x"}, 1), Partial({"a": "xy"}, 2)]
    records = records_of(STARTED, Event(SYNTHESIS, 1), *growing, ended(answer_call=2))
    assert [one for one in records[:-1] if one["type"] == "data-structured"] == [
        PENDING,
        {**PENDING, "data": {"status": "pending", "value": {"a": "x"}, "call": 1}},
        {**PENDING, "data": {"status": "pending", "value": {"a": "xy"}, "call": 2}},
        {**PENDING, "data": {"status": "ok", "value": {"a": None}, "call": 2}},
    ]


@pytest.mark.parametrize("status", ["validation_failed", "skipped"])
def test_a_pending_object_never_stays(status: str) -> None:
    records = records_of(STARTED, Content("prose", 0), Event(SYNTHESIS, 1), ended(status))
    settled = [one for one in records[:-1] if one["type"] == "data-structured"][-1]
    assert settled["data"] == {"status": status, "error": ended(status).result["structured_error"]}


def test_an_object_that_cannot_be_sent_says_why_and_its_text_is_there() -> None:
    lost = ended("ok", parsed=None, parsed_error="why", text="")
    records = records_of(STARTED, Event(SYNTHESIS, 0), lost)
    settled = [one for one in records[:-1] if one["type"] == "data-structured"][-1]
    assert settled["data"] == {"status": "unavailable", "error": "why", "call": 0}
    assert only(records, "message-metadata")["messageMetadata"]["content"] == lost.result["content"]


def test_no_object_is_shown_where_none_was_announced() -> None:
    kinds = [one["type"] for one in records_of(STARTED, Content("x", 0), ended("skipped"))[:-1]]
    assert "data-structured" not in kinds


def test_reuse_marks_the_text() -> None:
    records = records_of(STARTED, Content("{}", 0), Event(REUSE, 0), ended())
    end = only(records, "text-end")
    assert end["providerMetadata"] == {
        "finalturn": {"call": 0, "retracted": True, "replacedBy": f"{RUN}-structured"}
    }
    event = only(records, "data-structured_reuse")
    assert event["data"] == {"call": 0, "id": f"{RUN}-structured", "textId": end["id"]}
    assert PENDING in records


def test_a_text_stays_open_while_the_model_thinks() -> None:
    records = records_of(
        STARTED, Reasoning("hm", 0), Content("a", 0), Reasoning("so", 0), Event(REUSE, 0), ended()
    )
    assert [one["type"] for one in records[2:11]] == [
        *["reasoning-start", "reasoning-delta", "reasoning-end", "text-start", "text-delta"],
        *["reasoning-start", "reasoning-delta", "reasoning-end", "text-end"],
    ]
    assert "providerMetadata" in only(records, "text-end")


def test_what_was_not_shown_is_in_the_metadata() -> None:
    metadata = only(records_of(STARTED, ended("skipped", text="")), "message-metadata")
    assert metadata["messageMetadata"]["content"] == "prose"


@pytest.mark.parametrize("end", [ended("ok", text=""), ended("skipped")], ids=["an object", "text"])
def test_what_was_shown_is_not(end: Ended) -> None:
    metadata = only(records_of(STARTED, end), "message-metadata")
    assert "content" not in metadata["messageMetadata"]


@pytest.mark.parametrize(
    ("stop", "reason"),
    [
        ("completed", "stop"),
        ("terminal_tool", "stop"),
        ("iteration_limit", "tool-calls"),
        ("truncated", "length"),
        ("refused", "content-filter"),
        ("limit_reached", "other"),
    ],
)
def test_why_it_ended(stop: str, reason: str) -> None:
    assert only(records_of(STARTED, ended(None, stop_reason=stop)), "finish")["finishReason"] == reason


def test_a_failure_closes_what_is_open_and_is_the_end() -> None:
    records = records_of(
        STARTED, Content("a", 0), Event(SYNTHESIS, 1), Reasoning("hm", 1), RunFailed(OVERLOADED)
    )
    assert records[-6:] == [
        {"type": "reasoning-end", "id": f"{RUN}-reasoning-2-1"},
        {"type": "finish-step"},
        {**PENDING, "data": {"status": "error"}},
        {
            "type": "message-metadata",
            "messageMetadata": {"error": {"code": "overloaded", "retryable": True}},
        },
        {"type": "error", "errorText": OVERLOADED.message},
        "[DONE]",
    ]


@pytest.mark.parametrize(
    ("said", "text", "found"),
    [
        (("Let me look.", "It is there."), "Let me look.", "It is there."),
        (("Let me look.", "It is there."), "Let me look.It is there.", None),
        (("It is",), "It is", None),
        ((), "Let me look.", None),
    ],
)
def test_the_last_answer_is_told_where_nothing_of_it_was_shown(
    said: tuple[str, ...], text: str, found: str | None
) -> None:
    messages = [{"role": "assistant", "content": one} for one in said]
    end = ended("skipped", text=text, content="It is, with a hidden block", messages=messages)
    metadata = only(records_of(STARTED, end), "message-metadata")
    assert metadata["messageMetadata"].get("content") == found


def test_a_notice_neither_marks_the_text_nor_announces_an_object(monkeypatch: pytest.MonkeyPatch) -> None:
    event = show_as_notice(monkeypatch, "finalturn._serve.formats.ai_sdk")
    records = records_of(STARTED, Content("a", 0), Event(event, 0), ended(None))
    assert only(records, "text-end") == {"type": "text-end", "id": f"{RUN}-text-1-0"}
    assert only(records, f"data-{event}")["data"] == {"call": 0}
    assert PENDING not in records
