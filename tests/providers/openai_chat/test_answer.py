"""The records of an answer, as events."""

from __future__ import annotations

import json
import logging
from typing import Any, ClassVar

import pytest

from finalturn._core.model import ModelEnd, ModelEvent, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn._core.result import Usage
from finalturn._providers.openai_chat.answer import OpenAIChatAnswer
from finalturn._providers.openai_chat.profile import Profile
from finalturn._providers.openai_chat.profiles import ANY_SERVER, PROFILES
from tests.providers._wire import summary


def take(
    *records: dict[str, Any], profile: Profile = ANY_SERVER
) -> tuple[list[ModelEvent], OpenAIChatAnswer]:
    answer = OpenAIChatAnswer(profile, None)
    events: list[ModelEvent] = []
    for record in records:
        answer.take(record, events)
    return events, answer


def choice(delta: Any, finish: Any = None, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish, **fields}]}


class TestText:
    @pytest.mark.parametrize(
        "delta", [{"content": "a"}, {"role": "assistant", "content": "a", "tool_calls": None}]
    )
    def test_content_is_text(self, delta: dict[str, Any]) -> None:
        assert take(choice(delta))[0] == [TextDelta("a")]

    @pytest.mark.parametrize(
        "delta",
        [None, {}, [], "a", {"content": None}, {"content": ""}, {"content": 7}, {"role": "assistant"}],
    )
    def test_nothing_is_not_text(self, delta: object) -> None:
        assert take(choice(delta))[0] == []

    @pytest.mark.parametrize("choices", [None, [], {}, "x", [None], [[]], [{}], [7]])
    def test_a_record_may_have_no_choice(self, choices: object) -> None:
        assert take({"choices": choices})[0] == []

    def test_only_the_first_choice_counts(self) -> None:
        record = {"choices": [
            {"index": 1, "delta": {"content": "no"}, "finish_reason": "length"},
            {"index": 0, "delta": {"content": "yes"}},
            {"delta": {"content": "!"}},
        ]}  # fmt: skip
        events, answer = take(record)
        assert events == [TextDelta("yes"), TextDelta("!")]
        assert answer.reason is None

    def test_a_refusal_is_text_and_ends_as_one(self) -> None:
        events, answer = take(choice({"refusal": "I "}), choice({"refusal": "can't."}), choice({}, "stop"))
        assert events == [TextDelta("I "), TextDelta("can't.")]
        assert answer.end() == [ModelEnd("refusal")]

    def test_an_empty_refusal_is_none(self) -> None:
        _, answer = take(choice({"content": "a", "refusal": ""}, "stop"))
        assert answer.end() == [ModelEnd("stop")]


class TestReasoning:
    @pytest.mark.parametrize(
        "delta",
        [
            {"reasoning_content": "hm", "content": None},
            {"reasoning": "hm", "content": ""},
            {"reasoning": "hm", "reasoning_content": "hm", "reasoning_details": [{"text": "hm"}]},
            {"reasoning_details": [{"type": "reasoning.text", "text": "hm"}]},
            {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]},
        ],
    )
    def test_it_is_never_text(self, delta: dict[str, Any]) -> None:
        assert take(choice(delta))[0] == [ReasoningDelta("hm")]

    def test_it_comes_before_the_text_of_its_record(self) -> None:
        assert take(choice({"content": "a", "reasoning": "hm"}))[0] == [ReasoningDelta("hm"), TextDelta("a")]

    def test_where_it_is_found_is_the_profile_s(self) -> None:
        assert take(choice({"reasoning": "hm"}), profile=Profile(reasoning_fields=("thoughts",)))[0] == []


