"""Bodies of answers, however they are cut, whatever they are."""

from __future__ import annotations

import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.model import ReasoningDelta, TextDelta
from finalturn._core.result import Usage
from finalturn._providers.answers import decode as _wire_decode
from finalturn._providers.answers.decode import WireDecoder
from finalturn._providers.errors.failures import BrokeOffError
from finalturn._providers.openai_chat.answer import OpenAIChatAnswer
from finalturn._providers.openai_chat.profiles import ANY_SERVER
from tests.providers._wire import DONE, STOP, Read, call, delta, event, read, usage

PROSE = delta("Hé", role="assistant") + delta(" \U0001f600\u2028") + delta("!") + STOP
CALLS = (
    delta(None, role="assistant")
    + call(0, "a", "f", "")
    + call(0, None, None, '{"x":')
    + call(1, "b", "g", '{"y":')
    + call(0, "", None, "1}")
    + call(1, None, None, "2}")
    + delta(None, "tool_calls")
)
TOKENS = usage(prompt_tokens=7, completion_tokens=3, total_tokens=10)
RAW = event({"choices": [{"delta": {"content": "é\U0001f600\u2029"}}]}, ascii_only=False)
WHOLE = {
    "object": "chat.completion",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "Hé",
                "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}}
                ],
            },
            "finish_reason": "tool_calls",
        }
    ],
    "usage": {"prompt_tokens": 7, "completion_tokens": 3},
}
BODIES: dict[str, bytes] = {
    "prose": PROSE + TOKENS + DONE,
    "calls": CALLS + TOKENS + DONE,
    "crlf": (PROSE + DONE).replace(b"\n", b"\r\n"),
    "cr": (PROSE + DONE).replace(b"\n", b"\r"),
    "byte order mark": b"\xef\xbb\xbf" + PROSE + DONE,
    "not escaped": RAW + STOP + DONE,
    "comments": b": PROCESSING\n\n" + delta("a") + b":\n\nid: 1\n\n" + STOP + b": bye\n\n" + DONE,
    "two lines": b'data: {"choices":[{"delta":\ndata: {"content":"a"}}]}\n\n' + DONE,
    "cut pair": event({"choices": [{"delta": {"content": "\ud83d"}}]}) + delta("\ude00") + DONE,
    "error": delta("par") + event({"error": {"message": "overloaded"}}) + delta("never") + DONE,
    "broken off": delta("half"),
    "document": json.dumps(WHOLE).encode(),
    "indented document": b"\n " + json.dumps(WHOLE, indent=1, ensure_ascii=False).encode(),
    "web page": b"<!doctype html><p>hello</p>",
    "empty": b"",
    "blank": b"\r\n\r\n",
}


def same(first: Read, second: Read) -> bool:
    """Equal, but for the identity of the failure."""
    return first._replace(failure=None) == second._replace(failure=None) and str(first.failure) == str(
        second.failure
    )


@pytest.mark.parametrize("name", BODIES)
def test_cuts_change_nothing(name: str) -> None:
    body = BODIES[name]
    whole = read(body)
    assert same(read(body, range(1, len(body))), whole)
    assert all(same(read(body, [at]), whole) for at in range(len(body)))


@given(st.sampled_from(list(BODIES)), st.lists(st.integers(0, 900), max_size=6))
def test_no_number_of_cuts_does(name: str, cuts: list[int]) -> None:
    body = BODIES[name]
    assert same(read(body, sorted(min(cut, len(body)) for cut in cuts)), read(body))


class TestStreams:
    def test_prose(self) -> None:
        got = read(BODIES["prose"])
        assert (got.text, got.finish, got.failure) == ("Hé \U0001f600\u2028!", "stop", None)
        assert got.usage == Usage(7, 0, 3, 0, 10)

    def test_calls(self) -> None:
        got = read(BODIES["calls"])
        assert [(item.name, item.arguments, item.id) for item in got.calls] == [
            ("f", {"x": 1}, "a"),
            ("g", {"y": 2}, "b"),
        ]
        assert got.finish == "tool_calls"

    @pytest.mark.parametrize("name", ["crlf", "cr", "byte order mark"])
    def test_line_ends_and_marks_do_not_matter(self, name: str) -> None:
        assert read(BODIES[name]).text == "Hé \U0001f600\u2028!"

    def test_text_may_be_utf8_as_it_is(self) -> None:
        assert read(BODIES["not escaped"]).text == "é\U0001f600\u2029"

    def test_comments_are_nothing(self) -> None:
        assert read(BODIES["comments"]).text == "a"

    def test_two_data_lines_are_one_record(self) -> None:
        assert read(BODIES["two lines"]).text == "a"

    def test_events_without_blank_lines_between_them_are_told_apart(self) -> None:
        body = (delta("a") + delta("b") + STOP + DONE).replace(b"\n\n", b"\n")
        assert (read(body).text, read(body).finish) == ("ab", "stop")

    def test_a_pair_that_was_cut_stays_as_it_was_cut(self) -> None:
        assert read(BODIES["cut pair"]).text == "\ud83d\ude00"

    def test_bytes_that_are_not_utf8_are_replaced(self) -> None:
        assert read(b'data: {"choices":[{"delta":{"content":"a\xff"}}]}\n\n' + DONE).text == "a\ufffd"

    def test_control_characters_in_a_record_are_borne(self) -> None:
        assert read(b'data: {"choices":[{"delta":{"content":"a\tb"}}]}\n\n' + DONE).text == "a\tb"


