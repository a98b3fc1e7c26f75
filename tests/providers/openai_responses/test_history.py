"""Conversations as input items."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.messages import ContentPart, Message, Role, ToolCall
from finalturn._providers.openai_responses.history import input_items

ORIGIN = "here"
USER = Message.user("hi")
URL_IMAGE = ContentPart.image_url("https://x/a.png")
DATA_IMAGE = ContentPart.image_base64("aGk=", "image/png")
SHOWN_URL = {"type": "input_image", "image_url": "https://x/a.png", "detail": "auto"}
SHOWN_DATA = {"type": "input_image", "image_url": "data:image/png;base64,aGk=", "detail": "auto"}
THOUGHT: dict[str, Any] = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gA"}
COMMENT = {"type": "message", "phase": "commentary"}


def items(*messages: Message, replay: bool = True) -> list[dict[str, Any]]:
    return input_items(messages, ORIGIN, replay=replay)


def said(text: str, place: int, **fields: Any) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "output_text", "text": text, "annotations": []}]
    found: dict[str, Any] = {
        "type": "message",
        "id": f"msg_{place}",
        "role": "assistant",
        "status": "completed",
        "content": content,
    }
    return found | fields


def asked(call_id: str, name: str = "f", arguments: str = "{}") -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}


def call(call_id: str, *before: dict[str, Any], origin: str = ORIGIN) -> ToolCall:
    data = {"responses": {"origin": origin, "before": list(before)}} if before else None
    return ToolCall("f", {}, call_id, provider_data=data)


def result(call_id: str, text: str = "ok", *parts: ContentPart) -> Message:
    return Message(Role.TOOL, text, tool_name="f", tool_call_id=call_id, content_parts=parts)


class TestMessages:
    def test_each_role_has_its_form(self) -> None:
        assert items(Message.system("s"), USER, Message.assistant("a"), Message.system("late"), USER) == [
            {"role": "system", "content": "s"},
            {"role": "user", "content": "hi"},
            said("a", 2),
            {"role": "system", "content": "late"},
            {"role": "user", "content": "hi"},
        ]

    def test_a_structured_answer_is_said_where_there_is_no_text(self) -> None:
        assert items(Message(Role.ASSISTANT, structured='{"a":1}')) == [said('{"a":1}', 0)]
        assert items(Message(Role.ASSISTANT, "prose", structured='{"a":1}')) == [said("prose", 0)]

    def test_the_view_is_a_repaired_one(self) -> None:
        found = items(USER, Message.assistant("", tool_calls=[ToolCall("")]), Message.assistant(""), USER)
        assert [item.get("type") for item in found] == [None, "function_call", "function_call_output", None]
        assert found[1]["call_id"] == found[2]["call_id"]
        assert found[1]["name"]


class TestCalls:
    def test_calls_and_results(self) -> None:
        asks = Message.assistant("wait", tool_calls=[ToolCall("f", {"a": [1]}, "x"), ToolCall("g", {}, "y")])
        second = Message(Role.TOOL, "", tool_name="g", tool_call_id="y")
        assert items(asks, result("x"), second) == [
            said("wait", 0),
            asked("x", arguments='{"a":[1]}'),
            asked("y", "g"),
            {"type": "function_call_output", "call_id": "x", "output": "ok"},
            {"type": "function_call_output", "call_id": "y", "output": ""},
        ]

    def test_arguments_go_back_as_the_model_wrote_them(self) -> None:
        written = ToolCall("f", {"n": 1.0}, "x", _text='{ "n": 1.00 }')
        assert items(Message.assistant("", tool_calls=[written]))[0] == asked("x", arguments='{ "n": 1.00 }')

    def test_malformed_arguments_go_back_as_an_empty_object(self) -> None:
        broken = ToolCall("f", {}, "x", "the arguments are not valid JSON")
        assert items(Message.assistant("", tool_calls=[broken]))[0] == asked("x")

    def test_an_id_that_is_too_long_is_replaced_by_one_of_its_own(self) -> None:
        long = ["a" * 65, "a" * 66 + "\ud800"]
        found = items(Message.assistant("", tool_calls=[call(name) for name in long]), *map(result, long))
        ids = [item["call_id"] for item in found]
        assert ids[:2] == ids[2:]
        assert len(set(ids)) == 2
        assert all(len(name) <= 64 for name in ids)
        assert items(Message.assistant("", tool_calls=[call("a" * 64)]))[0]["call_id"] == "a" * 64


class TestReplay:
    def test_what_came_before_a_call_goes_back_before_it(self) -> None:
        asks = Message.assistant("", tool_calls=[call("x", THOUGHT), call("y")])
        assert items(asks, result("x"), result("y"))[:3] == [THOUGHT, asked("x"), asked("y")]

    def test_the_text_stands_where_it_stood(self) -> None:
        asks = Message.assistant("wait", tool_calls=[call("x", THOUGHT, COMMENT)])
        assert items(asks)[:3] == [THOUGHT, said("wait", 1, phase="commentary"), asked("x")]
        asks = Message.assistant("wait", tool_calls=[call("x", {"type": "message"}, THOUGHT)])
        assert items(asks)[:3] == [said("wait", 0), THOUGHT, asked("x")]
        asks = Message.assistant("wait", tool_calls=[call("x"), call("y", COMMENT, THOUGHT, COMMENT)])
        assert items(asks)[:4] == [asked("x"), said("wait", 1, phase="commentary"), THOUGHT, asked("y")]

    def test_without_a_place_it_stands_first(self) -> None:
        asks = Message.assistant("wait", tool_calls=[call("x", THOUGHT)])
        assert items(asks)[:3] == [said("wait", 0), THOUGHT, asked("x")]

    def test_text_that_is_gone_leaves_no_empty_message(self) -> None:
        assert items(Message.assistant("", tool_calls=[call("x", THOUGHT, COMMENT)]))[:2] == [
            THOUGHT,
            asked("x"),
        ]

    def test_another_server_or_model_does_not_get_it(self) -> None:
        asks = Message.assistant("wait", tool_calls=[call("x", THOUGHT, COMMENT, origin="elsewhere")])
        assert items(asks)[:2] == [said("wait", 0), asked("x")]

    def test_the_reasoning_can_be_left_out(self) -> None:
        asks = Message.assistant("wait", tool_calls=[call("x", THOUGHT, COMMENT)])
        assert items(asks, replay=False)[:2] == [said("wait", 0, phase="commentary"), asked("x")]

    def test_a_model_that_marks_its_messages_gets_all_of_them_marked(self) -> None:
        asks = Message.assistant("wait", tool_calls=[call("x", COMMENT)])
        found = items(Message.assistant("before"), USER, asks, result("x"), Message.assistant("so"))
        assert [item["phase"] for item in found if item.get("role") == "assistant"] == [
            "final_answer", "commentary", "final_answer"
        ]  # fmt: skip


class TestImages:
    def test_they_follow_the_text(self) -> None:
        text = {"type": "input_text", "text": "look"}
        assert items(Message.user("look", URL_IMAGE, DATA_IMAGE)) == [
            {"role": "user", "content": [text, SHOWN_URL, SHOWN_DATA]}
        ]
        assert items(Message.user("", URL_IMAGE)) == [{"role": "user", "content": [SHOWN_URL]}]

    def test_those_of_results_follow_all_of_them(self) -> None:
        asks = Message.assistant("", tool_calls=[call("x"), call("y")])
        found = items(asks, result("x", "1", URL_IMAGE), result("y", "2", DATA_IMAGE), USER)
        assert [item.get("type", item.get("role")) for item in found] == [
            "function_call", "function_call", "function_call_output", "function_call_output", "user", "user"
        ]  # fmt: skip
        assert found[4]["content"] == [SHOWN_URL, SHOWN_DATA]

    @pytest.mark.parametrize("role", [Role.ASSISTANT, Role.SYSTEM])
    def test_a_message_of_nothing_but_them_is_not_sent_empty(self, role: Role) -> None:
        assert items(Message(role, content_parts=(URL_IMAGE,))) == [{"role": "user", "content": [SHOWN_URL]}]


TEXT = st.text(st.characters(codec=None), max_size=5)
KEPT: list[dict[str, Any] | None] = [
    None,
    {"responses": {"origin": ORIGIN, "before": [COMMENT, THOUGHT, {"type": "message", "phase": 7}, 3]}},
    {"responses": {"origin": ORIGIN, "before": {}}},
    {"responses": [1]},
]
CALLS = st.lists(
    st.builds(ToolCall, TEXT, st.just({}), st.none() | TEXT, provider_data=st.sampled_from(KEPT)), max_size=2
)
MESSAGES = st.lists(
    st.builds(
        Message,
        st.sampled_from(Role),
        TEXT,
        CALLS.map(tuple),
        tool_call_id=st.none() | TEXT,
        content_parts=st.sampled_from([(), (URL_IMAGE,)]),
    ),
    max_size=5,
)


@given(MESSAGES, st.booleans())
def test_whatever_a_history_holds_it_can_be_sent(messages: list[Message], replay: bool) -> None:
    found = items(*messages, replay=replay)
    assert json.dumps(found)
    awaited: set[str] = set()
    for item in found:
        if item.get("type") == "function_call":
            assert item["call_id"] not in awaited
            awaited.add(item["call_id"])
            assert isinstance(json.loads(item["arguments"]), dict)
        elif item.get("type") == "function_call_output":
            awaited.remove(item["call_id"])
        elif item.get("type") != "reasoning":
            assert item["content"]
    assert not awaited
    ids = [item["id"] for item in found if item.get("type") == "message"]
    assert len(set(ids)) == len(ids)
