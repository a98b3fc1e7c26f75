"""A turn's messages as text."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from finalturn import Message, MessageFormatError, Role, SessionError, ToolCall
from finalturn._core import json_text
from finalturn._core.json_text import MAX_DEPTH, without_surrogates
from finalturn._sessions.turn_text import decode_turn, encode_turn, read_messages
from tests.core._values import EVERY_CHARACTER, EVERY_PAIR, MESSAGES, PITFALLS, filled, nested

DEEPEST = {"a": nested(MAX_DEPTH - 1)}


@given(st.lists(MESSAGES, max_size=4))
@example([Message.assistant("", tool_calls=[ToolCall("f", DEEPEST, provider_data=DEEPEST)])])
@example([Message.assistant("\ud83d\x00😀\u2028", tool_calls=[ToolCall("f", {"n": 10**4300 - 1})])])
def test_it_comes_back_without_halves_of_pairs(messages: list[Message]) -> None:
    text = encode_turn(messages)
    # Such characters fit every text column in every encoding.
    assert text.isascii() and min(text) >= " "
    expected = json_text.decode(json_text.encode([message.to_dict() for message in messages]), max_depth=110)
    found = decode_turn(text)
    assert [message.to_dict() for message in found] == expected
    assert [one.content for one in found] == [without_surrogates(one.content) for one in messages]
    assert encode_turn(found) == text


def test_every_character_comes_back_but_halves_of_pairs() -> None:
    messages = [Message(Role.TOOL, EVERY_CHARACTER, tool_result=EVERY_CHARACTER)]
    kept = without_surrogates(EVERY_CHARACTER)
    assert decode_turn(encode_turn(messages)) == (Message(Role.TOOL, kept, tool_result=kept),)


def test_awkward_characters_come_back_wherever_they_stand() -> None:
    text = without_surrogates(EVERY_PAIR)
    assert list(decode_turn(encode_turn(filled(text)))) == filled(text)


def test_every_pair_of_pitfalls_comes_back() -> None:
    for first in PITFALLS:
        texts = [first + second for second in PITFALLS]
        messages = [Message.user(text) for text in texts]
        # Two halves that stand side by side are one character.
        kept = [without_surrogates(text) for text in texts]
        assert [one.content for one in decode_turn(encode_turn(messages))] == kept, ascii(first)


def test_it_is_json_as_others_read_it() -> None:
    assert (
        encode_turn([Message.user("ü😀\x00")]) == '[{"role":"user","content":"\\u00fc\\ud83d\\ude00\\u0000"}]'
    )
    assert json.loads(encode_turn([Message.user("ü😀\x00")]))[0]["content"] == "ü😀\x00"
    assert encode_turn([]) == "[]"


def test_what_could_not_be_read_back_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(message: Message) -> dict[str, object]:
        return {"role": "user", "content": "secret", "nested": nested(150)}

    monkeypatch.setattr(Message, "to_dict", unreadable)
    with pytest.raises(SessionError, match="could not be read back") as caught:
        encode_turn([Message.user("hi")])
    assert "secret" not in str(caught.value) and caught.value.__suppress_context__


@pytest.mark.parametrize("text", ["", "{", "null", "{}", "[1]", "[[]]", '[{"role": "nobody"}]', "[NaN]"])
def test_what_is_no_turn_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        decode_turn(text)


def test_the_field_is_named() -> None:
    with pytest.raises(MessageFormatError) as caught:
        read_messages([{"role": "user"}, {"role": "user", "content": 1}])
    assert caught.value.field == "messages[1].content"
    with pytest.raises(MessageFormatError) as caught:
        read_messages([7])
    assert caught.value.field == "messages[0]"