class TestEnd:
    def test_a_finish_reason_is_enough(self) -> None:
        assert (read(delta("ok") + STOP).text, read(delta("ok") + STOP).failure) == ("ok", None)

    @pytest.mark.parametrize("done", [DONE, b"data:[DONE]\n\n", b"data: [DONE] \r\n\r\n", b"data: [DONE]"])
    def test_so_is_done(self, done: bytes) -> None:
        got = read(call(0, "a", "f", "{}") + done)
        assert [item.name for item in got.calls] == ["f"]
        assert got.finish == "stop"

    def test_done_ends_nothing_while_content_still_comes(self) -> None:
        decoder = WireDecoder(OpenAIChatAnswer(ANY_SERVER, None))
        assert decoder.feed(delta("a") + DONE) == [TextDelta("a")]
        assert decoder.ending.closed
        assert decoder.feed(delta("b")) == [TextDelta("b")]
        assert not decoder.ending.closed

    def test_calls_decide_and_not_the_reason(self) -> None:
        got = read(call(0, "a", "f", "{}") + STOP + DONE)
        assert (len(got.calls), got.finish) == (1, "stop")

    @pytest.mark.parametrize("body", [delta("half"), call(0, "a", "f", "{}"), b"", b": ping\n\n", b"\n"])
    def test_without_either_the_answer_broke_off(self, body: bytes) -> None:
        got = read(body)
        assert got.failure is not None
        assert got.failure.retryable
        assert (got.finish, got.calls) == (None, ())

    def test_a_record_that_the_end_cuts_is_not_read(self) -> None:
        got = read(delta("half") + delta("never")[:-10])
        assert got.text == "half"
        assert got.failure is not None


class TestErrors:
    def test_what_came_before_is_given_and_nothing_after(self) -> None:
        got = read(BODIES["error"])
        assert got.text == "par"
        assert got.failure is not None
        assert got.failure.detail == "overloaded"
        assert got.finish is None

    @pytest.mark.parametrize(
        ("data", "detail"),
        [
            (b'{"message":"x"}', "x"),
            (b'{"error":"x"}', "x"),
            (b'"x"', "x"),
            (b"x", "x"),
            (b'{"error":{"message":"x sk-SENTINEL"}}', "x [key]"),
        ],
    )
    def test_an_error_event_is_one_whatever_it_holds(self, data: bytes, detail: str) -> None:
        got = read(delta("par") + b"event: error\ndata: " + data + b"\n\n")
        assert got.text == "par"
        assert got.failure is not None
        assert got.failure.detail == detail
        assert "SENTINEL" not in str(got.failure)

    def test_an_error_after_the_finish_is_still_one(self) -> None:
        assert read(delta("a", "length") + event({"error": "x"}) + DONE).failure is not None

    def test_a_record_that_is_broken_fails(self) -> None:
        got = read(delta("a") + b'data: {"choices":[{"delta":{"content":"b"\n\n' + delta("c") + DONE)
        assert got.text == "a"
        assert got.failure is not None
        assert got.failure.retryable

    def test_after_the_finish_it_only_costs_the_usage(self) -> None:
        assert read(delta("a", "stop") + b'data: {"usage":\n\n' + DONE).failure is None

    @pytest.mark.parametrize("rest", [b"", b"data: {broken\n\n", delta("more"), DONE])
    def test_after_a_failure_it_costs_nothing(self, rest: bytes) -> None:
        failure = read(delta("a", "error") + rest).failure
        assert isinstance(failure, BrokeOffError)

    def test_several_lines_of_which_one_is_broken(self) -> None:
        assert read(b'data: {"a":\ndata: "b"\n\n' + DONE).failure is not None
        assert read(b"data: {" + b"[" * 100_000 + b"\n\n" + DONE).failure is not None


