"""The records of a generateContent answer, as events."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from finalturn._core.model import ModelEnd, ModelEvent, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn._core.result import Usage
from finalturn._providers.gemini.answer import GeminiAnswer
from tests.providers._gemini_wire import KEY, call, record, text, thought, tokens


def take(*records: dict[str, Any]) -> tuple[list[ModelEvent], GeminiAnswer]:
    answer = GeminiAnswer(KEY)
    events: list[ModelEvent] = []
    for found in records:
        answer.take(found, events)
    return events, answer


def calls(*records: dict[str, Any]) -> list[ModelEvent]:
    """The calls that records come to."""
    return take(*records)[1].end()[:-1]


class TestParts:
    def test_text_and_thoughts_come_in_their_order(self) -> None:
        events, _ = take(record(thought("hm"), text("a"), thought("so"), text("b")))
        assert events == [ReasoningDelta("hm"), TextDelta("a"), ReasoningDelta("so"), TextDelta("b")]

    @pytest.mark.parametrize(
        "part",
        [
            None,
            [],
            "a",
            {},
            {"text": ""},
            {"text": 7},
            {"text": "", "thoughtSignature": "s"},
            {"thoughtSignature": "s"},
            {"inlineData": {"mimeType": "image/png", "data": "AA=="}},
            {"executableCode": {"code": "1"}},
        ],
    )
    def test_anything_else_is_nothing(self, part: Any) -> None:
        events, answer = take(record(part))
        assert (events, answer.failure) == ([], None)

    def test_a_signature_does_not_make_text_a_thought(self) -> None:
        assert take(record(text("a", thoughtSignature="s")))[0] == [TextDelta("a")]

    def test_calls_come_at_the_end(self) -> None:
        records = record(call("f", {"x": 1}), text("a"), call("f", {"x": 1})), record(call("f"))
        assert take(*records)[0] == [TextDelta("a")]
        assert calls(*records) == [
            ToolCallDelta(0, None, "f", '{"x":1}'),
            ToolCallDelta(1, None, "f", '{"x":1}'),
            ToolCallDelta(2, None, "f", "{}"),
        ]

    def test_a_signature_stays_with_its_call(self) -> None:
        assert calls(record(call("f", {}, signature="s"), call("g", {}))) == [
            ToolCallDelta(0, None, "f", "{}", {"gemini": {"thoughtSignature": "s"}}),
            ToolCallDelta(1, None, "g", "{}"),
        ]

    @pytest.mark.parametrize("broken", [None, [], 7, {}])
    def test_a_call_that_names_nothing_is_still_one(self, broken: Any) -> None:
        assert calls(record({"functionCall": broken})) == [ToolCallDelta(0, None, "", "{}")]

    def test_one_that_was_to_continue_where_the_answer_is_cut_does_not_run(self) -> None:
        half = call("f", partialArgs=[{"jsonPath": "$.x", "numberValue": 1}], willContinue=True)
        assert calls(record(half, finish="STOP")) == [ToolCallDelta(0, None, "f", '{"x":1}')]
        assert calls(record(half, finish="MAX_TOKENS")) == [ToolCallDelta(0, None, "f", '{"x":1')]


class TestCandidates:
    @pytest.mark.parametrize("candidates", [None, [], {}, "x", [None], [[]], [{}], [7], [{"index": 1}]])
    def test_one_that_is_none_is_nothing(self, candidates: Any) -> None:
        events, answer = take({"candidates": candidates})
        assert (events, answer.ending.marked, answer.failure) == ([], False, None)

    @pytest.mark.parametrize("content", [None, [], {}, {"parts": None}, {"parts": {}}, {"role": "model"}])
    def test_so_is_content_without_parts(self, content: Any) -> None:
        events, answer = take({"candidates": [{"content": content, "finishReason": "MAX_TOKENS"}]})
        assert (events, answer.reason) == ([], "length")

    def test_only_the_first_counts(self) -> None:
        other = {"content": {"parts": [{"text": "never"}]}, "finishReason": "SAFETY"}
        found = record(text("a"))["candidates"][0]
        assert take({"candidates": [{**other, "index": 1}, found]})[0] == [TextDelta("a")]
        events, answer = take({"candidates": [{**found, "index": 0}, other]})
        assert (events, answer.reason) == ([TextDelta("a")], None)


class TestEnd:
    def test_the_reason_ends_it(self) -> None:
        _, answer = take(record(text("a"), finish="STOP", usage=tokens(1, 2)))
        assert answer.ending.marked
        assert not answer.ending.closed
        assert answer.end() == [ModelEnd("stop", Usage(1, 0, 2, 0, 3))]

    def test_what_cuts_is_not_hidden_by_what_follows(self) -> None:
        assert take(record(finish="MAX_TOKENS"), record(finish="STOP"))[1].reason == "length"
        assert take(record(finish="STOP"), record(finish="SAFETY"))[1].reason == "refusal"

    @pytest.mark.parametrize("finish", ["", 7, None, {}])
    def test_no_reason_is_not_one(self, finish: Any) -> None:
        assert not take({"candidates": [{"finishReason": finish}]})[1].ending.marked

    def test_a_prompt_that_is_blocked_is_refused(self) -> None:
        events, answer = take({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": tokens(4, 0)})
        assert events == []
        assert answer.end() == [ModelEnd("refusal", Usage(4, 0, 0, 0, 4))]

    def test_one_that_is_only_rated_is_not(self) -> None:
        assert not take({"promptFeedback": {"safetyRatings": []}, **record(text("a"))})[1].ending.marked

    @pytest.mark.parametrize("reason", ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"])
    def test_a_call_that_went_wrong_may_go_right_the_next_time(self, reason: str) -> None:
        found = record(text("a"), call("f"), finish=reason, finishMessage=f"print({KEY})", usage=tokens(1, 2))
        events, answer = take(found)
        assert events == [TextDelta("a")]
        failure = answer.failure
        assert failure is not None
        assert (failure.code, failure.retryable, failure.detail) == (reason, True, "print([key])")
        assert failure.usage == Usage(1, 0, 2, 0, 3)
        assert "print" not in str(failure)


class TestUsage:
    def test_it_is_a_running_total(self) -> None:
        _, answer = take(
            record(text("a"), usage=tokens(169, 0)),
            record(text("b"), usage=tokens(79, 12, thoughtsTokenCount=3, totalTokenCount=94)),
            record(finish="STOP", usage={"trafficType": "ON_DEMAND"}),
        )
        assert answer.end() == [ModelEnd("stop", Usage(79, 0, 15, 3, 94))]


class TestErrors:
    def test_what_stands_before_it_is_given(self) -> None:
        said = {"error": {"code": 503, "message": f"overloaded {KEY}", "status": "UNAVAILABLE"}}
        events, answer = take(record(text("par")), said, {"error": "second"})
        assert events == [TextDelta("par")]
        failure = answer.failure
        assert failure is not None
        assert (failure.status, failure.code, failure.retryable) == (503, "UNAVAILABLE", True)
        assert failure.detail == "overloaded [key]"


class TestDocuments:
    def whole(self, found: dict[str, Any]) -> GeminiAnswer:
        answer = GeminiAnswer(None)
        answer.take_document(found, [])
        return answer

    def test_one_without_a_reason_is_complete(self) -> None:
        answer = self.whole(record(text("a")))
        assert (answer.failure, answer.end()) == (None, [ModelEnd("stop")])

    def test_one_that_is_blocked_is_complete(self) -> None:
        assert self.whole({"promptFeedback": {"blockReason": "OTHER"}}).failure is None

    @pytest.mark.parametrize("found", [{}, {"candidates": []}, {"usageMetadata": tokens(1, 0)}])
    def test_one_without_a_message_is_not(self, found: dict[str, Any]) -> None:
        failure = self.whole(found).failure
        assert failure is not None
        assert failure.retryable


def test_an_unknown_record_is_skipped_with_a_note_that_quotes_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    take({"kind": "ping", "secret": KEY}, record({"inlineData": {"data": KEY}}))
    assert len(caplog.records) == 2
    assert not any(KEY in found.getMessage() for found in caplog.records)
