"""How an answer ends, and what it comes to when it does not."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from finalturn._core.model import ModelEnd, ModelEvent, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn._core.result import Usage
from finalturn._providers.openai_responses.answer import ResponsesAnswer
from tests.providers._responses_wire import call, ended, events_of, message, reasoning, rec, take, whole

TEXT = "response.output_text.delta"
ADDED, DONE = "response.output_item.added", "response.output_item.done"
TOKENS = Usage(7, 0, 3, 0, 10)


class TestEnd:
    def test_the_record_that_ends_it_is_the_last(self) -> None:
        for kind in ("completed", "incomplete"):
            answer = take(ended(status=kind))[1]
            assert answer.ending.marked
        assert not take(rec(TEXT, delta="a"))[1].ending.marked

    @pytest.mark.parametrize(
        ("details", "reason"),
        [
            ({"reason": "max_output_tokens"}, "length"),
            ({"reason": "content_filter"}, "refusal"),
            ({"reason": "new"}, "length"),
            ({}, "length"),
            (None, "length"),
            ("max_output_tokens", "length"),
        ],
    )
    def test_an_answer_that_is_not_complete_was_cut_or_refused(self, details: object, reason: str) -> None:
        record = ended(message("a"), status="incomplete", incomplete_details=details)
        assert events_of(record)[-1] == ModelEnd(reason, TOKENS)  # type: ignore[arg-type]

    def test_its_own_status_wins_over_the_record_s(self) -> None:
        record = rec("response.completed", response=whole(status="incomplete"))
        assert events_of(record) == [ModelEnd("length", TOKENS)]
        assert events_of(rec("response.completed", response=whole(status="in_progress")))[-1] == ModelEnd(
            "stop", TOKENS
        )

    def test_the_record_may_be_bare(self) -> None:
        assert events_of(rec(TEXT, delta="a"), rec("response.completed")) == [
            TextDelta("a"),
            ModelEnd("stop"),
        ]

    def test_without_one_every_item_must_be_complete(self) -> None:
        assert events_of(rec(TEXT, delta="a"), rec(DONE, item=message("a"))) == [
            TextDelta("a"),
            ModelEnd("stop"),
        ]
        for records in (
            [],
            [rec(TEXT, delta="a")],
            [rec(DONE, item=message("a")), rec(ADDED, item=call("f", ""))],
        ):
            answer = take(*records)[1]
            assert answer.end() == []
            assert answer.failure is not None
            assert answer.failure.retryable


class TestFailures:
    def test_a_failed_answer_says_why_and_what_it_has_used(self) -> None:
        error = {"code": "server_error", "message": "x"}
        failure = take(ended(status="failed", error=error))[1].failure
        assert failure is not None
        assert (failure.code, failure.detail, failure.retryable) == ("server_error", "x", True)
        assert failure.usage == TOKENS

    @pytest.mark.parametrize(("status", "retryable"), [("failed", True), ("cancelled", False)])
    def test_or_does_not(self, status: str, retryable: bool) -> None:
        failure = take(rec(TEXT, delta="a"), ended(status=status))[1].failure
        assert failure is not None
        assert failure.retryable is retryable

    @pytest.mark.parametrize(
        "record",
        [
            {"type": "error", "code": "overloaded", "message": "x", "param": None, "sequence_number": 3},
            {"type": "error", "error": {"type": "server_error", "code": "overloaded", "message": "x"}},
            {"error": {"code": "overloaded", "message": "x"}},
        ],
    )
    def test_an_error_record_is_one(self, record: dict[str, Any]) -> None:
        failure = take(record)[1].failure
        assert failure is not None
        assert (failure.code, failure.detail) == ("overloaded", "x")

    def test_the_first_one_counts(self) -> None:
        failure = take({"error": "first"}, {"error": "second"})[1].failure
        assert failure is not None
        assert failure.detail == "first"


class TestDocuments:
    def take(self, record: dict[str, Any]) -> tuple[list[ModelEvent], ResponsesAnswer]:
        answer = ResponsesAnswer("origin", None)
        events: list[ModelEvent] = []
        answer.take_document(record, events)
        return events, answer

    def test_one_is_read_whole(self) -> None:
        events, answer = self.take(whole(reasoning("hm"), message("a"), call("f", "{}", "x")))
        assert [*events, *answer.end()] == [
            ReasoningDelta("hm"),
            TextDelta("a"),
            ToolCallDelta(0, "x", "f", "{}"),
            ModelEnd("tool_calls", TOKENS),
        ]

    def test_one_that_was_cut(self) -> None:
        events, answer = self.take(whole(message("a"), status="incomplete"))
        assert [*events, *answer.end()] == [TextDelta("a"), ModelEnd("length", TOKENS)]

    def test_one_may_lack_its_status(self) -> None:
        events, answer = self.take({"output": [message("a")]})
        assert [*events, *answer.end()] == [TextDelta("a"), ModelEnd("stop")]

    @pytest.mark.parametrize(
        ("record", "detail"),
        [
            ({"error": {"message": "x"}}, "x"),
            ({"error": "x"}, "x"),
            ({"object": "error", "message": "x"}, "x"),
            ({"type": "error", "error": {"message": "x"}}, "x"),
            (whole(status="failed", error={"code": "c", "message": "x"}), "x"),
            (whole(status="failed"), None),
            (whole(status="cancelled"), None),
            (whole(status="queued"), None),
            (whole(status="in_progress"), None),
            ({"id": 1}, None),
            ({"output": None}, None),
        ],
    )
    def test_one_without_an_answer_fails(self, record: dict[str, Any], detail: str | None) -> None:
        events, answer = self.take(record)
        assert events == []
        assert answer.failure is not None
        assert answer.failure.detail == detail


class TestUnknown:
    @pytest.mark.parametrize("record", [{"type": "response.new.delta", "delta": "sk-SENTINEL"}, {"id": 1}])
    def test_a_record_is_skipped_with_a_note_that_quotes_nothing(
        self, record: dict[str, Any], caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        assert take(record)[0] == []
        assert len(caplog.records) == 1
        assert "SENTINEL" not in caplog.text

    def test_one_that_is_known_to_say_nothing_needs_no_note(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.DEBUG)
        assert take(rec("response.created", response={}), rec("response.output_text.done", text="a"))[0] == []
        assert caplog.records == []
