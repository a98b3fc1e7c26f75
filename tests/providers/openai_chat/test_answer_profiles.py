"""The records of an answer, as servers with ways of their own write them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.markup import THINK
from finalturn._core.messages import Message
from finalturn._core.model import ModelEnd, ModelEvent, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn._core.result import Usage
from finalturn._providers.openai_chat.answer import OpenAIChatAnswer
from finalturn._providers.openai_chat.profile import Profile
from finalturn._providers.openai_chat.profiles import ANY_SERVER, PROFILES
from finalturn._providers.openai_chat.replay import DATA, reasoning_of
from tests.providers._wire import Read, summary
from tests.providers.openai_chat.test_answer import choice, take


class TestTags:
    PROFILE = Profile(think_tags=(THINK,))

    def events(self, *records: dict[str, Any]) -> list[ModelEvent]:
        events, answer = take(*records, profile=self.PROFILE)
        return events + answer.end()

    def test_reasoning_is_taken_out_of_the_text_where_the_profile_says_so(self) -> None:
        records = [choice({"content": piece}) for piece in ("<th", "ink>h", "m</thi", "nk>", "\n", "yes")]
        assert self.events(*records) == [
            ReasoningDelta("h"),
            ReasoningDelta("m"),
            TextDelta("yes"),
            ModelEnd("stop"),
        ]
        assert summary(take(*records, profile=PROFILES["openai"])[0]).text == "<think>hm</think>\nyes"

    def test_what_was_held_back_comes_before_the_end(self) -> None:
        assert self.events(choice({"content": "<thin"}, "stop")) == [TextDelta("<thin"), ModelEnd("stop")]
        assert self.events(choice({"content": "<think>hm</"}, "length")) == [
            ReasoningDelta("hm"),
            ReasoningDelta("</"),
            ModelEnd("length"),
        ]

    def test_calls_and_whole_answers_are_read_as_ever(self) -> None:
        entry = {"id": "x", "function": {"name": "f", "arguments": "{}"}}
        message = {"content": [{"type": "text", "text": "<think>hm</think>yes"}], "tool_calls": [entry]}
        answer = OpenAIChatAnswer(self.PROFILE, None)
        events: list[ModelEvent] = []
        answer.take_document({"choices": [{"message": message, "finish_reason": "tool_calls"}]}, events)
        assert events == [ReasoningDelta("hm"), TextDelta("yes")]
        assert answer.end() == [ToolCallDelta(0, "x", "f", "{}"), ModelEnd("tool_calls")]

    def test_reasoning_in_a_field_leaves_the_text_alone(self) -> None:
        assert self.events(choice({"reasoning": "hm"}), choice({"content": "yes"})) == [
            ReasoningDelta("hm"),
            TextDelta("yes"),
            ModelEnd("stop"),
        ]


class TestReplay:
    def call(self, **fields: Any) -> dict[str, Any]:
        return choice({"tool_calls": [{"function": {"name": "f", "arguments": "{}"}, **fields}]})

    def sent(self, profile: Profile, *records: dict[str, Any]) -> list[dict[str, Any]]:
        """What goes back: for each call that is made, the fields of its message."""
        events, answer = take(*records, profile=profile)
        calls = summary(events + answer.end()).calls
        assert [call.error for call in calls] == [None] * len(calls)
        return [reasoning_of(Message.assistant("", tool_calls=[call]), profile, "") for call in calls]

    def test_reasoning_rides_on_the_first_call(self) -> None:
        profile = PROFILES["vllm"]
        records = (
            choice({"reasoning": "h"}),
            choice({"reasoning": "m"}),
            self.call(index=0, id="a"),
            self.call(index=1, id="b"),
        )
        assert self.sent(profile, *records) == [{"reasoning": "hm"}, {}]

    @pytest.mark.parametrize(
        "fields",
        [
            [{"id": "a"}, {"id": "b"}],
            [{"index": 0, "id": "a"}, {"index": 0, "id": "b"}],
            [{"index": 0}, {"index": 1}],
            [{}],
        ],
    )
    def test_it_finds_its_call_however_calls_are_told_apart(self, fields: list[dict[str, Any]]) -> None:
        records = [self.call(**entry) for entry in fields]
        made = self.sent(PROFILES["deepseek"], choice({"reasoning_content": "hm"}), *records)
        assert len(made) == len(fields)
        assert {"reasoning_content": "hm"} in made

    def test_it_makes_no_call_that_was_not_made(self) -> None:
        # The index of the first call changes on the way, and another call has the one that it had.
        records = [self.call(index=index, id=id) for index, id in ((0, "a"), (1, "a"), (0, "b"))]
        assert len(self.sent(PROFILES["deepseek"], choice({"reasoning_content": "hm"}), *records)) == 2

    @pytest.mark.parametrize("entry", [{}, {"index": 0}, {"index": 0, "function": {"name": ""}}, None])
    def test_without_a_call_it_goes_nowhere(self, entry: object) -> None:
        records = choice({"reasoning": "hm"}), choice({"tool_calls": [entry]}, "stop")
        _, answer = take(*records, profile=PROFILES["ollama"])
        assert answer.end() == [ModelEnd("stop")]

    def test_text_between_tags_is_reasoning_too(self) -> None:
        records = choice({"content": "<think>hm</think>"}), self.call(id="a")
        assert self.sent(PROFILES["llamacpp"], *records) == [{"reasoning_content": "hm"}]

    def test_details_are_shown_once_and_go_back_whole(self) -> None:
        def piece(**part: Any) -> dict[str, Any]:
            return {"reasoning": part.get("text"), "reasoning_details": [{"index": 0, "type": "t", **part}]}

        records = choice(piece(text="h")), choice(piece(text="m")), choice(piece(signature="S"))
        profile = PROFILES["openrouter"]
        assert self.sent(profile, *records, self.call(id="a")) == [
            {"reasoning_details": [{"index": 0, "type": "t", "text": "hm", "signature": "S"}]}
        ]
        assert take(*records, profile=profile)[0] == [ReasoningDelta("h"), ReasoningDelta("m")]

    def test_it_stands_beside_what_else_the_call_carries(self) -> None:
        record = self.call(id="a", extra_content={"google": 1})
        events, answer = take(choice({"reasoning": "hm"}), record, profile=PROFILES["vllm"])
        (call,) = summary(events + answer.end()).calls
        assert call.provider_data == {"extra_content": {"google": 1}, DATA: {"text": "hm"}}

    def test_elsewhere_no_call_carries_anything(self) -> None:
        events, answer = take(choice({"reasoning": "hm"}), self.call(id="a"), profile=PROFILES["groq"])
        assert summary(events + answer.end()).calls[0].provider_data is None


@pytest.mark.parametrize("profile", [ANY_SERVER, *PROFILES.values()], ids=["any", *PROFILES])
class TestShapes:
    """What servers send in odd forms, read the same with every profile."""

    def read(self, profile: Profile, *records: dict[str, Any]) -> Read:
        events, answer = take(*records, profile=profile)
        return summary(events + answer.end(), answer.failure)

    def called(self, arguments: str) -> dict[str, Any]:
        entry = {"index": 0, "id": "a", "function": {"name": "f", "arguments": arguments}}
        return choice({"tool_calls": [entry]})

    def test_usage_without_a_choice(self, profile: Profile) -> None:
        record: dict[str, Any] = {
            "choices": [],
            "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
        }
        got = self.read(profile, choice({"content": "a"}), choice({}, "stop"), record)
        assert (got.text, got.finish, got.usage) == ("a", "stop", Usage(1, 0, 2, 0, 3))

    def test_an_end_that_says_nothing(self, profile: Profile) -> None:
        cases: list[Any] = [None, {}, {"content": None}, {"role": "assistant"}]
        for delta in cases:
            got = self.read(profile, choice({"content": "a"}), choice(delta, "length"))
            assert (got.text, got.finish) == ("a", "length"), delta

    def test_calls_that_end_with_a_stop(self, profile: Profile) -> None:
        got = self.read(profile, self.called("{}"), choice({}, "stop"))
        assert [call.name for call in got.calls] == ["f"]

    def test_a_cut_call_that_claims_to_be_whole(self, profile: Profile) -> None:
        (call,) = self.read(profile, self.called('{"a":"xxx'), choice({}, "tool_calls")).calls
        assert call.error is not None

    def test_nothing_but_a_reason(self, profile: Profile) -> None:
        cases: list[tuple[str, str]] = [("length", "length"), ("content_filter", "refusal")]
        for finish, reason in cases:
            got = self.read(profile, choice({"content": None, "reasoning": "hm"}), choice({}, finish))
            assert (got.text, got.reasoning, got.finish) == ("", "hm", reason), finish

    def test_the_end_of_reasoning_without_its_start_is_text(self, profile: Profile) -> None:
        pieces = ("internal\n</thi", 'nk>{"a":1}')
        got = self.read(profile, *(choice({"content": piece}) for piece in pieces))
        assert (got.text, got.reasoning) == ('internal\n</think>{"a":1}', "")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 3)
    | st.floats()
    | st.text(st.characters(codec=None), max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=5,
)
TEXT = st.sampled_from(["<think>", "</thi", "nk>", "\n", "a", ""])
CALL = st.fixed_dictionaries(
    {},
    optional={
        "index": st.integers(0, 2) | JSON,
        "id": st.sampled_from(["a", "b", ""]) | JSON,
        "function": JSON
        | st.fixed_dictionaries(
            {}, optional={"name": st.just("f") | JSON, "arguments": st.just("{}") | JSON}
        ),
        "extra_content": JSON,
    },
)
MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "content": TEXT | JSON,
        "reasoning": TEXT | JSON,
        "reasoning_content": TEXT | JSON,
        "reasoning_details": JSON,
        "refusal": JSON,
        "tool_calls": st.lists(CALL, max_size=3) | JSON,
    },
)
CHOICE = st.fixed_dictionaries(
    {}, optional={"index": JSON, "delta": MESSAGE | JSON, "message": MESSAGE, "finish_reason": JSON}
)
RECORD = st.fixed_dictionaries(
    {},
    optional={"choices": st.lists(CHOICE, max_size=2) | JSON, "usage": JSON, "x_groq": JSON, "error": JSON},
)


@given(st.lists(RECORD, max_size=6), st.sampled_from([ANY_SERVER, *PROFILES.values()]))
def test_whatever_a_server_says_it_is_read(records: list[dict[str, Any]], profile: Profile) -> None:
    events, answer = take(*records, profile=profile)
    plain_events, plain_answer = take(*records, profile=PROFILES["openai"])
    plain = summary(plain_events + plain_answer.end())
    got = summary(events + answer.end())
    # No profile makes or loses a call.
    assert [call.name for call in got.calls] == [call.name for call in plain.calls]
    assert [call.error for call in got.calls] == [call.error for call in plain.calls]
    if not profile.think_tags:
        assert (got.text, got.reasoning) == (plain.text, plain.reasoning)
