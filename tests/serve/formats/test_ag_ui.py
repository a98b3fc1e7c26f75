"""What an AG-UI client is sent."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from ag_ui.core import Event as AgUiEvent
from ag_ui_validate import create_validator
from hypothesis import given
from pydantic import TypeAdapter

from finalturn._serve.formats.ag_ui import AgUi
from finalturn._serve.formats.items import Content, Event, Item, Partial, Reasoning, RunFailed, RunStarted
from finalturn._serve.problems.failure import OVERLOADED
from tests._notice import show_as_notice
from tests.serve._front_end_items import REUSE, RUN, SYNTHESIS, called, done, ended, turns
from tests.serve.ag_ui._decode import decode

EVENTS: TypeAdapter[Any] = TypeAdapter(AgUiEvent)
STARTED = RunStarted(RUN, "s1")


def records_of(*items: Item) -> list[dict[str, Any]]:
    projection = AgUi(RUN, thread_id="t1", client_run_id="r1")
    records = [record for item in items for record in projection.records(item)]
    # What a client gets, and what the records must not change by on their way.
    assert json.loads(json.dumps(records)) == records
    return cast("list[dict[str, Any]]", records)


def kinds(records: list[dict[str, Any]]) -> list[str]:
    return [record["type"] for record in records]


def only(records: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    (found,) = [record for record in records if record["type"] == kind]
    return found


@given(turns())
def test_nothing_of_a_turn_is_lost(items: list[Item]) -> None:
    assert decode(records_of(*items)) == items


@given(turns())
def test_each_event_is_one_of_the_protocol(items: list[Item]) -> None:
    for record in records_of(*items):
        # The protocol's own model has no field that it would drop, or fill with null.
        event = EVENTS.validate_python(record, extra="forbid")
        assert event.model_dump(mode="json", by_alias=True) == record


@given(turns())
def test_the_validator_finds_nothing(items: list[Item]) -> None:
    validator = create_validator()
    for record in records_of(*items):
        validator.feed(record)
    validator.finalize()
    report = validator.report()
    assert report.internal_errors == []
    assert [one.message for one in report.diagnostics if one.severity != "info"] == []


def test_a_plain_answer() -> None:
    records = records_of(STARTED, Content("He", 0), Content("llo", 0), ended(None))
    assert records[:-1] == [
        {
            "type": "RUN_STARTED",
            "threadId": "t1",
            "runId": "r1",
            "protocolVersion": "1.0",
            "metadata": {"finalturn": {"run_id": RUN, "session": "s1"}},
        },
        {
            "type": "TEXT_MESSAGE_START",
            "messageId": f"{RUN}-0",
            "role": "assistant",
            "metadata": {"finalturn": {"call": 0}},
        },
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": f"{RUN}-0", "delta": "He"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": f"{RUN}-0", "delta": "llo"},
        {"type": "TEXT_MESSAGE_END", "messageId": f"{RUN}-0"},
    ]
    assert records[-1]["type"] == "RUN_FINISHED"
    assert (records[-1]["threadId"], records[-1]["runId"]) == ("t1", "r1")
    assert records[-1]["result"] == ended(None).result


def test_the_result_keeps_its_nulls_and_the_events_have_none() -> None:
    finished = records_of(STARTED, Content("x", 0), ended("ok"))[-1]
    assert finished["result"]["parsed"] == {"a": None}
    assert None not in finished.values()


def test_usage_in_the_terms_of_the_protocol() -> None:
    finished = records_of(STARTED, ended())[-1]
    assert finished["usage"] == [
        {
            "inputTokens": 3,
            "cachedInputTokens": 1,
            "outputTokens": 2,
            "reasoningTokens": 1,
            "totalTokens": 5,
        }
    ]


def test_usage_that_is_not_complete_is_left_out() -> None:
    usage = {**ended().result["usage"], "unreported_calls": 1}
    assert "usage" not in records_of(STARTED, ended(usage=usage))[-1]


def test_reasoning_ends_when_text_goes_on() -> None:
    records = records_of(
        STARTED, Reasoning("hm", 0), Content("a", 0), Reasoning("so", 0), Content("b", 0), ended()
    )
    assert kinds(records)[1:-3] == [
        *["REASONING_START", "REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT"],
        *["REASONING_MESSAGE_END", "REASONING_END", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT"],
        *["REASONING_START", "REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT"],
        *["REASONING_MESSAGE_END", "REASONING_END", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"],
    ]


def test_the_calls_of_a_response_are_of_one_message_and_results_find_their_calls() -> None:
    first, second = called(own_id=None), called(own_id=None)
    records = records_of(
        STARTED, Content("Wait", 0), first, second, done(first, "1"), done(second, "2"), ended()
    )
    starts = [one for one in records if one["type"] == "TOOL_CALL_START"]
    results = [one for one in records if one["type"] == "TOOL_CALL_RESULT"]
    assert [one["parentMessageId"] for one in starts] == [f"{RUN}-0"] * 2
    assert [one["toolCallId"] for one in results] == [one["toolCallId"] for one in starts]
    assert len({one["toolCallId"] for one in starts}) == 2
    assert kinds(records).index("TEXT_MESSAGE_END") < kinds(records).index("TOOL_CALL_START")


def test_a_failed_tool_is_told_in_words_and_in_kind() -> None:
    call = called()
    records = records_of(STARTED, call, done(call, "the tool took too long", "timeout"), ended())
    result = only(records, "TOOL_CALL_RESULT")
    assert result["content"] == "Error: the tool took too long"
    # Some clients take a result with a role for a success.
    assert "role" not in result
    assert result["metadata"] == {"finalturn": {"call": 0, "tool_failure": "timeout"}}


def test_synthesis_names_the_bubble_and_ends_in_an_activity() -> None:
    records = records_of(STARTED, Content("prose", 0), Event(SYNTHESIS, 1), ended(answer_call=1))
    custom, structured = [one for one in records if one["type"] == "CUSTOM"]
    assert custom == {
        "type": "CUSTOM",
        "name": "structured_synthesis_start",
        "value": {"call": 1, "messageId": f"{RUN}-0"},
    }
    assert kinds(records).index("TEXT_MESSAGE_END") < records.index(custom)
    value = {"status": "ok", "value": {"a": None}, "call": 1}
    assert records[-3] == {
        "type": "ACTIVITY_SNAPSHOT",
        "messageId": f"{RUN}-structured",
        "activityType": "structured",
        "content": value,
        "replace": True,
    }
    # For clients that show no activities.
    assert records[-2] == structured == {"type": "CUSTOM", "name": "structured", "value": value}


def test_an_object_that_grows_is_the_activity_that_the_whole_one_replaces() -> None:
    growing = [Partial({"a": "x"}, 1), Partial({"a": "xy"}, 2)]
    records = records_of(STARTED, Event(SYNTHESIS, 1), *growing, ended(answer_call=2))
    activities = [one for one in records if one["type"] == "ACTIVITY_SNAPSHOT"]
    assert {(one["messageId"], one["replace"]) for one in activities} == {(f"{RUN}-structured", True)}
    assert [(one["activityType"], one["content"]) for one in activities] == [
        ("structured_partial", {"status": "partial", "value": {"a": "x"}, "call": 1}),
        ("structured_partial", {"status": "partial", "value": {"a": "xy"}, "call": 2}),
        ("structured", {"status": "ok", "value": {"a": None}, "call": 2}),
    ]


@pytest.mark.parametrize(
    ("end", "content"),
    [
        (ended("validation_failed"), {"status": "validation_failed", "error": "it is too long"}),
        (ended("ok", parsed=None, parsed_error="why"), {"status": "unavailable", "error": "why"}),
        (RunFailed(OVERLOADED), {"status": "error"}),
    ],
    ids=["no object", "an object that cannot be sent", "a failure"],
)
def test_an_object_that_grew_for_nothing_does_not_stay(end: Item, content: dict[str, Any]) -> None:
    records = records_of(STARTED, Event(SYNTHESIS, 1), Partial({"a": "x"}, 1), end)
    *_, last = [one for one in records if one["type"] == "ACTIVITY_SNAPSHOT"]
    assert (last["activityType"], last["content"]) == ("structured_partial", content)


@pytest.mark.parametrize("between", [[], [Reasoning("hm", 1)]], ids=["at once", "after reasoning"])
def test_reuse_marks_the_bubble_that_was_the_object(between: list[Item]) -> None:
    call = called(arguments={"order": "A1"})
    records = records_of(
        STARTED,
        Content("Wait", 0),
        call,
        done(call),
        Content('{"a": 1}', 1),
        *between,
        Event(REUSE, 1),
        ended(answer_call=1),
    )
    end, reuse = records[-5:-3]
    assert end == {
        "type": "TEXT_MESSAGE_END",
        "messageId": f"{RUN}-1",
        "metadata": {"finalturn": {"call": 1, "retracted": True}},
    }
    assert reuse["value"] == {"call": 1, "messageId": f"{RUN}-1"}
    # The text is the client's to take away: one that does not show the object has nothing else to show.
    assert kinds(records)[-3:] == ["ACTIVITY_SNAPSHOT", "CUSTOM", "RUN_FINISHED"]
    assert sum("retracted" in str(one) for one in records) == 1


def test_an_answer_without_a_text_leaves_a_message() -> None:
    records = records_of(STARTED, ended("ok"))
    assert records[-5:-3] == [
        {
            "type": "TEXT_MESSAGE_START",
            "messageId": f"{RUN}-answer",
            "role": "assistant",
            "metadata": {"finalturn": {"call": 0, "structured": '{"a": null}'}},
        },
        {"type": "TEXT_MESSAGE_END", "messageId": f"{RUN}-answer"},
    ]


def test_text_that_was_not_shown_is_a_message_at_the_end() -> None:
    records = records_of(STARTED, ended("skipped"))
    assert records[-4]["metadata"] == {"finalturn": {"call": None}}
    assert records[-3] == {"type": "TEXT_MESSAGE_CONTENT", "messageId": f"{RUN}-answer", "delta": "prose"}
    assert "TEXT_MESSAGE_CONTENT" not in kinds(records_of(STARTED, ended("skipped", content="")))


def test_a_tool_that_ends_the_turn_leaves_a_message() -> None:
    call = called()
    records = records_of(STARTED, Content("Wait", 0), call, done(call), ended("not_attempted"))
    assert [one["messageId"] for one in records if one["type"] == "TEXT_MESSAGE_START"] == [
        f"{RUN}-0",
        f"{RUN}-answer",
    ]


def test_a_failure_closes_what_is_open_and_is_the_end() -> None:
    records = records_of(STARTED, Content("a", 0), Reasoning("hm", 0), RunFailed(OVERLOADED))
    assert kinds(records)[-4:] == ["REASONING_MESSAGE_END", "REASONING_END", "TEXT_MESSAGE_END", "RUN_ERROR"]
    assert records[-1] == {
        "type": "RUN_ERROR",
        "message": OVERLOADED.message,
        "code": "overloaded",
        "metadata": {"finalturn": {"retryable": True}},
    }


def test_a_text_that_begins_again_is_another_message() -> None:
    # No turn shows this; the stream is in order all the same.
    call = called()
    items: list[Item] = [
        STARTED,
        Content("a", 0),
        Content("b", 1),
        Content("c", 0),
        call,
        done(call),
        Content("d", 0),
    ]
    records = records_of(*items, Event(REUSE, 0), ended())
    assert decode(records) == [*items, Event(REUSE, 0), ended()]


def test_an_object_that_cannot_be_sent_is_no_activity() -> None:
    records = records_of(STARTED, ended("ok", parsed=None, parsed_error="why"))
    assert "ACTIVITY_SNAPSHOT" not in kinds(records)
    assert records[-1]["result"]["parsed_error"] == "why"


def test_a_notice_does_not_mark_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    event = show_as_notice(monkeypatch, "finalturn._serve.formats.ag_ui")
    records = records_of(STARTED, Content("a", 0), Event(event, 0), ended(None))
    assert "metadata" not in only(records, "TEXT_MESSAGE_END")
    assert only(records, "CUSTOM")["name"] == event
