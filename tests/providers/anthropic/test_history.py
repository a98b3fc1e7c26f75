"""Conversations, as the API takes them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core import json_text
from finalturn._core.history import repaired
from finalturn._core.messages import ContentPart, Message, Role, ToolCall
from finalturn._providers.anthropic.history import AnthropicHistory, called_names, image_block
from finalturn._providers.blocks.history import BEGIN, CONTINUE, FAILED
from finalturn._providers.blocks.replay import Prefix, replay_data

SERVER = "http://x/v1/messages"
USER = Message.user("hi")
URL_IMAGE = ContentPart.image_url("https://example.org/a.png")
DATA_IMAGE = ContentPart.image_base64("aGk=", "image/png")
SHOWN_URL = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
SHOWN_DATA = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "sig"}


def encode(
    given_messages: Sequence[Message], *, system: str = "", thoughts: bool = True, anywhere: bool = False
) -> tuple[Any, AnthropicHistory]:
    history = AnthropicHistory(Prefix(SERVER, system), thoughts=thoughts, anywhere=anywhere)
    for message in repaired(given_messages):
        history.add(message)
    return json.loads(json_text.encode(history.finish())), history


def messages(*given_messages: Message) -> Any:
    return encode(given_messages)[0]


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def asks(*ids: str, words: str = "", **fields: Any) -> Message:
    return Message.assistant(
        words, tool_calls=[ToolCall("f", {"n": 1}, call_id, **fields) for call_id in ids]
    )


def result(call_id: str, words: str = "ok", *parts: ContentPart, failed: bool = False) -> Message:
    kept_result = None if failed else words
    return Message(
        Role.TOOL, words, tool_name="f", tool_call_id=call_id, tool_result=kept_result, content_parts=parts
    )


def use(call_id: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "f", "input": {"n": 1}}


def answered(call_id: str, content: Any = "ok", **fields: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **fields}


class TestRoles:
    def test_neighbours_are_one_message(self) -> None:
        encoded = messages(USER, Message.user("there"), Message.assistant("a"), Message.assistant("b"), USER)
        assert encoded == [user(text("hi"), text("there")), assistant(text("a"), text("b")), user(text("hi"))]

    def test_system_messages_have_no_place(self) -> None:
        assert messages(USER, Message.system("now"), USER) == [user(text("hi"), text("hi"))]

    def test_the_user_begins(self) -> None:
        assert messages(Message.assistant("Hello!"), USER) == [
            user(text(BEGIN)),
            assistant(text("Hello!")),
            user(text("hi")),
        ]

    def test_and_is_the_last_to_speak(self) -> None:
        encoded = messages(USER, Message.assistant("a "))
        assert encoded == [user(text("hi")), assistant(text("a ")), user(text(CONTINUE))]

    @pytest.mark.parametrize("given_messages", [[], [Message.system("now")], [Message.user(" ")]])
    def test_there_is_always_a_message(self, given_messages: list[Message]) -> None:
        assert messages(*given_messages) == [user(text(BEGIN))]


class TestCalls:
    def test_all_results_of_a_batch_are_one_message_before_what_is_said(self) -> None:
        encoded = messages(USER, asks("a", "b", words="Let me see."), result("a"), result("b"), USER)
        assert encoded == [
            user(text("hi")),
            assistant(text("Let me see."), use("a"), use("b")),
            user(answered("a"), answered("b"), text("hi")),
        ]

    def test_malformed_arguments_go_back_as_an_empty_object(self) -> None:
        call = ToolCall("f", {}, "a", "the arguments are not valid JSON")
        assert messages(Message.assistant("", tool_calls=[call]))[1]["content"][0]["input"] == {}

    def test_a_failure_says_so(self) -> None:
        encoded = messages(USER, asks("a"), result("a", "no such order", failed=True))
        assert encoded[-1] == user(answered("a", "no such order", is_error=True))

    @pytest.mark.parametrize("words", ["", " \n"])
    def test_a_failure_is_never_without_words_and_a_success_may_be(self, words: str) -> None:
        assert messages(USER, asks("a"), result("a", words, failed=True))[-1] == user(
            answered("a", FAILED, is_error=True)
        )
        assert messages(USER, asks("a"), result("a", words))[-1] == user(answered("a", ""))

    def test_a_call_without_a_result_is_one_that_failed(self) -> None:
        (found,) = messages(USER, asks("a"), USER)[-1]["content"][:1]
        assert (found["tool_use_id"], found["is_error"]) == ("a", True)

    def test_a_result_without_a_call_is_told(self) -> None:
        (found,) = messages(result("a", "18C"))
        assert "18C" in found["content"][0]["text"]

    @pytest.mark.parametrize(
        ("given_id", "sent"),
        [
            ("functions.f:0", "functions_f_0"),
            ("é|ö", "___"),
            ("call_1-A", "call_1-A"),
            ("toolu 1", "toolu_1"),
        ],
    )
    def test_ids_of_other_vendors_are_written_anew(self, given_id: str, sent: str) -> None:
        encoded = messages(USER, asks(given_id), result(given_id))
        assert encoded[1:] == [assistant(use(sent)), user(answered(sent))]

    def test_an_id_that_is_used_again_is_another(self) -> None:
        encoded = messages(USER, asks("a", "a.", "a_"), result("a."), result("a"), result("a_"), asks("a"))
        assert encoded[1:4] == [
            assistant(use("a"), use("a_"), use("a__2")),
            user(answered("a"), answered("a_"), answered("a__2")),
            assistant(use("a_2")),
        ]

    def test_the_names_of_all_calls(self) -> None:
        given_messages = [asks("a"), Message.assistant("", tool_calls=[ToolCall("g"), ToolCall("f")])]
        assert called_names(given_messages) == ["f", "g"]


class TestImages:
    def test_they_follow_the_text(self) -> None:
        assert messages(Message.user("look", URL_IMAGE, DATA_IMAGE)) == [
            user(text("look"), SHOWN_URL, SHOWN_DATA)
        ]
        assert messages(Message.user("", URL_IMAGE)) == [user(SHOWN_URL)]

    def test_a_result_shows_them_itself(self) -> None:
        encoded = messages(USER, asks("a", "b"), result("a", "see", URL_IMAGE), result("b", "", DATA_IMAGE))
        assert encoded[-1] == user(answered("a", [text("see"), SHOWN_URL]), answered("b", [SHOWN_DATA]))

    def test_those_of_a_failure_follow_all_results(self) -> None:
        encoded = messages(USER, asks("a", "b"), result("a", "no", URL_IMAGE, failed=True), result("b"), USER)
        assert encoded[-1] == user(answered("a", "no", is_error=True), answered("b"), SHOWN_URL, text("hi"))

    @pytest.mark.parametrize("role", [Role.ASSISTANT, Role.SYSTEM])
    def test_those_of_another_follow_it(self, role: Role) -> None:
        said = Message(role, "here", content_parts=(URL_IMAGE,))
        encoded = messages(USER, said, Message.assistant("there"), USER)
        own = [assistant(text("here"))] if role is Role.ASSISTANT else []
        shown = [user(text("hi")), *own, user(SHOWN_URL)] if own else [user(text("hi"), SHOWN_URL)]
        assert encoded == [*shown, assistant(text("there")), user(text("hi"))]
        assert messages(USER, said)[-1]["content"][-1] == SHOWN_URL

    @pytest.mark.parametrize(
        ("url", "media_type", "data"),
        [
            ("data:image/png;base64,aGk=", "image/png", "aGk="),
            ("DATA:IMAGE/PNG;x=y;BASE64,aGk=", "image/png", "aGk="),
            ("data:image/gif,hi", "image/gif", "aGk="),
            ("data:image/gif,%68i", "image/gif", "aGk="),
            ("data:image/jpg;base64,a%2Bk=", "image/jpeg", "a+k="),
            ("data:,hi", "", "aGk="),
        ],
    )
    def test_a_data_address_is_sent_as_its_data(self, url: str, media_type: str, data: str) -> None:
        source = {"type": "base64", "media_type": media_type, "data": data}
        assert image_block(ContentPart.image_url(url)) == {"type": "image", "source": source}

    def test_what_only_begins_like_one_is_left_to_the_server(self) -> None:
        block = image_block(ContentPart.image_url("data:image/png"))
        assert block["source"] == {"type": "url", "url": "data:image/png"}

    def test_the_type_has_one_name(self) -> None:
        block = image_block(ContentPart.image_base64("aGk=", "image/JPG"))
        assert block["source"]["media_type"] == "image/jpeg"


class TestThoughts:
    """A conversation in which the model thinks before it calls a tool."""

    def asked(self, *before: Message, system: str = "be brief", layout: Any = (THOUGHT, None)) -> Message:
        """The answer to a request of these messages, as it is kept."""
        history = encode(before, system=system)[1]
        return asks("a", provider_data=replay_data(list(layout), history.cover))

    def test_they_go_back_before_their_call(self) -> None:
        asked = self.asked(USER)
        encoded, history = encode([USER, asked, result("a")], system="be brief")
        assert encoded == [user(text("hi")), assistant(THOUGHT, use("a")), user(answered("a"))]
        assert history.carries

    def test_through_a_whole_turn_and_into_the_next(self) -> None:
        conversation: list[Message] = []
        for words in ("one", "two", "three"):
            conversation.append(Message.user(words))
            for _ in range(2):
                conversation += [self.asked(*conversation), result("a")]
            conversation.append(Message.assistant("done"))
        encoded, _ = encode([*conversation, USER], system="be brief")
        assert [item["content"][0] for item in encoded if item["role"] == "assistant"] == [
            THOUGHT, THOUGHT, text("done")
        ] * 3  # fmt: skip

    def test_not_under_another_system_prompt(self) -> None:
        encoded, history = encode([USER, self.asked(USER), result("a")], system="be long")
        assert encoded[1] == assistant(use("a"))
        assert not history.carries

    def test_not_behind_another_message_nor_any_after_that(self) -> None:
        first = self.asked(USER)
        second = self.asked(USER, first, result("a"))
        changed = [Message.user("ho"), first, result("a"), second, result("a")]
        assert "thinking" not in str(encode(changed, system="be brief")[0])
        trimmed = [USER, second, result("a")]
        assert "thinking" not in str(encode(trimmed, system="be brief")[0])

    def test_to_a_model_that_does_not_mind_all_the_same(self) -> None:
        encoded, _ = encode([USER, self.asked(USER), result("a")], system="be long", anywhere=True)
        assert encoded[1] == assistant(THOUGHT, use("a"))

    def test_not_where_they_are_not_to(self) -> None:
        encoded, history = encode([USER, self.asked(USER), result("a")], system="be brief", thoughts=False)
        assert encoded[1] == assistant(use("a"))
        assert not history.carries

    def test_not_behind_what_the_assistant_says(self) -> None:
        asked = self.asked(USER, Message.assistant("a"))
        encoded, _ = encode([USER, Message.assistant("a"), asked, result("a")], system="be brief")
        assert encoded[1] == assistant(text("a"), use("a"))


TEXT = st.text(st.characters(codec=None), max_size=5)
DATA = {"anthropic": {"server": Prefix(SERVER).server, "prefix": "x", "blocks": [THOUGHT, 2, None, THOUGHT]}}
IMAGES = st.sampled_from([(), (URL_IMAGE,), (ContentPart.image_url("data:image/png"),)])
MESSAGES = st.lists(
    st.builds(
        Message,
        st.sampled_from(Role),
        TEXT,
        st.lists(
            st.builds(
                ToolCall,
                TEXT,
                st.just({"n": [1, {"b": None}]}),
                st.none() | TEXT | st.sampled_from("ab"),
                provider_data=st.sampled_from([None, DATA]),
            ),
            max_size=2,
        ).map(tuple),
        tool_call_id=st.none() | TEXT | st.sampled_from("ab"),
        tool_result=st.none() | TEXT,
        content_parts=IMAGES,
        structured=st.none() | TEXT,
    ),
    max_size=6,
)


def check(encoded: list[dict[str, Any]]) -> None:
    """The documented rules of the API for messages."""
    roles = [item["role"] for item in encoded]
    assert roles[0] == roles[-1] == "user"
    assert all(first != second for first, second in pairwise(roles))
    used: set[str] = set()
    awaited: list[str] = []
    for item in encoded:
        kinds = [block["type"] for block in item["content"]]
        assert kinds
        results = [block for block in item["content"] if block["type"] == "tool_result"]
        assert kinds[: len(results)] == ["tool_result"] * len(results)
        assert sorted(block["tool_use_id"] for block in results) == sorted(awaited)
        for block in item["content"]:
            assert block["type"] != "text" or block["text"].strip()
        for block in results:
            assert not block.get("is_error") or (isinstance(block["content"], str) and block["content"])
        awaited = [block["id"] for block in item["content"] if block["type"] == "tool_use"]
        assert not used & set(awaited)
        assert len(set(awaited)) == len(awaited)
        used |= set(awaited)
        allowed = {"user": {"text", "image", "tool_result"}, "assistant": {"text", "tool_use", "thinking"}}
        assert set(kinds) <= allowed[item["role"]]
    assert not awaited
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]+", call_id) for call_id in used)


@given(MESSAGES, st.booleans())
def test_whatever_a_history_holds_the_api_takes_it(given_messages: list[Message], anywhere: bool) -> None:
    encoded = encode(given_messages, anywhere=anywhere)[0]
    assert json.dumps(encoded, ensure_ascii=False).encode()
    check(encoded)
