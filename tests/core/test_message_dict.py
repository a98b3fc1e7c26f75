"""Messages as dictionaries: every one comes back, and everything else is refused by the name of its field."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from finalturn._core import json_text
from finalturn._core.errors import MessageFormatError
from finalturn._core.json_text import MAX_DEPTH
from finalturn._core.messages import ContentPart, Message, Role, ToolCall
from tests.core._values import EVERY_CHARACTER, EVERY_PAIR, LOOKALIKES, MESSAGES, filled, nested

DEEPEST = {"a": nested(MAX_DEPTH - 1)}


def test_what_is_none_is_left_out() -> None:
    assert Message.user("hi").to_dict() == {"role": "user", "content": "hi"}
    assert ToolCall("f").to_dict() == {"name": "f", "arguments": {}}
    assert ContentPart.image_url("u").to_dict() == {"kind": "image", "url": "u"}


def test_everything_else_is_in_it() -> None:
    call = ToolCall("f", {"a": (1, 2)}, "c1", "cut", {"s": 1})
    part = ContentPart.image_base64("aGk=", "image/png")
    message = Message(Role.ASSISTANT, "text", (call,), "f", "c1", "", (part,), "{}")
    assert message.to_dict() == {
        "role": "assistant",
        "content": "text",
        "tool_calls": [
            {"name": "f", "arguments": {"a": [1, 2]}, "id": "c1", "error": "cut", "provider_data": {"s": 1}}
        ],
        "tool_name": "f",
        "tool_call_id": "c1",
        "tool_result": "",
        "structured": "{}",
        "content_parts": [{"kind": "image", "data": "aGk=", "media_type": "image/png"}],
    }


def test_a_tool_that_failed_is_told_from_one_that_said_nothing() -> None:
    failed = Message(Role.TOOL, "timed out", tool_name="f")
    silent = Message(Role.TOOL, "", tool_name="f", tool_result="")
    assert failed.to_dict()["tool_result"] is None
    assert silent.to_dict()["tool_result"] == ""
    assert Message.from_dict(failed.to_dict()).tool_result is None
    assert Message.from_dict(silent.to_dict()).tool_result == ""


def test_a_dictionary_is_plain_and_apart() -> None:
    call = ToolCall("f", {"a": [1]})
    found = Message.assistant("", tool_calls=[call]).to_dict()
    found["tool_calls"][0]["arguments"]["a"].append(2)
    assert call.arguments == {"a": [1]}
    assert (type(found["role"]), type(found["tool_calls"][0]["arguments"])) == (str, dict)


@given(MESSAGES)
@example(Message(Role.TOOL, "null", tool_result="None", tool_name=""))
@example(Message.assistant("", tool_calls=[ToolCall("f", DEEPEST, provider_data=DEEPEST)]))
@example(Message.assistant("", tool_calls=[ToolCall("f", {"id": 9007199254740993})]))
def test_every_message_comes_back(message: Message) -> None:
    found = message.to_dict()
    again = Message.from_dict(found)
    assert again == message
    assert again.to_dict() == found


def test_every_character_comes_back_wherever_it_stands() -> None:
    for message in (*filled(EVERY_CHARACTER), *filled(EVERY_PAIR)):
        again = Message.from_dict(message.to_dict())
        assert again == message
        assert again.to_dict() == message.to_dict()


HALVES_TOGETHER = re.compile("[\ud800-\udbff][\udc00-\udfff]")


@given(MESSAGES)
@example(Message.assistant("\ud83d", tool_calls=[ToolCall("f", {"n": 10**4300 - 1, "\udc00": DEEPEST["a"]})]))
def test_every_message_comes_back_through_json_text(message: Message) -> None:
    text = json.dumps(message.to_dict())
    # Two halves that stand together by chance are one character to a reader of JSON.
    assume(not HALVES_TOGETHER.search(json.dumps(message.to_dict(), ensure_ascii=False)))
    again = Message.from_dict(json.loads(text))
    assert again == message
    assert json.dumps(again.to_dict()) == text


@given(MESSAGES)
@example(Message.assistant("\ud83d", tool_calls=[ToolCall("f", DEEPEST, provider_data=DEEPEST)]))
def test_as_utf8_it_is_a_fixed_point_once_halves_of_pairs_are_replaced(message: Message) -> None:
    """This is how a store writes it: nothing that a message can hold makes that fail, in a list too."""
    text = json_text.encode([message.to_dict()])
    again = [Message.from_dict(one) for one in json_text.decode(text, max_depth=MAX_DEPTH + 10)]
    assert json_text.encode([one.to_dict() for one in again]) == text


MALFORMED: list[tuple[Any, str]] = [
    (None, "a Message is read from a mapping, not NoneType"),
    ([], "a Message is read from a mapping, not list"),
    ("user", "a Message is read from a mapping, not str"),
    ({}, "role: is missing"),
    ({"role": "robot"}, "role: must be one of system, user, assistant, tool"),
    ({"role": {}}, "role: must be one of system, user, assistant, tool"),
    ({"role": "user", "text": "x"}, "text: is not a field of Message"),
    ({"role": "user", 1: "x"}, "1: is not a field of Message"),
    ({"role": "user", "content": None}, "content: must be a str, not NoneType"),
    ({"role": "tool", "tool_result": 1}, "tool_result: must be a str or None, not int"),
    ({"role": "user", "tool_calls": None}, "tool_calls: must be an array, not NoneType"),
    ({"role": "user", "tool_calls": {}}, "tool_calls: must be an array, not dict"),
    ({"role": "user", "tool_calls": "ab"}, "tool_calls: must be an array, not str"),
    ({"role": "user", "tool_calls": [1]}, "tool_calls[0]: a ToolCall is read from a mapping, not int"),
    ({"role": "user", "tool_calls": [{}]}, "tool_calls[0].name: is missing"),
    (
        {"role": "user", "tool_calls": [{"name": "f"}, {"name": "g", "arguments": "{}"}]},
        "tool_calls[1].arguments: must be a JSON object, not str",
    ),
    (
        {"role": "user", "tool_calls": [{"name": "f", "arguments": {"a": nested(100)}}]},
        "tool_calls[0].arguments: is nested more than 100 deep",
    ),
    (
        {"role": "user", "tool_calls": [{"name": "f", "provider_data": []}]},
        "tool_calls[0].provider_data: must be a JSON object, not list",
    ),
    (
        {"role": "user", "tool_calls": [{"name": "f", "_text": "{}"}]},
        "tool_calls[0]._text: is not a field of ToolCall",
    ),
    ({"role": "user", "content_parts": [{}]}, "content_parts[0].kind: is missing"),
    (
        {"role": "user", "content_parts": [{"kind": "image", "data": "d"}]},
        "content_parts[0].media_type: is needed with data, such as 'image/png'",
    ),
]


@pytest.mark.parametrize(("given", "error"), MALFORMED)
def test_a_malformed_one_is_refused_by_the_name_of_its_field(given: Any, error: str) -> None:
    with pytest.raises(MessageFormatError) as caught:
        Message.from_dict(given)
    assert str(caught.value) == error
    assert caught.value.field == (error.partition(": ")[0] if ": " in error else "")


@given(LOOKALIKES | st.dictionaries(st.sampled_from(["role", "tool_calls", "content_parts"]), LOOKALIKES))
@example({"role": "user", "tool_calls": [{"name": "f", "arguments": {"a": 10**5000}}]})
@example({"role": "user", "tool_calls": [{"name": "f", "arguments": {"a": nested(300)}}]})
@example({"role": "user", "tool_calls": [{"name": "f", "arguments": json.loads("[1e999, NaN]")}]})
def test_whatever_json_comes_it_is_read_exactly_or_refused(found: Any) -> None:
    try:
        message = Message.from_dict(found)
    except MessageFormatError:
        return
    written = message.to_dict()
    assert Message.from_dict(written) == message
    for name in found.keys() - {"tool_calls", "content_parts"}:
        assert written.get(name) == found[name]


@given(LOOKALIKES)
def test_the_same_holds_for_calls_and_parts(found: Any) -> None:
    for kind in (ToolCall, ContentPart):
        try:
            thing = kind.from_dict(found)
        except MessageFormatError:
            continue
        assert kind.from_dict(thing.to_dict()) == thing
