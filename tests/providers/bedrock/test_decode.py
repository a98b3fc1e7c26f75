"""Bodies of Converse answers, however they are cut, whatever they are."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.errors import ProviderError
from finalturn._core.model import TextDelta
from finalturn._core.result import Usage
from finalturn._providers.bedrock import decode as _bedrock_decode
from finalturn._providers.bedrock import frames as _bedrock_frames
from finalturn._providers.bedrock.decode import BedrockDecoder
from tests.providers._bedrock_wire import (
    KEY,
    START,
    answer,
    at,
    begin,
    call,
    event,
    exception,
    finish,
    frame,
    metadata,
    piece,
    read,
    stop,
    text,
    thought,
)
from tests.providers._wire import Read

TOKENS = metadata(inputTokens=7, outputTokens=3, totalTokens=10)
PROSE = START + text(0, "Hé ", "\U0001f600\u2028", "!") + finish()
CALLS = (
    START + thought(0, "h", "m") + text(1, "Hi") + call(2, "a", "f", "", '{"x":', "1}") + finish("tool_use")
)
WHOLE: dict[str, Any] = {
    "output": {
        "message": {
            "role": "assistant",
            "content": [{"text": "Hé"}, {"toolUse": {"toolUseId": "a", "name": "f", "input": {"x": 1}}}],
        }
    },
    "stopReason": "tool_use",
    "usage": {"inputTokens": 7, "outputTokens": 3, "totalTokens": 10},
    "metrics": {"latencyMs": 1},
}
BODIES: dict[str, bytes] = {
    "prose": PROSE + TOKENS,
    "calls": CALLS + TOKENS,
    "not escaped": START
    + event("contentBlockDelta", {"delta": {"text": "é\U0001f600"}}, ascii_only=False)
    + finish(),
    "cut pair": piece(0, text="\ud83d") + piece(0, text="\ude00") + finish(),
    "error": PROSE[:-40] + exception("throttlingException", message="slow down"),
    "exception": text(0, "par") + exception("modelStreamErrorException", message="x") + text(1, "never"),
    "broken off": START + text(0, "half"),
    "no usage": PROSE,
    "document": json.dumps(WHOLE).encode(),
    "spaced document": b"\n " + json.dumps(WHOLE, indent=1).encode() + b"\n",
    "error document": json.dumps({"message": "no"}).encode(),
    "page": b"<html>no</html>",
    "words": b"no such thing",
    "nothing": b"",
}


def same(one: Read, other: Read) -> bool:
    told = [str(got.failure) for got in (one, other)]
    return one._replace(failure=None) == other._replace(failure=None) and told[0] == told[1]


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_body_is_read_the_same_however_it_is_cut(body: bytes) -> None:
    whole = read(body)
    assert same(read(body, range(1, len(body))), whole)
    for place in range(1, len(body)):
        assert same(read(body, [place]), whole)


@given(st.sampled_from([*BODIES.values()]), st.lists(st.integers(0, 2000), max_size=8))
def test_also_in_many_pieces(body: bytes, places: list[int]) -> None:
    cuts = sorted(min(place, len(body)) for place in places)
    assert same(read(body, cuts), read(body))


class TestStreams:
    def test_prose(self) -> None:
        got = read(PROSE + TOKENS)
        assert (got.text, got.finish, got.usage) == ("Hé \U0001f600\u2028!", "stop", Usage(7, 0, 3, 0, 10))

    def test_calls(self) -> None:
        got = read(CALLS + TOKENS)
        (made,) = got.calls
        assert (made.id, made.name, made.arguments_json(), made.error) == ("a", "f", '{"x":1}', None)
        assert (got.text, got.reasoning, got.finish) == ("Hi", "hm", "tool_calls")

    def test_the_usage_ends_it(self) -> None:
        decoder = BedrockDecoder(answer(), secret=None)
        decoder.feed(PROSE)
        assert decoder.ending.settled
        assert not decoder.ending.closed
        decoder.feed(TOKENS)
        assert decoder.ending.closed
        assert len(decoder.close()) == 1

    def test_not_while_content_still_comes(self) -> None:
        assert read(PROSE + TOKENS + text(0, "more")).text.endswith("!more")

    def test_usage_may_come_first(self) -> None:
        got = read(START + TOKENS + text(0, "Hi") + finish())
        assert (got.text, got.usage) == ("Hi", Usage(7, 0, 3, 0, 10))

    def test_events_come_out_as_soon_as_their_frame_is_whole(self) -> None:
        decoder = BedrockDecoder(answer(), secret=None)
        hello = piece(0, text="Hello")
        assert decoder.feed(hello[:-1]) == []
        assert decoder.feed(hello[-1:]) == [TextDelta("Hello")]

    @pytest.mark.parametrize("body", [START, PROSE[:-1], CALLS[: -len(finish("tool_use"))], b"\0", START[:5]])
    def test_one_without_an_end_has_failed(self, body: bytes) -> None:
        got = read(body)
        assert got.failure is not None
        assert "broke off" in str(got.failure)
        assert got.failure.retryable
        assert (got.finish, got.calls) == (None, ())

    @pytest.mark.parametrize("rest", [TOKENS[:-1], b"junk that is no frame", TOKENS[:20] + b"\0" * 60])
    def test_a_finished_one_is_whole_whatever_follows(self, rest: bytes) -> None:
        got = read(PROSE + rest)
        assert (got.failure, got.finish) == (None, "stop")

    def test_damage_is_found(self) -> None:
        hello = piece(0, text="Hello")
        got = read(START + hello.replace(b"Hello", b"Jello") + finish())
        assert got.text == ""
        assert isinstance(got.failure, ProviderError)
        assert got.failure.retryable
        assert str(got.failure) == "the provider's answer arrived damaged"


class TestFrames:
    @pytest.mark.parametrize(
        "unknown",
        [
            event("ofTomorrow", {"x": 1}),
            event("initial-response", {}),
            frame({}, b"{}"),
            frame({":message-type": "event"}, b"what is this?"),
            frame({":event-type": "contentBlockDelta"}, b"[1]"),
            frame({":event-type": "contentBlockDelta"}, b'"x"'),
            event("contentBlockDelta", {"delta": {"ofTomorrow": {}}, **at(0)}),
        ],
    )
    def test_what_is_not_known_is_skipped_with_a_note_that_quotes_nothing(
        self, unknown: bytes, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG, "finalturn.providers")
        got = read(START + unknown + text(0, "Hi") + finish())
        assert (got.text, got.failure) == ("Hi", None)
        assert [record.getMessage() for record in caplog.records] == [
            "skipped a record that is no part of an answer"
        ]

    def test_headers_beside_the_kind_may_be_missing(self) -> None:
        body = frame({":event-type": "contentBlockDelta"}, b'{"delta":{"text":"Hi"}}')
        assert read(body + frame({":event-type": "messageStop"}, b"")).text == "Hi"

    @pytest.mark.parametrize("payload", [b"", b"null", b"{}"])
    def test_a_payload_may_be_empty(self, payload: bytes) -> None:
        got = read(text(0, "Hi") + frame({":event-type": "messageStop"}, payload))
        assert (got.text, got.finish) == ("Hi", "stop")

    def test_a_payload_that_is_not_json_fails(self) -> None:
        got = read(frame({":event-type": "contentBlockDelta"}, b'{"delta":'))
        assert got.failure is not None
        assert got.failure.retryable
        assert "not JSON" in str(got.failure)

    @pytest.mark.parametrize("payload", [b'{"delta":{"text":"a\nb"}}', b'{"delta":{"text":"a\\nb"}}'])
    def test_a_payload_is_read_leniently(self, payload: bytes) -> None:
        assert read(frame({":event-type": "contentBlockDelta"}, payload) + finish()).text == "a\nb"

    def test_bytes_that_are_no_text_are_replaced(self) -> None:
        payload = b'{"delta":{"text":"a\xff"}}'
        assert read(frame({":event-type": "contentBlockDelta"}, payload) + finish()).text == "a\ufffd"

    def test_a_frame_is_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(_bedrock_frames, "MAX_FRAME", 1000)
        monkeypatch.setattr(_bedrock_decode, "MAX_FRAME", 1000)
        got = read(START + piece(0, text="x" * 2000)[:1500])
        assert got.failure is not None
        assert not got.failure.retryable
        assert "more than 1000 bytes" in str(got.failure)


class TestErrors:
    def test_an_exception_ends_it(self) -> None:
        got = read(text(0, "par") + exception("throttlingException", message="slow, sk-SENTINEL") + PROSE)
        assert got.text == "par"
        assert got.failure is not None
        assert (got.failure.code, got.failure.status, got.failure.retryable) == (
            "throttlingException", 429, True
        )  # fmt: skip
        assert got.failure.detail == "slow, [key]"
        assert (got.finish, got.calls) == (None, ())

    def test_one_that_is_named_as_an_event_too(self) -> None:
        failure = read(event("validationException", {"message": "no"})).failure
        assert failure is not None
        assert (failure.code, failure.status, failure.retryable) == ("validationException", 400, False)

    def test_one_that_is_not_known(self) -> None:
        failure = read(frame({":message-type": "exception"}, b"oh")).failure
        assert failure is not None
        assert failure.retryable

    def test_an_error_has_its_words_in_headers(self) -> None:
        headers = {":message-type": "error", ":error-code": "InternalFailure", ":error-message": f"oh {KEY}"}
        failure = read(frame(headers)).failure
        assert failure is not None
        assert (failure.code, failure.detail) == ("InternalFailure", "oh [key]")

    def test_calls_before_it_do_not_run(self) -> None:
        got = read(call(0, "a", "f", "{}") + finish("tool_use") + exception("internalServerException"))
        assert got.failure is not None
        assert got.calls == ()


class TestDocuments:
    def test_one_is_an_answer(self) -> None:
        got = read(json.dumps(WHOLE).encode())
        assert (got.text, got.finish, got.usage) == ("Hé", "tool_calls", Usage(7, 0, 3, 0, 10))
        assert [(made.id, made.arguments) for made in got.calls] == [("a", {"x": 1})]

    def test_a_page_is_none(self) -> None:
        assert "web page" in str(read(b"<html>").failure)


@given(
    st.lists(
        st.sampled_from(
            [
                START,
                TOKENS,
                text(0, "Hi"),
                call(1, "a", "f", '{"x":'),
                begin(0, toolUse={"toolUseId": "b", "name": "g"}),
                piece(1, toolUse={"input": "1}"}),
                piece(None, toolUse={"input": "{}"}),
                thought(2, "hm"),
                stop(1),
                stop(None),
                finish("tool_use"),
                finish("max_tokens"),
                finish(None),
                exception("internalServerException"),
                event("contentBlockDelta", {"delta": [], "contentBlockIndex": {}}),
                event("contentBlockStart", {"start": "x", "contentBlockIndex": -1}),
                event("metadata", {"usage": "x"}),
                frame({":event-type": "messageStop"}, b'{"stopReason":["x"]}'),
            ]
        )
        | st.binary(max_size=20)
        | st.builds(frame, st.just({":event-type": "contentBlockDelta"}), st.binary(max_size=20)),
        max_size=12,
    )
)
def test_no_body_is_too_strange(parts: list[bytes]) -> None:
    got = read(b"".join(parts))
    assert (got.failure is None) is (got.finish is not None)
    assert got.finish is not None or got.calls == ()


_NAMES = st.sampled_from(
    [
        "output", "message", "content", "text", "toolUse", "toolUseId", "name", "input", "reasoningContent",
        "reasoningText", "signature", "redactedContent", "stopReason", "usage", "inputTokens", "delta",
        "start", "contentBlockIndex", "citationsContent", "type", "__type",
    ]
)  # fmt: skip
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(_NAMES, _JSON, max_size=4))
def test_no_document_is(document: dict[str, Any]) -> None:
    got = read(json.dumps(document).encode())
    assert (got.failure is None) is (got.finish is not None)


@given(
    st.sampled_from(
        [
            "messageStart",
            "contentBlockStart",
            "contentBlockDelta",
            "contentBlockStop",
            "messageStop",
            "metadata",
            "x",
        ]
    ),
    _JSON,
)
def test_no_record_is(kind: str, record: Any) -> None:
    got = read(frame({":event-type": kind}, json.dumps(record).encode()) + text(5, "Hi") + finish("tool_use"))
    assert got.failure is None or str(got.failure).startswith("the provider")
