"""What each repair does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalturn._core.history import repaired
from finalturn._core.messages import Message, Role, ToolCall
from tests.core._conversations import IMAGE, USER, answer, asks, call


class TestCallsWithoutResults:
    def test_a_turn_that_was_cancelled_in_the_middle_gets_the_missing_result(self) -> None:
        b = call("b", "g")
        got = repaired([USER, asks(call("a"), b), answer("a"), USER])
        assert got[:3] == (USER, asks(call("a"), b), answer("a"))
        assert got[3].tool_call_id == "b"
        assert got[3].tool_name == "g"
        assert got[3].tool_result is None
        assert "not completed" in got[3].content
        assert got[4:] == (USER,)

    def test_also_at_the_end_of_the_conversation(self) -> None:
        assert [message.role for message in repaired([USER, asks(call("a"))])] == [
            "user",
            "assistant",
            "tool",
        ]

    def test_a_result_that_came_late_stands_behind_its_call(self) -> None:
        got = repaired([asks(call("a"), call("b")), answer("b"), USER, answer("a", "late")])
        assert got == (asks(call("a"), call("b")), answer("a", "late"), answer("b"), USER)

    def test_a_message_between_a_call_and_its_result_follows_them(self) -> None:
        note = Message.system("note")
        assert repaired([asks(call("a")), note, answer("a")]) == (asks(call("a")), answer("a"), note)


class TestResultsWithoutCalls:
    def test_they_become_notes_of_the_user(self) -> None:
        got = repaired([USER, answer("x", "18 degrees", name="weather"), USER])
        assert [message.role for message in got] == ["user", "user", "user"]
        assert "weather" in got[1].content
        assert got[1].content.endswith("\n\n18 degrees")

    def test_a_name_that_vendors_refuse_is_not_repeated_in_one(self) -> None:
        (note,) = repaired([answer("x", "18", name="a b")])
        assert "tool a_b," in note.content
        (note,) = repaired([answer("x", "18", name=None)])
        assert "of a tool," in note.content

    def test_their_images_stay(self) -> None:
        (note,) = repaired([replace(answer("x", ""), content_parts=(IMAGE,))])
        assert note.content_parts == (IMAGE,)

    @pytest.mark.parametrize("text", ["", " \n"])
    def test_without_anything_in_them_they_are_left_out(self, text: str) -> None:
        assert repaired([USER, answer("x", text)]) == (USER,)

    def test_a_second_result_of_a_call_is_a_note_unless_it_says_the_same(self) -> None:
        asked = asks(call("a"))
        assert repaired([asked, answer("a"), answer("a")]) == (asked, answer("a"))
        got = repaired([asked, answer("a"), answer("a", "other")])
        assert got[:2] == (asked, answer("a"))
        assert got[2].role is Role.USER

    def test_a_result_before_its_call_is_not_its_result(self) -> None:
        got = repaired([answer("a", "early"), asks(call("a"))])
        assert [message.role for message in got] == ["user", "assistant", "tool"]
        assert "not completed" in got[2].content


class TestIds:
    def test_across_responses_they_may_repeat_and_the_nearest_call_counts(self) -> None:
        got = repaired([asks(call("a")), USER, asks(call("a")), answer("a", "second")])
        assert "not completed" in got[1].content
        assert got[3:] == (asks(call("a")), answer("a", "second"))

    def test_a_second_result_goes_to_the_call_before(self) -> None:
        got = repaired([asks(call("a")), USER, asks(call("a")), answer("a", "new"), answer("a", "old")])
        assert [message.content for message in got if message.role is Role.TOOL] == ["old", "new"]

    def test_within_a_response_each_gets_its_own_on_both_sides(self) -> None:
        got = repaired(
            [
                asks(call("a"), call("a"), call("call_1")),
                answer("a", "1"),
                answer("a", "2"),
                answer("call_1", "3"),
            ]
        )
        assert [item.id for item in got[0].tool_calls] == ["a", "call_2", "call_1"]
        assert [(message.tool_call_id, message.content) for message in got[1:]] == [
            ("a", "1"),
            ("call_2", "2"),
            ("call_1", "3"),
        ]

    @pytest.mark.parametrize("nothing", [None, ""])
    def test_calls_written_as_text_get_some_in_pairs(self, nothing: str | None) -> None:
        got = repaired([
            asks(call(nothing, "f"), call(nothing, "g"), call(nothing, "f")),
            answer(nothing, "1", "f"), answer(nothing, "2", "g"), answer(nothing, "3", "f"),
        ])  # fmt: skip
        assert [item.id for item in got[0].tool_calls] == ["call_0", "call_1", "call_2"]
        assert [(message.tool_call_id, message.tool_name, message.content) for message in got[1:]] == [
            ("call_0", "f", "1"),
            ("call_1", "g", "2"),
            ("call_2", "f", "3"),
        ]

    def test_a_missing_result_does_not_shift_the_others(self) -> None:
        got = repaired([asks(call(None, "f"), call(None, "g")), answer(None, "2", "g")])
        assert [message.content for message in got[2:]] == ["2"]
        assert "not completed" in got[1].content

    def test_without_id_and_name_the_order_counts(self) -> None:
        got = repaired(
            [asks(call(None, "f"), call(None, "g")), answer(None, "1", None), answer(None, "2", None)]
        )
        assert [(message.tool_name, message.content) for message in got[1:]] == [("f", "1"), ("g", "2")]

    def test_without_an_id_a_result_of_another_tool_is_a_note(self) -> None:
        got = repaired([asks(call(None, "f")), answer(None, "1", "h")])
        assert [message.role for message in got] == ["assistant", "tool", "user"]

    def test_they_are_the_same_when_the_conversation_has_grown(self) -> None:
        start = [asks(call(None)), answer(None), asks(call(None)), answer(None)]
        assert repaired([*start, USER])[:4] == repaired(start)

    def test_a_result_that_was_matched_by_its_id_is_not_matched_by_its_name(self) -> None:
        got = repaired([asks(call("a"), call("b")), answer("a", "1"), answer(None, "2")])
        assert [message.content for message in got[1:]] == ["1", "2"]


class TestNames:
    @pytest.mark.parametrize(
        ("name", "sent"),
        [
            ("", "unnamed_tool"),
            ("  ", "unnamed_tool"),
            ("é", "unnamed_tool"),
            ("a b", "a_b"),
            ("functions.f", "functions_f"),
            ("x" * 70, "x" * 64),
        ],
    )
    def test_one_that_vendors_refuse_is_replaced_on_both_sides(self, name: str, sent: str) -> None:
        got = repaired([asks(call("a", name)), answer("a", "no such tool", name)])
        assert got[0].tool_calls[0].name == sent
        assert got[1].tool_name == sent

    @pytest.mark.parametrize("name", [None, "", "other"])
    def test_a_result_bears_the_name_of_its_call(self, name: str | None) -> None:
        assert repaired([asks(call("a")), answer("a", name=name)])[1].tool_name == "f"


class TestEmptyMessages:
    @pytest.mark.parametrize("content", ["", " \n"])
    def test_an_answer_without_text_says_the_object(self, content: str) -> None:
        message = Message(Role.ASSISTANT, content, structured='{"a":1}')
        assert repaired([USER, message])[1].content == '{"a":1}'

    def test_an_answer_with_text_stays_as_it_is(self) -> None:
        messages = [USER, Message(Role.ASSISTANT, "text", structured='{"a":1}')]
        assert repaired(messages) is messages

    @pytest.mark.parametrize(
        "message",
        [
            Message.user(""),
            Message.user(" "),
            Message.system(""),
            Message.assistant("\n"),
            Message(Role.ASSISTANT, structured=" "),
            Message(Role.USER, structured="{}"),
        ],
    )
    def test_one_with_nothing_to_say_is_left_out(self, message: Message) -> None:
        assert repaired([USER, message]) == (USER,)

    def test_blank_text_beside_something_else_is_left_out(self) -> None:
        assert repaired([Message.user(" ", IMAGE)]) == (Message.user("", IMAGE),)
        assert repaired([asks(call("a"), content="\n"), answer("a")])[0] == asks(call("a"))


class TestCallsOfOthers:
    @pytest.mark.parametrize("role", [Role.USER, Role.SYSTEM])
    def test_only_the_assistant_makes_calls(self, role: Role) -> None:
        got = repaired([Message(role, "text", tool_calls=(call("a"),)), answer("a")])
        assert got[0] == Message(role, "text")
        assert got[1].role is Role.USER

    def test_a_result_makes_none_either(self) -> None:
        got = repaired([asks(call("a")), replace(answer("a"), tool_calls=(call("b"),))])
        assert got == (asks(call("a")), answer("a"))


def test_a_call_keeps_its_error_and_what_the_provider_wants_back() -> None:
    broken = ToolCall("", {}, None, "the call names no tool", {"x": 1})
    got = repaired([asks(broken)])[0].tool_calls[0]
    assert (got.error, got.provider_data) == (broken.error, broken.provider_data)
