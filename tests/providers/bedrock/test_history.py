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
from finalturn._providers.bedrock.families import ModelFamily
from finalturn._providers.bedrock.history import EMPTY, BedrockHistory
from finalturn._providers.bedrock.images import UNSEEN
from finalturn._providers.blocks.history import BEGIN, BETWEEN, CONTINUE, FAILED
from finalturn._providers.blocks.replay import Prefix, replay_data
from tests.providers._histories import HISTORIES

SERVER = "http://x/model/m/converse"
CLAUDE = ModelFamily(status=True, images=True)
LLAMA = ModelFamily(alone=True)
USER = Message.user("hi")
IMAGE = ContentPart.image_base64("aGk=", "image/png")
SHOWN = {"image": {"format": "png", "source": {"bytes": "aGk="}}}
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "sig"}}}


def encode(
    given_messages: Sequence[Message],
    *,
    system: str = "",
    family: ModelFamily = CLAUDE,
    native: bool = True,
    thoughts: bool = True,
    anywhere: bool = False,
) -> tuple[Any, BedrockHistory]:
    history = BedrockHistory(
        Prefix(SERVER, system), family=family, native=native, thoughts=thoughts, anywhere=anywhere
    )
    for message in repaired(given_messages):
        history.add(message)
    return json.loads(json_text.encode(history.finish())), history


def messages(*given_messages: Message, **options: Any) -> Any:
    return encode(given_messages, **options)[0]


def text(words: str) -> dict[str, str]:
    return {"text": words}


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
    return {"toolUse": {"toolUseId": call_id, "name": "f", "input": {"n": 1}}}


