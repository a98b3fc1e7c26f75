"""The items of an answer, as events."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from finalturn._core.model import ModelEnd, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn._core.result import Usage
from tests.providers._responses_wire import call, ended, events_of, message, reasoning, rec, take

TEXT = "response.output_text.delta"
REFUSAL = "response.refusal.delta"
ARGUMENTS = "response.function_call_arguments.delta"
ADDED, DONE = "response.output_item.added", "response.output_item.done"
SUMMARY, THOUGHT = "response.reasoning_summary_text.delta", "response.reasoning_text.delta"
TOKENS = Usage(7, 0, 3, 0, 10)


class TestText:
    def test_deltas_are_text_at_once(self) -> None:
        assert take(rec(TEXT, delta="a"), rec(TEXT, delta="b"))[0] == [TextDelta("a"), TextDelta("b")]

    @pytest.mark.parametrize("delta", [None, "", 7, {"text": "a"}])
    def test_nothing_is_not_text(self, delta: object) -> None:
        assert take(rec(TEXT, delta=delta))[0] == []

    def test_what_has_not_come_in_pieces_comes_with_the_item(self) -> None:
        records = [rec(ADDED, item=message("")), rec(TEXT, delta="Hel"), rec(DONE, item=message("Hello"))]
        assert take(*records)[0] == [TextDelta("Hel"), TextDelta("lo")]

    def test_an_item_that_says_something_else_adds_nothing(self) -> None:
        assert take(rec(TEXT, delta="llo"), rec(DONE, item=message("Hello")))[0] == [TextDelta("llo")]

    def test_an_item_may_only_come_with_the_whole_answer(self) -> None:
        assert events_of(ended(message("Hello")))[0] == TextDelta("Hello")
        assert events_of(rec(ADDED, item=message("")), ended(message("Hello")))[0] == TextDelta("Hello")

    def test_nothing_is_said_twice(self) -> None:
        events = events_of(
            rec(TEXT, delta="Hello"), rec(DONE, item=message("Hello")), ended(message("Hello", "x"))
        )
        assert events == [TextDelta("Hello"), ModelEnd("stop", TOKENS)]

    def test_a_refusal_is_text_and_ends_as_one(self) -> None:
        assert events_of(rec(REFUSAL, delta="I "), rec(REFUSAL, delta="can't."), ended()) == [
            TextDelta("I "),
            TextDelta("can't."),
            ModelEnd("refusal", TOKENS),
        ]

    def test_a_refusal_may_only_come_with_its_item(self) -> None:
        refusal = {"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}
        assert events_of(ended(refusal)) == [TextDelta("No."), ModelEnd("refusal", TOKENS)]


class TestPhases:
    COMMENT = message("Let me see.", "m1", phase="commentary")
    ANSWER = message('{"a":1}', "m2", phase="final_answer")

    def test_commentary_and_the_answer_stand_apart(self) -> None:
        streamed = events_of(
            rec(ADDED, output_index=0, item={**self.COMMENT, "content": []}),
            rec(TEXT, output_index=0, delta="Let me see."),
            rec(DONE, output_index=0, item=self.COMMENT),
            rec(ADDED, output_index=1, item={**self.ANSWER, "content": []}),
            rec(TEXT, output_index=1, delta='{"a'),
            rec(TEXT, output_index=1, delta='":1}'),
            rec(DONE, output_index=1, item=self.ANSWER),
            ended(self.COMMENT, self.ANSWER),
        )
        assert streamed == [
            TextDelta("Let me see."), TextDelta('\n\n{"a'), TextDelta('":1}'), ModelEnd("stop", TOKENS)
        ]  # fmt: skip
        assert events_of(ended(self.COMMENT, self.ANSWER)) == [
            TextDelta("Let me see."), TextDelta('\n\n{"a":1}'), ModelEnd("stop", TOKENS)
        ]  # fmt: skip

    def test_an_answer_that_repeats_it_is_said_once(self) -> None:
        comment = message('{"a":1}', "m1", phase="commentary")
        assert events_of(ended(comment, self.ANSWER)) == [TextDelta('{"a":1}'), ModelEnd("stop", TOKENS)]

    def test_an_answer_that_begins_like_it_is_all_there_at_the_end(self) -> None:
        short = message("Let me", "m2", phase="final_answer")
        assert events_of(ended(self.COMMENT, short))[:2] == [
            TextDelta("Let me see."),
            TextDelta("\n\nLet me"),
        ]

    def test_messages_without_one_are_one_text(self) -> None:
        assert events_of(ended(message("a", "m1"), message("b", "m2")))[:2] == [
            TextDelta("a"),
            TextDelta("b"),
        ]


class TestReasoning:
    @pytest.mark.parametrize("kind", [SUMMARY, THOUGHT])
    def test_it_is_never_text(self, kind: str) -> None:
        assert take(rec(kind, delta="hm"), rec(kind, delta=""))[0] == [ReasoningDelta("hm")]

    def test_its_summary_does_not_repeat_it(self) -> None:
        assert take(rec(THOUGHT, delta="hm"), rec(SUMMARY, delta="short"))[0] == [ReasoningDelta("hm")]

    def test_it_may_come_with_its_item_only(self) -> None:
        assert take(rec(DONE, item=reasoning("hm")))[0] == [ReasoningDelta("hm")]
        assert take(rec(THOUGHT, delta="hm"), rec(DONE, item=reasoning("hm")))[0] == [ReasoningDelta("hm")]
        assert events_of(ended(reasoning("hm"), message("a")))[:2] == [ReasoningDelta("hm"), TextDelta("a")]


class TestCalls:
    def test_one_is_given_when_the_answer_is_complete(self) -> None:
        records = [
            rec(ADDED, output_index=0, item=call("f", "", "x", id="fc_1")),
            rec(ARGUMENTS, output_index=0, item_id="fc_1", delta='{"a"'),
            rec(ARGUMENTS, output_index=0, item_id="fc_1", delta=":1}"),
        ]
        assert take(*records)[0] == []
        assert events_of(*records, ended()) == [
            ToolCallDelta(0, "x", "f", '{"a":1}'),
            ModelEnd("tool_calls", TOKENS),
        ]

    def test_the_whole_arguments_win_over_the_pieces(self) -> None:
        records = [rec(ADDED, item=call("f", "", "x")), rec(ARGUMENTS, delta='{"a')]
        done = rec("response.function_call_arguments.done", arguments='{"b":2}', name="g")
        assert events_of(*records, done, ended())[0] == ToolCallDelta(0, "x", "g", '{"b":2}')
        item = rec(DONE, item=call("f", '{"c":3}', "x"))
        assert events_of(*records, done, item, ended())[0] == ToolCallDelta(0, "x", "f", '{"c":3}')

    def test_an_empty_object_says_nothing_of_the_arguments(self) -> None:
        pieces = [rec(ARGUMENTS, delta='{"q"'), rec(ARGUMENTS, delta=":1}")]
        done = rec("response.function_call_arguments.done", arguments="{}")
        found = events_of(rec(ADDED, item=call("f", "", "x")), *pieces, done, ended())[0]
        assert found == ToolCallDelta(0, "x", "f", '{"q":1}')
        first = events_of(rec(ADDED, item=call("f", "{}", "x")), *pieces, ended())[0]
        assert first == ToolCallDelta(0, "x", "f", '{}{"q":1}')

    def test_several_keep_their_order(self) -> None:
        events = events_of(
            rec(ADDED, output_index=1, item=call("f", "", "x")),
            rec(ADDED, output_index=2, item=call("g", "", "y")),
            rec(ARGUMENTS, output_index=2, delta='{"b":'),
            rec(ARGUMENTS, output_index=1, delta='{"a":'),
            rec(ARGUMENTS, output_index=2, delta="2}"),
            rec(ARGUMENTS, output_index=1, delta="1}"),
            rec(DONE, output_index=2, item=call("g", '{"b":2}', "y")),
            ended(call("f", '{"a":1}', "x"), call("g", '{"b":2}', "y")),
        )
        assert events[:2] == [ToolCallDelta(0, "x", "f", '{"a":1}'), ToolCallDelta(1, "y", "g", '{"b":2}')]

    def test_one_may_only_come_with_the_whole_answer(self) -> None:
        assert events_of(rec(TEXT, delta="a"), ended(message("a"), call("f", "{}", "x")))[1:] == [
            ToolCallDelta(0, "x", "f", "{}"),
            ModelEnd("tool_calls", TOKENS),
        ]

    def test_it_may_lack_everything(self) -> None:
        assert events_of(rec(ARGUMENTS, delta="{}"), ended())[0] == ToolCallDelta(0, None, "", "{}")

    def test_calls_of_the_server_s_own_tools_are_not_ours(self) -> None:
        items: list[dict[str, Any]] = [
            {"type": "tool_search_call", "call_id": "x", "arguments": {"q": 1}},
            {"type": "mcp_call"},
        ]
        assert events_of(*(rec(DONE, item=item) for item in items), ended(*items)) == [
            ModelEnd("stop", TOKENS)
        ]


class TestReplay:
    THOUGHT = reasoning(encrypted_content="gA")
    BACK: ClassVar[dict[str, Any]] = {
        "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gA"
    }  # fmt: skip

    def data(self, *before: dict[str, Any]) -> dict[str, Any]:
        return {"responses": {"origin": "origin", "before": list(before)}}

    def test_what_was_thought_and_said_before_a_call_rides_on_it(self) -> None:
        comment = message("Wait.", phase="commentary")
        events = events_of(ended(self.THOUGHT, comment, call("f", "{}", "x"), call("g", "{}", "y")))
        assert events[1:3] == [
            ToolCallDelta(
                0, "x", "f", "{}", self.data(self.BACK, {"type": "message", "phase": "commentary"})
            ),
            ToolCallDelta(1, "y", "g", "{}"),
        ]

    def test_each_call_has_what_stood_before_it(self) -> None:
        events = events_of(ended(call("f", "{}", "x"), self.THOUGHT, call("g", "{}", "y"), self.THOUGHT))
        assert events[:2] == [
            ToolCallDelta(0, "x", "f", "{}"),
            ToolCallDelta(1, "y", "g", "{}", self.data(self.BACK)),
        ]

    def test_only_the_complete_item_counts(self) -> None:
        early = reasoning(encrypted_content="half")
        events = events_of(
            rec(ADDED, item=early), rec(DONE, item=self.THOUGHT), ended(early, call("f", "{}", "x"))
        )
        assert events[0] == ToolCallDelta(0, "x", "f", "{}", self.data(self.BACK))


def test_halves_of_surrogate_pairs_are_left_to_who_joins_the_text() -> None:
    assert take(rec(TEXT, delta="\ud83d"), rec(TEXT, delta="\ude00"))[0] == [
        TextDelta("\ud83d"),
        TextDelta("\ude00"),
    ]
