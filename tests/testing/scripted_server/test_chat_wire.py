"""Model events, as they stand on the wire."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelEnd, ModelEvent, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn._core.result import Usage
from finalturn._testing.scripted_server.chat_wire import DONE, ChunkWriter, completion, error_body, sse
from tests.testing._client import deltas, reasons, records

HEAD = {"id": "x", "created": 0, "model": "m"}
USAGE = Usage(input_tokens=3, cached_tokens=1, output_tokens=2, reasoning_tokens=1, total_tokens=5)
USAGE_ON_THE_WIRE = {
    "prompt_tokens": 3,
    "completion_tokens": 2,
    "total_tokens": 5,
    "prompt_tokens_details": {"cached_tokens": 1},
    "completion_tokens_details": {"reasoning_tokens": 1},
}


def written(*events: ModelEvent, with_usage: bool = False) -> bytes:
    writer = ChunkWriter(HEAD, with_usage=with_usage)
    return b"".join(record for event in events for record in writer.records(event))


def choice_of(*events: ModelEvent) -> dict[str, Any]:
    choice: dict[str, Any]
    (choice,) = completion(HEAD, events)["choices"]
    assert choice["index"] == 0
    return choice


def test_a_record_is_one_line_of_json() -> None:
    assert sse({"a": "é\n"}) == 'data: {"a":"é\\n"}\n\n'.encode()
    assert records(DONE) == ["[DONE]"]


@pytest.mark.parametrize(
    ("error", "message", "code"),
    [
        (
            ProviderError("busy", code="overloaded", detail="the vendor's words"),
            "the vendor's words",
            "overloaded",
        ),
        (ProviderError("gone"), "gone", None),
    ],
)
def test_an_error_is_an_object(error: ProviderError, message: str, code: str | None) -> None:
    assert error_body(error) == {"error": {"message": message, "type": "scripted_error", "code": code}}


class TestChunks:
    def test_a_text_has_role_pieces_and_reason(self) -> None:
        body = written(TextDelta("Hel"), TextDelta("lo"), ModelEnd())
        assert deltas(body) == [
            {"role": "assistant", "content": ""},
            {"content": "Hel"},
            {"content": "lo"},
            {},
        ]
        assert reasons(body) == ["stop"]
        assert all(record.items() >= HEAD.items() for record in records(body))
        assert {record["object"] for record in records(body)} == {"chat.completion.chunk"}
        assert {record["choices"][0]["index"] for record in records(body)} == {0}

    def test_the_end_alone_has_a_role_too(self) -> None:
        assert deltas(written(ModelEnd())) == [{"role": "assistant", "content": ""}, {}]

    def test_reasoning_has_its_own_field(self) -> None:
        assert deltas(written(ReasoningDelta("hm")))[1] == {"reasoning_content": "hm"}

    @pytest.mark.parametrize(
        ("delta", "entry"),
        [
            (
                ToolCallDelta(0, "c", "f"),
                {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": ""}},
            ),
            (ToolCallDelta(1, arguments='{"a'), {"index": 1, "function": {"arguments": '{"a'}}),
            (
                ToolCallDelta(None, "", arguments="{}"),
                {"id": "", "type": "function", "function": {"arguments": "{}"}},
            ),
            (ToolCallDelta(), {"function": {"arguments": ""}}),
        ],
    )
    def test_a_piece_of_a_call_says_what_it_has(self, delta: ToolCallDelta, entry: object) -> None:
        assert deltas(written(delta))[1] == {"tool_calls": [entry]}

    def test_usage_comes_when_it_is_asked_for_and_known(self) -> None:
        asked = records(written(ModelEnd("stop", USAGE), with_usage=True))
        assert asked[-1] == {
            **HEAD,
            "object": "chat.completion.chunk",
            "choices": [],
            "usage": USAGE_ON_THE_WIRE,
        }
        assert b"usage" not in written(ModelEnd("stop", USAGE)) + written(ModelEnd(), with_usage=True)

    def test_reasons_have_their_names_on_the_wire(self) -> None:
        assert reasons(written(ModelEnd("length"))) == ["length"]
        assert reasons(written(ModelEnd("tool_calls"))) == ["tool_calls"]
        assert reasons(written(ModelEnd("refusal"))) == ["content_filter"]


class TestWholeBodies:
    def test_they_hold_everything(self) -> None:
        events: list[ModelEvent] = [
            *(ReasoningDelta("h"), ReasoningDelta("m"), TextDelta("H"), TextDelta("i")),
            *(ToolCallDelta(0, "c", "f", '{"a'), ToolCallDelta(0, arguments='":1}')),
            ModelEnd("tool_calls", USAGE),
        ]
        function = {"name": "f", "arguments": '{"a":1}'}
        message = {
            "role": "assistant",
            "content": "Hi",
            "reasoning_content": "hm",
            "tool_calls": [{"id": "c", "type": "function", "function": function}],
        }
        assert completion(HEAD, events) == {
            **HEAD,
            "object": "chat.completion",
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
            "usage": USAGE_ON_THE_WIRE,
        }

    def test_what_is_not_there_is_left_out(self) -> None:
        assert choice_of() == {
            "index": 0,
            "message": {"role": "assistant", "content": None},
            "finish_reason": None,
        }
        assert choice_of(ModelEnd("refusal"))["finish_reason"] == "content_filter"
        assert "usage" not in completion(HEAD, [ModelEnd()])

    def test_calls_stay_as_malformed_as_they_are(self) -> None:
        calls = choice_of(
            *(ToolCallDelta(0, "a", "f", '{"a'), ToolCallDelta(None, None, "g", "{")),
            *(ToolCallDelta(arguments="}"), ToolCallDelta(None, None, "h"), ToolCallDelta(0, arguments="!")),
        )["message"]["tool_calls"]
        assert [(call["id"], call["function"]) for call in calls] == [
            ("a", {"name": "f", "arguments": '{"a!'}),
            (None, {"name": "g", "arguments": "{}"}),
            (None, {"name": "h", "arguments": ""}),
        ]


@given(st.lists(st.builds(TextDelta, st.text(max_size=4)) | st.builds(ReasoningDelta, st.text(max_size=4))))
def test_a_stream_and_a_body_hold_the_same(events: list[TextDelta | ReasoningDelta]) -> None:
    streamed = deltas(written(*events, ModelEnd()))
    message = choice_of(*events, ModelEnd())["message"]
    for name in ("content", "reasoning_content"):
        assert "".join(delta.get(name, "") for delta in streamed) == (message.get(name) or "")
