"""Conversations in formats of content blocks: what all of them want, with blocks of no vendor's."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.history import repaired
from finalturn._core.messages import ContentPart, Message, Role, ToolCall
from finalturn._providers.blocks.history import BEGIN, BETWEEN, CONTINUE, BlockHistory
from finalturn._providers.blocks.replay import Prefix, replay_data

IMAGE = ContentPart.image_url("https://example.org/a.png")
USER = Message.user("hi")


class PlainHistory(BlockHistory):
    longest_id: ClassVar[int] = 6

    def unique_id(self, call_id: str) -> str:
        return self._unique_id(call_id)

    def _text_blocks(self, text: str) -> list[dict[str, Any]]:
        return [] if not text or text.isspace() else [{"text": text}]

    def _image_block(self, part: ContentPart) -> dict[str, Any]:
        return {"image": part.url}

    def _call_block(self, call: ToolCall) -> dict[str, Any]:
        return {"call": self._unique_id(call.id or "")}

    def _add_result(self, message: Message, images: list[dict[str, Any]]) -> None:
        self._images += images
        self._append("user", [{"result": message.content}])


class ApartHistory(PlainHistory):
    def _may_share_message(self, content: list[dict[str, Any]], blocks: list[dict[str, Any]]) -> bool:
        return "result" not in content[-1] or "result" in blocks[0]


def encode(*messages: Message, kind: type[PlainHistory] = PlainHistory) -> list[dict[str, Any]]:
    history = kind(Prefix("server"), thoughts=True, anywhere=False)
    for message in repaired(messages):
        history.add(message)
    return history.finish()


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def calls(*ids: str) -> Message:
    return Message.assistant("", tool_calls=[ToolCall("f", {}, call_id) for call_id in ids])


def result(call_id: str, *parts: ContentPart) -> Message:
    return Message(
        Role.TOOL, "ok", tool_name="f", tool_call_id=call_id, tool_result="ok", content_parts=parts
    )


def test_the_user_begins_and_ends() -> None:
    assert encode() == [user({"text": BEGIN})]
    assert encode(Message.assistant("Hi.")) == [
        user({"text": BEGIN}), assistant({"text": "Hi."}), user({"text": CONTINUE})
    ]  # fmt: skip


def test_messages_of_one_role_become_one_without_blank_texts() -> None:
    assert encode(USER, Message.user(" "), Message.user("you")) == [user({"text": "hi"}, {"text": "you"})]


def test_images_of_results_follow_all_results() -> None:
    assert encode(USER, calls("a", "b"), result("a", IMAGE), result("b")) == [
        user({"text": "hi"}),
        assistant({"call": "a"}, {"call": "b"}),
        user({"result": "ok"}, {"result": "ok"}, {"image": IMAGE.url}),
    ]


def test_blocks_that_may_not_share_a_message_are_kept_apart_by_an_answer() -> None:
    messages = encode(USER, calls("a"), result("a"), Message.user("you"), kind=ApartHistory)
    assert messages[2:] == [user({"result": "ok"}), assistant({"text": BETWEEN}), user({"text": "you"})]


@given(st.lists(st.text(max_size=12), max_size=8))
def test_ids_are_unique_short_and_of_plain_characters(ids: list[str]) -> None:
    history = PlainHistory(Prefix("server"), thoughts=True, anywhere=False)
    sent = [history.unique_id(call_id) for call_id in ids]
    assert len(set(sent)) == len(sent)
    for call_id in sent:
        assert 0 < len(call_id) <= PlainHistory.longest_id
        assert call_id.replace("_", "a").replace("-", "a").isalnum()
        assert call_id.isascii()


@pytest.mark.parametrize(("before", "goes_back"), [("hi", True), ("other", False)])
def test_thoughts_go_back_behind_what_they_followed(before: str, goes_back: bool) -> None:
    history = PlainHistory(Prefix("server"), thoughts=True, anywhere=False)
    history.add(USER)
    data = replay_data([{"thought": "hm"}, None], history.cover)
    answer = Message.assistant("", tool_calls=[ToolCall("f", {}, "a", provider_data=data)])

    again = PlainHistory(Prefix("server"), thoughts=True, anywhere=False)
    again.add(Message.user(before))
    again.add(answer)
    assert again.carries is goes_back
    assert ({"thought": "hm"} in again.finish()[1]["content"]) is goes_back
