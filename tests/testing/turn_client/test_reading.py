"""The reading of a served turn, without I/O."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn import StreamClosedError, StreamError, StructuredOutputError, Usage
from finalturn._response_format import output_of
from finalturn._serve.formats.sse import HEARTBEAT, frame
from finalturn._testing.turn_client.reading import KINDS, Reading
from finalturn.testing import TurnProblem
from tests.serve._agents import Ticket
from tests.testing.turn_client._records import CHUNK, FAILED, NEWS, RUN, ended


def reading(response_format: Any = None, session: str | None = None, prefix: str = "") -> Reading[Any]:
    output = None if response_format is None else output_of(response_format)
    return Reading("Hello", session, {"Authorization": "Bearer k"}, prefix, output)


def frames(*records: dict[str, Any], first: int = 1) -> bytes:
    return b"".join(frame(record, number) for number, record in enumerate(records, first))


def taken(turn: Reading[Any]) -> list[Any]:
    return list(iter(turn.take, None))


class TestRecords:
    @given(cuts=st.lists(st.integers(0, 1000)))
    def test_come_whole_however_the_bytes_come(self, cuts: list[int]) -> None:
        data = HEARTBEAT + frames(RUN, CHUNK) + HEARTBEAT + frames(NEWS, ended(), first=3)
        turn = reading()
        edges = sorted(cut for cut in cuts if cut < len(data))
        for start, end in zip([0, *edges], [*edges, len(data)], strict=True):
            turn.feed(data[start:end])
        assert taken(turn) == [RUN, CHUNK, ended()]
        assert turn.unknown == [NEWS]
        assert turn.ended

    def test_are_of_the_kinds_of_the_format(self) -> None:
        assert {"run", "chunk", "reasoning", "tool_call", "tool_result", "event", "result", "error"} <= KINDS


class TestRequests:
    def test_begin_the_turn(self) -> None:
        ask = reading(session="s-1", prefix="/desk").ask()
        assert (ask.method, ask.path, ask.params) == ("POST", "/desk/v1/chat/stream", {})
        assert ask.headers == {"Authorization": "Bearer k"}
        assert ask.body == {"input": "Hello", "session": "s-1"}

    def test_go_on_after_the_last_record(self) -> None:
        turn = reading(session="s-1", prefix="/desk")
        turn.ask()
        # What has not arrived whole is sent again.
        turn.feed(frames(RUN, NEWS, CHUNK)[:-4])
        turn.lost(None)
        ask = turn.ask()
        assert (ask.method, ask.path, ask.body) == ("GET", "/desk/v1/chat/stream/r-1", None)
        assert ask.params == {"session": "s-1"}
        assert ask.headers == {"Authorization": "Bearer k", "Last-Event-ID": "2"}
        turn.feed(frames(CHUNK, ended(), first=3))
        assert taken(turn) == [RUN, CHUNK, ended()]

    def test_without_a_session_name_none(self) -> None:
        turn = reading()
        turn.feed(frames(RUN))
        assert turn.ask().params == {}


class TestALostConnection:
    def test_before_the_turn_is_an_error(self) -> None:
        with pytest.raises(StreamClosedError, match="ended before its turn"):
            reading().lost(None)
        with pytest.raises(ZeroDivisionError):
            reading().lost(ZeroDivisionError())

    def test_is_mended_as_long_as_records_come(self) -> None:
        turn = reading()
        turn.feed(frames(RUN))
        for number in range(20):
            turn.lost(None)
            turn.feed(frames(CHUNK, first=number + 2))
        for _ in range(4):
            turn.lost(None)
        with pytest.raises(StreamClosedError):
            turn.lost(None)

    def test_of_a_server_that_is_busy_is_tried_again(self) -> None:
        turn = reading()
        turn.feed(frames(RUN))
        for _ in range(4):
            turn.refused(503, b"busy")
        with pytest.raises(TurnProblem) as caught:
            turn.refused(503, b"busy")
        assert caught.value.status == 503


class TestProblems:
    def test_say_what_the_server_says(self) -> None:
        document = {
            "title": "Unprocessable Content", "status": 422, "detail": "no", "code": "invalid_request",
            "retryable": False, "errors": [{"field": "/input", "problem": "is missing"}],
        }  # fmt: skip
        turn = reading()
        turn.feed(frames(RUN))
        with pytest.raises(TurnProblem, match=r"no \(422, invalid_request\)") as caught:
            turn.refused(422, json.dumps(document).encode())
        problem = caught.value
        assert (problem.status, problem.code, problem.detail) == (422, "invalid_request", "no")
        assert problem.errors == (("/input", "is missing"),)
        assert not problem.retryable

    @pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"code": "x"}', b'{"detail": "x"}'])
    def test_may_be_of_something_else(self, body: bytes) -> None:
        with pytest.raises(TurnProblem, match=r"without a problem document \(404\)") as caught:
            reading().refused(404, body)
        assert caught.value.code is None

    def test_of_a_turn_are_in_its_last_record(self) -> None:
        turn = reading()
        turn.feed(frames(RUN, FAILED))
        assert taken(turn) == [RUN, FAILED]
        with pytest.raises(TurnProblem, match=r"No answer. \(provider_failed\)") as caught:
            turn.result()
        assert (caught.value.status, caught.value.retryable) == (None, True)


class TestResults:
    def test_hold_the_object(self) -> None:
        turn = reading(Ticket)
        turn.feed(frames(RUN, ended()))
        taken(turn)
        result = turn.result()
        assert result.unwrap() == result.parsed == Ticket(topic="a", urgent=True)
        assert result.usage == Usage(input_tokens=3, unreported_calls=1)
        assert result.text == "Hi"
        assert result.record["stop_reason"] == "completed"

    def test_hold_plain_json_without_a_format(self) -> None:
        turn = reading()
        turn.feed(frames(RUN, ended()))
        taken(turn)
        assert turn.result().unwrap() == {"topic": "a", "urgent": True}

    def test_of_another_format_are_refused(self) -> None:
        turn = reading(Ticket)
        turn.feed(frames(RUN, ended(content='{"topic":"a"}')))
        taken(turn)
        with pytest.raises(StructuredOutputError, match=r"response_format given: .*urgent"):
            turn.result()

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"structured_status": "validation_failed", "structured_error": "missing"}, "missing"),
            (
                {"structured_status": "not_attempted", "stop_reason": "refused"},
                "with .refused.",
            ),
            ({"structured_status": None}, r"\(None\)"),
        ],
    )
    def test_without_an_object_say_why(self, changes: dict[str, Any], reason: str) -> None:
        turn = reading(Ticket)
        turn.feed(frames(RUN, ended(parsed=None, **changes)))
        taken(turn)
        result = turn.result()
        assert result.parsed is None
        with pytest.raises(StructuredOutputError, match=reason):
            result.unwrap()

    def test_are_there_at_the_end(self) -> None:
        turn = reading()
        turn.feed(frames(RUN))
        taken(turn)
        with pytest.raises(StreamError, match="not read to its end"):
            turn.result()
        turn.feed(frames(ended(), first=2))
        with pytest.raises(StreamError, match="not read to its end"):
            turn.result()