class TestEnd:
    def test_an_end_without_a_reason_is_a_stop(self) -> None:
        assert take()[1].end() == [ModelEnd("stop")]

    @pytest.mark.parametrize("finish", [None, "", False])
    def test_no_reason_is_not_one(self, finish: object) -> None:
        assert take(choice({"content": "a"}, finish))[1].reason is None

    def test_what_cuts_is_not_hidden_by_what_follows(self) -> None:
        assert take(choice({}, "length"), choice({}, "stop"))[1].reason == "length"
        assert take(choice({}, "stop"), choice({}, "content_filter"))[1].reason == "refusal"

    @pytest.mark.parametrize("delta", [None, {}, {"content": ""}])
    def test_it_counts_whatever_its_delta_is(self, delta: object) -> None:
        assert take(choice(delta, "stop"))[1].reason == "stop"

    def test_a_server_that_failed_did_not_end(self) -> None:
        events, answer = take(choice({"content": "a"}, "error"))
        assert events == [TextDelta("a")]
        assert answer.failure is not None
        assert answer.failure.retryable
        assert answer.reason is None


class TestUsage:
    def test_the_last_one_counts(self) -> None:
        def tokens(number: int) -> dict[str, Any]:
            return {"choices": [], "usage": {"prompt_tokens": number, "completion_tokens": 1}}

        _, answer = take(
            tokens(1), choice({"content": "a"}), {**choice({}, "stop"), "usage": None}, tokens(3)
        )
        assert answer.end()[-1] == ModelEnd("stop", Usage(3, 0, 1, 0, 4))

    def test_it_may_stand_in_the_choice(self) -> None:
        _, answer = take(choice({}, "stop", usage={"prompt_tokens": 3, "completion_tokens": 1}))
        assert answer.end() == [ModelEnd("stop", Usage(3, 0, 1, 0, 4))]

    def test_of_groq_it_may_stand_in_an_object_of_its_own(self) -> None:
        record = {**choice({}, "stop"), "x_groq": {"usage": {"prompt_tokens": 3, "completion_tokens": 1}}}
        assert take(record, profile=PROFILES["groq"])[1].end() == [ModelEnd("stop", Usage(3, 0, 1, 0, 4))]
        assert take(record)[1].end() == [ModelEnd("stop")]
        both = {**record, "usage": {"prompt_tokens": 4, "completion_tokens": 1}}
        assert take(both, profile=PROFILES["groq"])[1].end() == [ModelEnd("stop", Usage(4, 0, 1, 0, 5))]

    @pytest.mark.parametrize("given", [None, {}, {"id": "req"}, {"usage": None}, 7])
    def test_where_it_does_not_there_is_none(self, given: object) -> None:
        _, answer = take({**choice({}, "stop"), "x_groq": given}, profile=PROFILES["groq"])
        assert answer.end() == [ModelEnd("stop")]


class TestErrors:
    def test_what_stands_before_it_is_given(self) -> None:
        events, answer = take({
            **choice({"content": "par"}),
            "usage": {"prompt_tokens": 3},
            "error": {"message": "Token limit", "code": 400},
        })  # fmt: skip
        assert events == [TextDelta("par")]
        assert answer.failure is not None
        assert (answer.failure.status, answer.failure.detail) == (400, "Token limit")
        assert answer.failure.usage == Usage(3, 0, 0, 0, 3)

    @pytest.mark.parametrize(
        "record", [{"error": "x"}, {"error": {"message": "x"}}, {"object": "error", "message": "x"}]
    )
    def test_it_has_several_forms(self, record: dict[str, Any]) -> None:
        failure = take(record)[1].failure
        assert failure is not None
        assert failure.detail == "x"

    @pytest.mark.parametrize("error", [None, {}, "", False])
    def test_an_empty_one_is_none(self, error: object) -> None:
        assert take({**choice({"content": "a"}), "error": error})[1].failure is None

    def test_the_first_one_counts(self) -> None:
        failure = take({"error": "first"}, {"error": "second"})[1].failure
        assert failure is not None
        assert failure.detail == "first"


