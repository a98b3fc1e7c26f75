"""The records of an answer, as events."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from finalturn._core.model import ModelEnd, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn._core.result import Usage
from tests.providers._anthropic_wire import (
    END,
    PING,
    answer,
    begin,
    call,
    event,
    finish,
    piece,
    read,
    size_of,
    start,
    text,
    thought,
)

WHOLE: dict[str, Any] = {
    "type": "message",
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "text", "text": "Hi"},
        {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}},
        {"type": "tool_use", "id": "b", "name": "f", "input": {}},
    ],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 3, "output_tokens": 2},
}


def document(**fields: Any) -> bytes:
    return json.dumps({**WHOLE, **fields}).encode()


class TestStreams:
    def test_an_answer(self) -> None:
        got = read(
            start(input_tokens=7, output_tokens=1)
            + PING
            + thought(0, "h", "m")
            + text(1, "Hé ", "\U0001f600")
            + call(2, "a", "f", "{}")
            + finish("tool_use", output_tokens=5)
            + END
        )
        assert got.events[:4] == [
            ReasoningDelta("h"),
            ReasoningDelta("m"),
            TextDelta("Hé "),
            TextDelta("\U0001f600"),
        ]
        assert got.events[-1] == ModelEnd("tool_calls", Usage(7, 0, 5, 0, 12))
        assert got.failure is None

    def test_records_need_not_name_their_type(self) -> None:
        records: list[dict[str, Any]] = [
            {"message": {"usage": {"input_tokens": 3}}},
            {"index": 0, "content_block": {"type": "text", "text": ""}},
            {"index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
            {"delta": {"stop_reason": "max_tokens"}, "usage": {"output_tokens": 2}},
        ]
        body = b"".join(b"data: " + json.dumps(record).encode() + b"\n\n" for record in records)
        got = read(body)
        assert (got.text, got.finish, got.usage) == ("Hi", "length", Usage(3, 0, 2, 0, 5))

    def test_events_need_not_name_it_either(self) -> None:
        body = event({"type": "content_block_delta", "delta": {"text": "Hi"}}, name=False)
        assert read(body + event({"type": "message_stop"}, name=False)).text == "Hi"

    def test_a_whole_message_may_come_as_an_event(self) -> None:
        got = read(event(WHOLE))
        assert (got.text, got.finish, len(got.calls)) == ("Hi", "tool_calls", 2)

    def test_what_the_first_record_holds_of_content_is_not_read_twice(self) -> None:
        body = event({"type": "message_start", "message": {**WHOLE, "stop_reason": "end_turn"}})
        assert read(body + text(0, "Hi") + finish() + END).text == "Hi"
        assert read(body + text(0, "Hi")).failure is not None

    @pytest.mark.parametrize("record", [{"type": "of_tomorrow", "x": 1}, {"type": ["x"]}, {"type": 7}])
    def test_an_unknown_record_is_skipped_with_a_note_that_quotes_nothing(
        self, record: dict[str, Any], caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        found = answer()
        found.take({**record, "secret": "sk-SENTINEL"}, [])
        assert found.failure is None
        assert len(caplog.records) == 1
        assert "SENTINEL" not in caplog.text


class TestEnd:
    def test_the_last_record_is_enough(self) -> None:
        got = read(text(0, "ok") + END)
        assert (got.text, got.finish, got.failure) == ("ok", "stop", None)
        assert read(call(0, "a", "f") + END).finish == "tool_calls"

    def test_so_is_the_reason(self) -> None:
        got = read(text(0, "ok") + finish("stop_sequence"))
        assert (got.text, got.finish, got.failure) == ("ok", "stop", None)

    def test_a_last_record_ends_nothing_while_content_still_comes(self) -> None:
        got = read(text(0, "a") + finish("end_turn") + END + text(1, "b") + call(2, "x", "f", "{}") + END)
        assert (got.text, len(got.calls)) == ("ab", 1)

    @pytest.mark.parametrize("given", ["", "none", "null", "unknown", 7, []])
    def test_no_reason_is_not_one(self, given: Any) -> None:
        assert read(text(0, "a") + finish(given)).failure is not None

    @pytest.mark.parametrize(
        "body",
        [
            start() + text(0, "half"),
            start() + call(0, "a", "f", "{}"),
            start() + text(0, "half") + finish(None),
            b"",
        ],
    )
    def test_without_either_the_answer_broke_off(self, body: bytes) -> None:
        got = read(body)
        assert got.failure is not None
        assert got.failure.retryable
        assert (got.finish, got.calls) == (None, ())

    def test_what_cuts_is_not_hidden_by_what_follows(self) -> None:
        assert read(finish("max_tokens") + finish("end_turn") + END).finish == "length"
        assert read(finish("end_turn") + finish("refusal") + END).finish == "refusal"

    def test_a_server_that_failed_did_not_end(self) -> None:
        got = read(text(0, "a") + finish("error") + END)
        assert got.failure is not None
        assert got.failure.retryable
        assert got.text == "a"

    def test_the_usage_of_a_failed_answer_is_known(self) -> None:
        assert read(start(input_tokens=7, output_tokens=1) + text(0, "half")).usage == Usage(7, 0, 1, 0, 8)


class TestCuts:
    def test_a_call_that_is_cut_does_not_run(self) -> None:
        half = begin(0, "tool_use", id="a", name="f", input={})
        for body in (half, half + piece(0, "input_json_delta", partial_json='{"x":')):
            (made,) = read(body + finish("max_tokens") + END).calls
            assert "cut" in (made.error or "")

    def test_one_before_the_cut_does(self) -> None:
        got = read(call(0, "a", "f") + begin(1, "tool_use", id="b", name="f") + finish("max_tokens") + END)
        assert [item.error is None for item in got.calls] == [True, False]

    def test_a_refusal_takes_all_calls_back(self) -> None:
        got = read(text(0, "Well") + call(1, "a", "f", "{}") + finish("refusal") + END)
        assert (got.text, got.finish, got.calls) == ("Well", "refusal", ())
        assert not any(isinstance(item, ToolCallDelta) for item in got.events)

    def test_all_of_it_counts(self) -> None:
        for body in (
            begin(0, "tool_use", id="a", name="f")
            + piece(0, "input_json_delta", partial_json="x" * 500) * 20,
            text(0, "x" * 10_000),
            b"".join(thought(None, "hm" * 50) for _ in range(100)),
            begin(0, "redacted_thinking", data="x" * 10_000),
        ):
            assert 10_000 <= size_of(body) < 12_000


class TestDocuments:
    def test_one_is_read_like_a_stream(self) -> None:
        got = read(document())
        assert (got.text, got.reasoning, got.finish, got.usage) == (
            "Hi",
            "hm",
            "tool_calls",
            Usage(3, 0, 2, 0, 5),
        )
        assert [(item.id, item.arguments) for item in got.calls] == [("a", {"x": 1}), ("b", {})]
        assert got.calls[0].provider_data is not None

    def test_its_type_and_reason_may_be_left_out(self) -> None:
        got = read(document(type=None, stop_reason=None, usage=None))
        assert (got.text, got.finish, got.usage) == ("Hi", "tool_calls", None)

    def test_its_content_may_be_text(self) -> None:
        assert read(document(content="Hi", stop_reason="end_turn")).text == "Hi"

    def test_it_may_have_none(self) -> None:
        got = read(document(content=[], stop_reason="end_turn"))
        assert (got.text, got.finish, got.failure) == ("", "stop", None)

    @pytest.mark.parametrize("content", [None, 7, {}])
    def test_without_a_content_it_is_no_message(self, content: object) -> None:
        assert str(read(document(content=content)).failure) == "the provider's answer holds no message"

    @pytest.mark.parametrize("content", [[None], [7], ["x"], [[]], [{}], [{"type": "of_tomorrow"}]])
    def test_parts_that_are_not_understood_are_skipped(self, content: object) -> None:
        assert read(document(content=content)).failure is None


class TestErrors:
    OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}  # noqa: RUF012

    def test_what_came_before_is_given_and_nothing_after(self) -> None:
        got = read(start() + text(0, "par") + event(self.OVERLOADED) + text(1, "never") + finish() + END)
        assert got.text == "par"
        assert got.failure is not None
        assert (got.failure.code, got.failure.detail) == ("overloaded_error", "Overloaded")
        assert got.failure.retryable
        assert "Overloaded" not in str(got.failure)
        assert (got.finish, got.calls) == (None, ())

    @pytest.mark.parametrize(
        ("code", "retryable"),
        [
            ("overloaded_error", True),
            ("api_error", True),
            ("rate_limit_error", True),
            ("timeout_error", True),
            ("invalid_request_error", False),
            ("authentication_error", False),
            ("permission_error", False),
            ("billing_error", False),
            ("not_found_error", False),
        ],
    )
    def test_its_type_says_whether_to_ask_again(self, code: str, retryable: bool) -> None:
        failure = read(event({"type": "error", "error": {"type": code, "message": "x"}})).failure
        assert failure is not None
        assert (failure.code, failure.retryable) == (code, retryable)

    @pytest.mark.parametrize(
        "body",
        [
            b'event: error\ndata: {"message":"x sk-SENTINEL"}\n\n',
            b'data: {"error":"x sk-SENTINEL"}\n\n',
            b'data: {"type":"error","error":{"message":"x sk-SENTINEL"}}\n\n',
            b'{"type":"error","error":{"message":"x sk-SENTINEL"}}',
        ],
    )
    def test_it_has_several_forms_and_tells_no_key(self, body: bytes) -> None:
        failure = read(body).failure
        assert failure is not None
        assert failure.detail == "x [key]"
        assert "SENTINEL" not in str(failure)
