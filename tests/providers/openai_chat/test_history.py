"""A conversation, as servers with ways of their own want it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.errors import ConfigurationError
from finalturn._core.messages import ContentPart, Message, Role, ToolCall
from finalturn._core.model import ModelRequest
from finalturn._providers.openai_chat.history import encode_messages, fitting_id
from finalturn._providers.openai_chat.profile import ANY_ID, SHORT_ID, Profile
from finalturn._providers.openai_chat.profiles import ANY_SERVER, PROFILES
from finalturn._providers.openai_chat.replay import DATA
from tests.providers._histories import HISTORIES

NINE = replace(ANY_SERVER, call_ids=re.compile(r"[a-zA-Z0-9]{9}"))


def messages(*given: Message, profile: Profile = ANY_SERVER) -> list[dict[str, Any]]:
    return list(encode_messages(ModelRequest(given), model="m", profile=profile))


def asks(*calls: ToolCall) -> Message:
    return Message.assistant("", tool_calls=calls)


def answer(call_id: str) -> Message:
    return Message(Role.TOOL, "ok", tool_name="f", tool_call_id=call_id, tool_result="ok")


class TestIds:
    def test_those_of_calls_and_results_change_alike(self) -> None:
        history = [asks(ToolCall("f", {}, "call_0"), ToolCall("f", {}, "pcZFHqej8"))]
        history += [answer("call_0"), answer("pcZFHqej8")]
        first, second, third = messages(*history, profile=NINE)
        ids = [call["id"] for call in first["tool_calls"]]
        assert ids == [second["tool_call_id"], third["tool_call_id"]]
        assert ids[1] == "pcZFHqej8"
        assert NINE.call_ids.fullmatch(ids[0])
        assert messages(*history, profile=NINE) == [first, second, third]

    def test_elsewhere_they_stay(self) -> None:
        first, second = messages(asks(ToolCall("f", {}, "call_0")), answer("call_0"))
        assert first["tool_calls"][0]["id"] == second["tool_call_id"] == "call_0"


class TestReasoning:
    CALL = ToolCall("f", {}, "x", provider_data={DATA: {"text": "hm"}})

    def test_goes_back_with_its_call(self) -> None:
        first, _ = messages(asks(self.CALL), answer("x"), profile=PROFILES["vllm"])
        assert first["reasoning"] == "hm"

    def test_of_deepseek_is_on_every_message_of_the_model_and_on_no_other(self) -> None:
        history = [Message.user("hi"), asks(self.CALL), answer("x"), Message.assistant("done")]
        encoded = messages(*history, asks(ToolCall("f", {}, "y")), answer("y"), profile=PROFILES["deepseek"])
        assert [item.get("reasoning_content") for item in encoded] == [None, "hm", None, "", "", None]

    def test_is_not_sent_elsewhere(self) -> None:
        assert set(messages(asks(self.CALL))[0]) == {"role", "content", "tool_calls"}


class TestImages:
    FAR = ContentPart.image_url("https://example.org/a.png")

    @pytest.mark.parametrize(
        "message", [Message.user("", FAR), Message(Role.ASSISTANT, content_parts=(FAR,))]
    )
    def test_one_that_the_server_cannot_fetch_is_refused_and_says_what_to_do(self, message: Message) -> None:
        with pytest.raises(ConfigurationError, match=r"Ollama fetches no images.*image_base64"):
            messages(message, profile=PROFILES["ollama"])
        assert messages(message)

    @pytest.mark.parametrize(
        "part",
        [ContentPart.image_base64("aGk=", "image/png"), ContentPart.image_url("DATA:image/png;base64,aGk=")],
    )
    def test_one_that_is_data_is_sent(self, part: ContentPart) -> None:
        (message,) = messages(Message.user("", part), profile=PROFILES["lmstudio"])
        assert message["content"][0]["image_url"]["url"].lower() == "data:image/png;base64,agk="


@given(HISTORIES, st.sampled_from(list(PROFILES.values())))
def test_calls_and_results_fit_on_every_server(history: list[Message], profile: Profile) -> None:
    awaited: set[str] = set()
    for item in messages(*history, profile=replace(profile, image_urls=True)):
        if item["role"] == "tool":
            awaited.remove(item["tool_call_id"])
            continue
        assert not awaited
        awaited = {call["id"] for call in item.get("tool_calls", ())}
        assert len(awaited) == len(item.get("tool_calls", ()))
        assert all(map(profile.call_ids.fullmatch, awaited))
    assert not awaited


NINE_CHARACTERS = re.compile(r"[a-zA-Z0-9]{9}")


@pytest.mark.parametrize(
    ("call_id", "accepted"), [("pcZFHqej8", NINE_CHARACTERS), ("call_1", SHORT_ID), ("x" * 200, ANY_ID)]
)
def test_an_id_that_fits_stays(call_id: str, accepted: re.Pattern[str]) -> None:
    assert fitting_id(call_id, accepted) == call_id


def test_an_id_that_does_not_fit_becomes_always_the_same() -> None:
    # Written down, so that a stored conversation reads the same to a server's cache after an upgrade.
    assert fitting_id("call_0", NINE_CHARACTERS) == fitting_id("call_0", NINE_CHARACTERS) == "KF2zkMM7i"
    assert fitting_id("call_1", NINE_CHARACTERS) != fitting_id("call_0", NINE_CHARACTERS)


@given(st.text(st.characters(codec=None)), st.sampled_from([NINE_CHARACTERS, SHORT_ID]))
def test_each_id_that_is_sent_fits(call_id: str, accepted: re.Pattern[str]) -> None:
    assert accepted.fullmatch(fitting_id(call_id, accepted))
