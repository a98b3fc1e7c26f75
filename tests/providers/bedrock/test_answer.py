"""The records of an answer, as events."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelEnd, ModelEvent, ReasoningDelta, TextDelta
from finalturn._core.result import Usage
from tests.providers._bedrock_wire import (
    START,
    answer,
    begin,
    call,
    finish,
    layout_of,
    metadata,
    piece,
    read,
    stop,
    text,
    thought,
)

SIGNED = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "sig"}}}
WHOLE: dict[str, Any] = {
    "output": {
        "message": {
            "role": "assistant",
            "content": [
                SIGNED,
                {"text": "Hi"},
                {"toolUse": {"toolUseId": "a", "name": "f", "input": {"x": 1}}},
                {"toolUse": {"toolUseId": "b", "name": "f", "input": {}}},
            ],
        }
    },
    "stopReason": "tool_use",
    "usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5},
}


def take_document(**fields: Any) -> tuple[list[ModelEvent], ProviderError | None]:
    found, events = answer(), list[ModelEvent]()
    found.take_document({**WHOLE, **fields}, events)
    return events + ([] if found.failure else found.end()), found.failure


class TestStreams:
    def test_text_and_thoughts_come_at_once_and_calls_at_the_end(self) -> None:
        got = read(
            START
            + thought(0, "h", "m")
            + call(1, "a", "f", "{}")
            + text(2, "Hi")
            + finish("tool_use")
            + metadata(inputTokens=3, outputTokens=2)
        )
        assert got.events[:3] == [ReasoningDelta("h"), ReasoningDelta("m"), TextDelta("Hi")]
        assert got.events[-1] == ModelEnd("tool_calls", Usage(3, 0, 2, 0, 5))
        assert [made.id for made in got.calls] == ["a"]

    def test_signed_thoughts_are_kept_with_the_first_call(self) -> None:
        got = read(
            thought(0, "h", "m") + text(1, "Hi") + call(2, "a", "f") + call(3, "b", "f") + finish("tool_use")
        )
        assert layout_of(got) == [SIGNED, 2, None, None]
        assert got.calls[1].provider_data is None

    def test_those_without_a_signature_are_not(self) -> None:
        got = read(thought(0, "hm", signature="") + call(1, "a", "f") + finish("tool_use"))
        assert (got.reasoning, got.calls[0].provider_data) == ("hm", None)

    def test_a_signature_may_be_all_of_a_thought(self) -> None:
        got = read(thought(0) + call(1, "a", "f") + finish("tool_use"))
        assert got.reasoning == ""
        assert layout_of(got) == [
            {"reasoningContent": {"reasoningText": {"text": "", "signature": "sig"}}},
            None,
        ]

    @pytest.mark.parametrize("reason", ["guardrail_intervened", "content_filtered"])
    def test_a_refusal_takes_back_its_calls(self, reason: str) -> None:
        got = read(text(0, "Hi") + call(1, "a", "f", "{}") + finish(reason))
        assert (got.text, got.calls, got.finish) == ("Hi", (), "refusal")

    def test_calls_of_a_cut_answer_are_cut(self) -> None:
        body = begin(0, toolUse={"toolUseId": "a", "name": "f"}) + piece(0, toolUse={"input": '{"x":'})
        for end in (b"", stop(0)):
            (made,) = read(body + end + finish("max_tokens")).calls
            assert made.arguments == {}
            assert "cut" in (made.error or "")

    @pytest.mark.parametrize("reason", ["malformed_model_output", "malformed_tool_use"])
    def test_malformed_output_is_a_failure(self, reason: str) -> None:
        got = read(text(0, "Hi") + call(1, "a", "f", "{") + finish(reason))
        assert got.failure is not None
        assert got.failure.retryable
        assert (got.finish, got.calls) == (None, ())

    def test_the_reason_may_be_missing(self) -> None:
        assert read(text(0, "Hi") + finish(None)).finish == "stop"
        assert read(call(0, "a", "f", "{}") + finish(None)).finish == "tool_calls"

    def test_the_first_reason_counts_unless_it_says_nothing(self) -> None:
        assert read(finish("max_tokens") + finish("end_turn")).finish == "length"
        assert read(finish("end_turn") + finish("max_tokens")).finish == "length"

    def test_a_failure_tells_what_was_used(self) -> None:
        got = read(metadata(inputTokens=3, outputTokens=2) + text(0, "half"))
        assert got.failure is not None
        assert got.failure.usage == Usage(3, 0, 2, 0, 5)


class TestDocuments:
    def test_one_gives_all_at_once(self) -> None:
        events, failure = take_document()
        assert failure is None
        assert events[:2] == [ReasoningDelta("hm"), TextDelta("Hi")]
        assert events[-1] == ModelEnd("tool_calls", Usage(3, 0, 2, 0, 5))
        assert len(events) == 5

    @pytest.mark.parametrize("content", [[], None, "x", [None, "x", {}, {"text": ""}]])
    def test_it_may_be_empty(self, content: Any) -> None:
        events, failure = take_document(output={"message": {"content": content}}, stopReason="end_turn")
        assert (events, failure) == ([ModelEnd("stop", Usage(3, 0, 2, 0, 5))], None)

    @pytest.mark.parametrize("output", [{}, None, [], {"message": "x"}])
    def test_one_without_a_message_fails(self, output: Any) -> None:
        _, failure = take_document(output=output)
        assert failure is not None
        assert not failure.retryable
        assert "no message" in str(failure)

    def test_it_may_be_an_error(self) -> None:
        error = {"__type": "ThrottlingException", "message": "slow, sk-SENTINEL"}
        found = answer()
        found.take_document(error, [])
        failure = found.failure
        assert failure is not None
        assert (failure.code, failure.status, failure.detail) == ("ThrottlingException", 429, "slow, [key]")