class TestWholeMessages:
    MESSAGE: ClassVar[dict[str, Any]] = {
        "role": "assistant",
        "content": "a",
        "reasoning": "hm",
        "tool_calls": [
            {"id": "x", "function": {"name": "f", "arguments": "{}"}},
            {"id": "y", "function": {"name": "f", "arguments": "{}"}},
        ],
    }

    def test_one_is_read_like_a_delta(self) -> None:
        events, answer = take(
            {"choices": [{"index": 0, "message": self.MESSAGE, "finish_reason": "tool_calls"}]}
        )
        assert events == [ReasoningDelta("hm"), TextDelta("a")]
        assert answer.end() == [
            ToolCallDelta(0, "x", "f", "{}"),
            ToolCallDelta(1, "y", "f", "{}"),
            ModelEnd("tool_calls"),
        ]

    @pytest.mark.parametrize(
        "delta",
        [{"content": "a"}, {"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": "{}"}}]}],
    )
    def test_one_that_repeats_a_stream_is_not_read(self, delta: dict[str, Any]) -> None:
        record = {"choices": [{"index": 0, "delta": None, "message": self.MESSAGE, "finish_reason": "stop"}]}
        events, answer = take(choice(delta), record)
        assert len(events + answer.end()) == 2
        assert answer.reason == "stop"


def test_halves_of_surrogate_pairs_are_left_to_who_joins_the_text() -> None:
    events, _ = take(choice({"content": "a\ud83d"}), choice({"reasoning": "\ude00"}))
    assert events == [TextDelta("a\ud83d"), ReasoningDelta("\ude00")]


def test_an_unknown_record_is_skipped_with_a_note_that_quotes_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    assert take({"type": "ping", "secret": "sk-SENTINEL"})[0] == []
    assert len(caplog.records) == 1
    assert "SENTINEL" not in json.dumps([record.getMessage() for record in caplog.records])


class TestLegacyCalls:
    @pytest.mark.parametrize("finish", ["function_call", "stop", None])
    def test_one_comes_in_pieces(self, finish: str | None) -> None:
        events, answer = take(
            choice({"function_call": {"name": "f", "arguments": ""}}),
            choice({"function_call": {"arguments": '{"q":'}}),
            choice({"function_call": {"arguments": "1}"}}, finish),
        )
        assert events == []
        found = summary(answer.end())
        assert [(call.name, call.arguments, call.error) for call in found.calls] == [("f", {"q": 1}, None)]

    def test_one_comes_whole(self) -> None:
        message = {"content": None, "function_call": {"name": "f", "arguments": "{}"}}
        _, answer = take({"choices": [{"index": 0, "message": message, "finish_reason": "function_call"}]})
        assert [call.name for call in summary(answer.end()).calls] == ["f"]

    @pytest.mark.parametrize("nothing", [None, {}, "", []])
    def test_none_beside_tool_calls_is_none(self, nothing: object) -> None:
        entries = [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}]
        _, answer = take(choice({"tool_calls": entries, "function_call": nothing}))
        assert len(summary(answer.end()).calls) == 1


@pytest.mark.parametrize("finish", ["content_filter", "refusal", "sensitive"])
def test_a_refusal_takes_its_calls_back(finish: str) -> None:
    entries = [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}]
    _, answer = take(choice({"tool_calls": entries}), choice({}, finish))
    assert answer.end() == [ModelEnd("refusal")]


@pytest.mark.parametrize("finish", [None, "", "stop", "error"])
def test_an_error_may_stand_in_the_choice(finish: str | None) -> None:
    _, answer = take(choice({"content": ""}, finish, error={"code": 502, "message": "upstream"}))
    assert answer.failure is not None
    assert (answer.failure.status, answer.failure.detail) == (502, "upstream")


@pytest.mark.parametrize(
    "record", [{"code": "content_filter", "message": "x"}, {"__type": "A#B", "message": "x"}]
)
def test_an_error_may_come_without_a_word_for_it(record: dict[str, Any]) -> None:
    _, answer = take(choice({"content": "a"}), record)
    assert answer.failure is not None


@pytest.mark.parametrize("code", [0, 200, "0", "200", "ok", "Success", None, ""])
def test_a_code_may_say_that_there_is_none(code: object) -> None:
    _, answer = take(choice({"content": "a"}), {"code": code, "message": "success"})
    assert answer.failure is None