def answered(call_id: str, *content: Any, **fields: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": call_id, "content": list(content) or [text("ok")], **fields}}


class TestRoles:
    def test_neighbours_are_one_message(self) -> None:
        encoded = messages(USER, Message.user("there"), Message.assistant("a"), Message.assistant("b"), USER)
        assert encoded == [user(text("hi"), text("there")), assistant(text("a"), text("b")), user(text("hi"))]

    def test_system_messages_have_no_place(self) -> None:
        assert messages(USER, Message.system("now"), USER) == [user(text("hi"), text("hi"))]

    def test_the_user_begins(self) -> None:
        encoded = messages(Message.assistant("Hello!"), USER)
        assert encoded == [user(text(BEGIN)), assistant(text("Hello!")), user(text("hi"))]

    def test_and_is_the_last_to_speak(self) -> None:
        encoded = messages(USER, Message.assistant("a"))
        assert encoded == [user(text("hi")), assistant(text("a")), user(text(CONTINUE))]

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
        assert messages(Message.assistant("", tool_calls=[call]))[1]["content"][0]["toolUse"]["input"] == {}

    def test_a_failure_says_so_where_the_model_knows_of_it(self) -> None:
        conversation = [USER, asks("a"), result("a", "no such order", failed=True)]
        failed = answered("a", text("no such order"), status="error")
        assert messages(*conversation)[-1] == user(failed)
        assert messages(*conversation, family=ModelFamily())[-1] == user(answered("a", text("no such order")))

    @pytest.mark.parametrize("words", ["", " \n"])
    def test_a_result_is_never_without_words(self, words: str) -> None:
        failed = messages(USER, asks("a"), result("a", words, failed=True))[-1]
        assert failed == user(answered("a", text(FAILED), status="error"))
        assert messages(USER, asks("a"), result("a", words))[-1] == user(answered("a", text(EMPTY)))

    def test_a_call_without_a_result_is_one_that_failed(self) -> None:
        (found,) = messages(USER, asks("a"), USER)[-1]["content"][:1]
        assert (found["toolResult"]["toolUseId"], found["toolResult"]["status"]) == ("a", "error")

    def test_a_result_without_a_call_is_told(self) -> None:
        (found,) = messages(result("a", "18C"))
        assert "18C" in found["content"][0]["text"]

    @pytest.mark.parametrize(
        ("given_id", "sent"),
        [
            ("functions.f:0", "functions_f_0"),
            ("é|ö", "___"),
            ("tooluse_1-A", "tooluse_1-A"),
            ("x" * 100, "x" * 64),
        ],
    )
    def test_ids_of_other_vendors_are_written_anew(self, given_id: str, sent: str) -> None:
        encoded = messages(USER, asks(given_id), result(given_id))
        assert encoded[1:] == [assistant(use(sent)), user(answered(sent))]

    def test_an_id_that_is_used_again_is_another(self) -> None:
        long = "x" * 70
        encoded = messages(
            USER,
            asks("a", "a.", "a_"),
            *map(result, ("a.", "a", "a_")),
            asks("a", long, long + "y"),
            *map(result, ("a", long, long + "y")),
        )
        assert encoded[1:4] == [
            assistant(use("a"), use("a_"), use("a__2")),
            user(answered("a_"), answered("a"), answered("a__2")),
            assistant(use("a_2"), use("x" * 64), use("x" * 62 + "_2")),
        ]

    def test_results_stand_alone_where_they_must(self) -> None:
        conversation = [USER, asks("a", "b"), result("a"), result("b"), Message.user("and?"), USER]
        assert messages(*conversation, family=LLAMA) == [
            user(text("hi")),
            assistant(use("a"), use("b")),
            user(answered("a"), answered("b")),
            assistant(text(BETWEEN)),
            user(text("and?"), text("hi")),
        ]


class TestWithoutTools:
    """Nothing may be called, and the API could not say so beside declared tools."""

    def test_calls_are_told_by_the_user_with_their_results(self) -> None:
        encoded = messages(
            USER,
            asks("a", "b", words="Let me see."),
            result("a", "18C"),
            result("b", "", failed=True),
            Message.assistant("Done."),
            native=False,
        )
        assert encoded == [
            user(text("hi")),
            assistant(text("Let me see.")),
            user(
                text('Note: the tool f was called with {"n":1}. Its result:\n\n18C'),
                text(f'Note: the tool f was called with {{"n":1}}. Its result:\n\n{FAILED}'),
            ),
            assistant(text("Done.")),
            user(text(CONTINUE)),
        ]

    def test_the_assistant_may_have_said_nothing_else(self) -> None:
        encoded = messages(USER, asks("a"), result("a"), USER, native=False)
        assert [item["role"] for item in encoded] == ["user"]
        assert len(encoded[0]["content"]) == 3

    def test_malformed_arguments_are_not_told(self) -> None:
        encoded = messages(USER, asks("a", error="not JSON"), result("a", "no", failed=True), native=False)
        assert encoded[0]["content"][1] == text("Note: the tool f was called. Its result:\n\nno")

    def test_images_stand_behind_their_result(self) -> None:
        encoded = messages(USER, asks("a", "b"), result("a", "see", IMAGE), result("b"), native=False)
        assert encoded[0]["content"][2] == SHOWN

    def test_thoughts_are_left_out(self) -> None:
        asked = asks("a", provider_data=replay_data([THOUGHT, None], lambda: Prefix(SERVER, "")))
        encoded, history = encode([USER, asked, result("a")], native=False, anywhere=True)
        assert "reasoningContent" not in str(encoded)
        assert not history.carries


class TestImages:
    def test_they_follow_the_text(self) -> None:
        assert messages(Message.user("look", IMAGE, IMAGE)) == [user(text("look"), SHOWN, SHOWN)]
        assert messages(Message.user("", IMAGE)) == [user(SHOWN)]

    def test_words_stand_for_one_that_cannot_be_sent(self) -> None:
        far = ContentPart.image_url("https://example.org/a.png")
        assert messages(Message.user("look", far)) == [user(text("look"), text(UNSEEN))]

    def test_a_result_shows_them_itself_where_it_can(self) -> None:
        conversation = [
            USER,
            asks("a", "b"),
            result("a", "see", IMAGE),
            result("b", "no", IMAGE, failed=True),
        ]
        assert messages(*conversation)[-1] == user(
            answered("a", text("see"), SHOWN), answered("b", text("no"), SHOWN, status="error")
        )
        assert messages(*conversation, family=ModelFamily())[-1] == user(
            answered("a", text("see")), answered("b", text("no")), SHOWN, SHOWN
        )

    def test_and_they_do_not_disturb_results_that_stand_alone(self) -> None:
        encoded = messages(USER, asks("a"), result("a", "see", IMAGE), USER, family=LLAMA)
        assert encoded[2:] == [
            user(answered("a", text("see"))),
            assistant(text(BETWEEN)),
            user(SHOWN, text("hi")),
        ]

    @pytest.mark.parametrize("role", [Role.ASSISTANT, Role.SYSTEM])
    def test_those_of_another_follow_it(self, role: Role) -> None:
        said = Message(role, "here", content_parts=(IMAGE,))
        encoded = messages(USER, said, Message.assistant("there"), USER)
        own = [assistant(text("here"))] if role is Role.ASSISTANT else []
        shown = [user(text("hi")), *own, user(SHOWN)] if own else [user(text("hi"), SHOWN)]
        assert encoded == [*shown, assistant(text("there")), user(text("hi"))]
        assert messages(USER, said)[-1]["content"][-1] == SHOWN


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

    def test_each_in_its_place(self) -> None:
        redacted = {"reasoningContent": {"redactedContent": "aGk="}}
        before = encode([USER])[1]
        data = replay_data([THOUGHT, 2, redacted, 1, None], before.cover)
        encoded = messages(USER, asks("a", words="Hi!", provider_data=data), result("a"))
        assert encoded[1] == assistant(THOUGHT, text("Hi"), redacted, text("!"), use("a"))

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
        assert "reasoningContent" not in str(encode(changed, system="be brief")[0])

    def test_to_a_model_that_does_not_mind_all_the_same(self) -> None:
        encoded, _ = encode([USER, self.asked(USER), result("a")], system="be long", anywhere=True)
        assert encoded[1] == assistant(THOUGHT, use("a"))

    def test_not_where_they_are_not_to(self) -> None:
        encoded, history = encode([USER, self.asked(USER), result("a")], system="be brief", thoughts=False)
        assert encoded[1] == assistant(use("a"))
        assert not history.carries


FAMILIES = st.builds(ModelFamily, st.booleans(), st.booleans(), st.booleans())


def check(encoded: list[dict[str, Any]], *, alone: bool) -> None:
    """The documented rules of the API for messages."""
    roles = [item["role"] for item in encoded]
    assert roles[0] == roles[-1] == "user"
    assert all(first != second for first, second in pairwise(roles))
    used: set[str] = set()
    awaited: list[str] = []
    for item in encoded:
        content = item["content"]
        assert content
        assert all(len(block) == 1 for block in content)
        kinds = [next(iter(block)) for block in content]
        results = [block["toolResult"] for block in content if "toolResult" in block]
        assert kinds[: len(results)] == ["toolResult"] * len(results)
        assert not (alone and results) or len(results) == len(content)
        assert sorted(found["toolUseId"] for found in results) == sorted(awaited)
        texts = [block["text"] for block in content if "text" in block]
        texts += [part["text"] for found in results for part in found["content"] if "text" in part]
        assert all(words.strip() for words in texts)
        assert all(found["content"] for found in results)
        awaited = [block["toolUse"]["toolUseId"] for block in content if "toolUse" in block]
        assert not used & set(awaited)
        assert len(set(awaited)) == len(awaited)
        used |= set(awaited)
        own = {"user": {"text", "image", "toolResult"}, "assistant": {"text", "toolUse", "reasoningContent"}}
        assert set(kinds) <= own[item["role"]]
    assert not awaited
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", call_id) for call_id in used)


@given(HISTORIES, FAMILIES, st.booleans(), st.booleans())
def test_whatever_a_history_holds_the_api_takes_it(
    given_messages: list[Message], family: ModelFamily, native: bool, anywhere: bool
) -> None:
    encoded = encode(given_messages, family=family, native=native, anywhere=anywhere)[0]
    assert json.dumps(encoded, ensure_ascii=False).encode()
    check(encoded, alone=family.alone)
    assert native or "toolUse" not in json.dumps(encoded)