@pytest.mark.parametrize(
    "data", [b": PROCESSING", b"ping", b"1", b"null", b'"text"', b"[1]", b"{}", b'{"id":1}']
)
def test_what_is_no_record_is_skipped_with_a_note(data: bytes, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    got = read(delta("a") + b"data: " + data + b"\n\n" + delta("b") + DONE)
    assert (got.text, got.failure) == ("ab", None)
    assert len(caplog.records) == 1


class TestLimits:
    @pytest.mark.parametrize(
        "body",
        [
            delta("a") + b"data: " + b"x" * 70_000 + b"\n\n" + DONE,
            delta("a") + b": " + b"x" * 70_000 + b"\n\n" + DONE,
            delta("a") * 1001 + STOP,
            delta("a") + delta(reasoning="b" * 1000) + STOP,
            delta("a") + call(0, "x", "f", "[" * 1000) + DONE,
            b"{" + b" " * 70_000 + b"}",
            json.dumps({"choices": [{"message": {"content": "a" * 1001}}]}).encode(),
        ],
        ids=["event", "comment", "text", "thoughts", "call", "document", "message"],
    )
    def test_an_answer_that_is_too_long_fails(self, body: bytes) -> None:
        got = read(body, range(0, len(body), 1000), limit=1000)
        assert got.failure is not None
        assert str(got.failure) == "the provider's answer is longer than max_answer_bytes, which is 1000"
        assert not got.failure.retryable
        assert got.finish is None

    def test_what_surrounds_the_words_is_not_counted(self) -> None:
        got = read(delta("a", padding="x" * 100) * 1000 + STOP, limit=1000)
        assert (len(got.text), got.failure) == (1000, None)

    def test_but_it_is_bounded_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(_wire_decode, "MAX_WIRE", 5000)
        decoder = WireDecoder(OpenAIChatAnswer(ANY_SERVER, None), limit=1000)
        for _ in range(700):
            decoder.feed(b": ping...\n")
        assert decoder.failure is not None


class TestLarge:
    TEXT = "x" * 300_000

    @pytest.mark.parametrize("field", ["content", "reasoning"])
    def test_a_large_record_is_given_in_parts(self, field: str) -> None:
        decoder = WireDecoder(OpenAIChatAnswer(ANY_SERVER, None))
        body = delta("a") + delta(**{field: self.TEXT}) + delta("b") + STOP
        parts: list[tuple[int, bool]] = []
        for start in range(0, len(body), 65536):
            for item in decoder.events(body[start : start + 65536]):
                assert isinstance(item, (TextDelta, ReasoningDelta))
                parts.append((len(item.text), decoder.large))
        assert parts[0] == parts[-1] == (1, False)
        assert sum(size for size, _ in parts) == len(self.TEXT) + 2
        assert all(size <= _wire_decode.TURN and large for size, large in parts[1:-1])
        assert not decoder.steady


class TestDocuments:
    @pytest.mark.parametrize("name", ["document", "indented document"])
    def test_one_is_read_whole(self, name: str) -> None:
        got = read(BODIES[name])
        assert (got.text, got.finish, got.failure) == ("Hé", "tool_calls", None)
        assert [(item.name, item.arguments, item.id) for item in got.calls] == [("f", {"x": 1}, "a")]
        assert got.usage == Usage(7, 0, 3, 0, 10)

    def test_one_needs_no_finish_reason(self) -> None:
        assert read(b'{"choices":[{"message":{"content":"a"}}]}').finish == "stop"

    def test_calls_of_one_are_apart_though_nothing_tells_them_so(self) -> None:
        entries = [{"function": {"name": "f", "arguments": ""}}, {"function": {"name": "f", "arguments": ""}}]
        got = read(json.dumps({"choices": [{"message": {"tool_calls": entries}}]}).encode())
        assert [item.id for item in got.calls] == ["call_0", "call_1"]

    def test_half_of_a_pair_is_read_all_the_same(self) -> None:
        assert read(b'{"choices":[{"message":{"content":"a\\ud83d"}}]}').text == "a\ud83d"

    @pytest.mark.parametrize(
        ("body", "retryable"),
        [
            (b'{"choices":[{"message":{"content":"a"', True),
            (b"[1]", True),
            (b'{"choices":[]}', False),
            (b'{"id":1}', False),
            (b'{"error":{"message":"x"}}', True),
            (b"<html>", False),
        ],
    )
    def test_one_without_an_answer_fails(self, body: bytes, retryable: bool) -> None:
        got = read(body)
        assert got.failure is not None
        assert got.failure.retryable is retryable
        assert got.events == []
