"""Conversations as contents that the vendor takes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core import json_text
from finalturn._core.messages import ContentPart, Message, Role, ToolCall
from finalturn._providers.gemini.history import BEGIN, CONTINUE, contents_of, function_name, image_part
from finalturn._providers.gemini.replay import STAND_IN, Signatures

IMAGE = ContentPart.image_base64("AA==", "image/png")
PIXEL = {"inlineData": {"mimeType": "image/png", "data": "AA=="}}


def turns(*messages: Message, signatures: Signatures = "given") -> list[dict[str, Any]]:
    return contents_of(messages, signatures=signatures).turns


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def model(*parts: Any) -> dict[str, Any]:
    return {**user(*parts), "role": "model"}


def tool(call_id: str, name: str, result: str | None, content: str = "", *parts: ContentPart) -> Message:
    return Message(
        Role.TOOL, content or result or "", (), name, call_id, tool_result=result, content_parts=parts
    )


def result(name: str, text: str, said: str = "result", **fields: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {said: text}, **fields}}


def made(name: str, args: Any = None, **fields: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": args or {}, **fields}}


HI = Message.user("hi")


class TestTurns:
    def test_each_role_has_its_own(self) -> None:
        assert turns(HI, Message.assistant("yes"), Message.user("so")) == [
            user("hi"),
            model("yes"),
            user("so"),
        ]

    def test_neighbours_of_one_role_are_one(self) -> None:
        assert turns(HI, Message.user("you"), Message.assistant("a"), Message.assistant("b"), HI) == [
            user("hi", "you"),
            model("a", "b"),
            user("hi"),
        ]

    def test_images_stand_behind_the_text_and_need_none(self) -> None:
        assert turns(Message.user("see", IMAGE), Message.user("", IMAGE)) == [user("see", PIXEL, PIXEL)]

    def test_only_the_user_shows_images(self) -> None:
        assistant = Message(Role.ASSISTANT, "drawn", content_parts=(IMAGE,))
        assert turns(HI, assistant, Message.user("nice")) == [user("hi"), model("drawn"), user(PIXEL, "nice")]

    def test_what_the_system_says_is_apart(self) -> None:
        found = contents_of(
            [Message.system("one"), HI, Message(Role.SYSTEM, "two", content_parts=(IMAGE,))],
            signatures="given",
        )
        assert found.system == ["one", "two"]
        assert found.turns == [user("hi", PIXEL)]

    def test_the_structured_answer_is_said_where_there_is_no_text(self) -> None:
        answer = Message(Role.ASSISTANT, "", structured='{"a":1}')
        assert turns(HI, answer, HI)[1] == model('{"a":1}')

    @pytest.mark.parametrize("messages", [[], [Message.system("x")], [Message.user(" ")]])
    def test_there_is_always_one(self, messages: list[Message]) -> None:
        assert turns(*messages) == [user(BEGIN)]

    def test_the_user_has_the_first_and_the_last(self) -> None:
        assert turns(Message.assistant("hello"), HI) == [user(BEGIN), model("hello"), user("hi")]
        assert turns(HI, Message.assistant("hello")) == [user("hi"), model("hello"), user(CONTINUE)]


class TestCalls:
    CALLS = (
        ToolCall("f", {"x": 1}, "call_0", provider_data={"gemini": {"thoughtSignature": "s"}}),
        ToolCall("f", {"x": 2}, "call_1"),
    )
    MADE = (made("f", {"x": 1}) | {"thoughtSignature": "s"}, made("f", {"x": 2}))

    def test_results_of_a_batch_are_one_content_and_nothing_else(self) -> None:
        assert turns(
            HI,
            Message.assistant("both:", tool_calls=self.CALLS),
            tool("call_0", "f", "one"),
            tool("call_1", "f", None, "failed"),
            Message.user("well?"),
        ) == [
            user("hi"),
            model("both:", *self.MADE),
            {"role": "user", "parts": [result("f", "one"), result("f", "failed", "error")]},
            user("well?"),
        ]

    def test_results_stand_in_the_order_of_their_calls(self) -> None:
        asked = Message.assistant("", tool_calls=self.CALLS)
        found = turns(HI, asked, tool("call_1", "f", "two"), tool("call_0", "f", "one"))
        assert found[2:] == [{"role": "user", "parts": [result("f", "one"), result("f", "two")]}]

    def test_images_of_results_stand_behind_all_of_them(self) -> None:
        assert turns(
            HI,
            Message.assistant("", tool_calls=self.CALLS),
            tool("call_0", "f", "", "", IMAGE),
            tool("call_1", "f", "two"),
            Message.assistant("seen"),
            HI,
        ) == [
            user("hi"),
            model(*self.MADE),
            {"role": "user", "parts": [result("f", ""), result("f", "two")]},
            user(PIXEL),
            model("seen"),
            user("hi"),
        ]

    def test_steps_follow_each_other(self) -> None:
        step = [Message.assistant("", tool_calls=[ToolCall("f", {}, "a")]), tool("a", "f", "1")]
        roles = [turn["role"] for turn in turns(HI, *step, *step)]
        assert roles == ["user", "model", "user", "model", "user"]

    def test_ids_are_sent_where_they_are_the_vendor_s_own(self) -> None:
        own = ToolCall("f", {}, "a", provider_data={"gemini": {"id": "a"}})
        renamed = ToolCall("f", {}, "call_1", provider_data={"gemini": {"id": "a"}})
        foreign = ToolCall("f", {}, "toolu_1", provider_data={"anthropic": {"id": "toolu_1"}})
        found = turns(
            HI,
            Message.assistant("", tool_calls=[own, renamed, foreign]),
            *(tool(call.id or "", "f", "1") for call in (own, renamed, foreign)),
        )
        assert found[1:] == [
            model(made("f", id="a"), made("f", id="a"), made("f")),
            {"role": "user", "parts": [result("f", "1", id="a"), result("f", "1", id="a"), result("f", "1")]},
        ]

    def test_an_id_of_an_earlier_step_is_not_used(self) -> None:
        own = ToolCall("f", {}, "a", provider_data={"gemini": {"id": "a"}})
        found = turns(
            HI,
            *(Message.assistant("", tool_calls=[own]), tool("a", "f", "1")),
            *(Message.assistant("", tool_calls=[ToolCall("f", {}, "a")]), tool("a", "f", "2")),
        )
        assert found[-1]["parts"] == [result("f", "2")]

    def test_signatures_may_be_filled_in_or_replaced(self) -> None:
        history = [
            HI,
            Message.assistant("", tool_calls=self.CALLS),
            *(tool("call_0", "f", "1"), tool("call_1", "f", "2")),
            Message.assistant("", tool_calls=[ToolCall("g", {}, "a"), ToolCall("g", {"x": 1}, "b")]),
            *(tool("a", "g", "1"), tool("b", "g", "2")),
        ]

        def sent(signatures: Signatures) -> list[Any]:
            found = turns(*history, signatures=signatures)
            parts = [part for turn in found for part in turn["parts"] if "functionCall" in part]
            return [part.get("thoughtSignature") for part in parts]

        assert sent("given") == ["s", None, None, None]
        assert sent("filled") == ["s", None, STAND_IN, None]
        assert sent("replaced") == [STAND_IN, None, STAND_IN, None]

    @pytest.mark.parametrize("data", [{}, {"gemini": "s"}, {"gemini": {"thoughtSignature": 7, "id": []}}])
    def test_foreign_data_is_not_sent(self, data: dict[str, Any]) -> None:
        call = ToolCall("f", {}, "a", provider_data=data)
        assert turns(HI, Message.assistant("", tool_calls=[call]), tool("a", "f", "1"))[1] == model(made("f"))

    def test_a_call_without_a_result_gets_one_and_a_broken_one_has_no_arguments(self) -> None:
        found = turns(HI, Message.assistant("", tool_calls=[ToolCall("f", {}, "a", error="cut")]), HI)
        assert found[1] == model(made("f"))
        (response,) = found[2]["parts"]
        assert list(response["functionResponse"]["response"]) == ["error"]
        assert found[3] == user("hi")

    @pytest.mark.parametrize(("name", "sent"), [("f", "f"), ("_f", "_f"), ("2f", "_2f"), ("-f", "_-f")])
    def test_a_name_begins_with_a_letter(self, name: str, sent: str) -> None:
        assert function_name(name) == sent
        found = turns(HI, Message.assistant("", tool_calls=[ToolCall(name, {}, "a")]), tool("a", name, "1"))
        assert found[1:] == [model(made(sent)), {"role": "user", "parts": [result(sent, "1")]}]


TEXT = st.sampled_from(["", " ", "a", "\ud83d"])
DATA = st.sampled_from([None, {"gemini": {"thoughtSignature": "s", "id": "i"}}, {"other": 1}])
CALL = st.builds(
    ToolCall,
    st.sampled_from(["f", "", "2 f", "x" * 99]),
    st.just({"x": 1}),
    st.sampled_from([None, "", "a", "b"]),
    provider_data=DATA,
)
MESSAGE = st.builds(
    Message,
    st.sampled_from(Role),
    TEXT,
    st.lists(CALL, max_size=3).map(tuple),
    st.sampled_from([None, "", "f", "g h"]),
    st.sampled_from([None, "a", "b"]),
    st.sampled_from([None, "", "r"]),
    st.sampled_from([(), (IMAGE,), (ContentPart.image_url("https://x/a.png"),)]),
    st.sampled_from([None, "{}"]),
)


@given(st.lists(MESSAGE, max_size=7), st.sampled_from(["given", "filled", "replaced"]))
def test_any_conversation_is_one_that_the_vendor_takes(
    messages: list[Message], signatures: Signatures
) -> None:
    found = turns(*messages, signatures=signatures)
    json_text.encode(found)
    assert found[0]["role"] == found[-1]["role"] == "user"
    awaited: list[str] = []
    before = ""
    for turn in found:
        kinds = [next(iter(part)) for part in turn["parts"]]
        assert kinds
        assert all(part.get("text", "x") for part in turn["parts"])
        names = [part["functionResponse"]["name"] for part in turn["parts"] if "functionResponse" in part]
        if awaited or names:
            assert (turn["role"], names, set(kinds)) == ("user", awaited, {"functionResponse"})
        elif turn["role"] == before:
            # Two contents of the user's: only behind results.
            assert turn["role"] == "user"
        calls = [part for part in turn["parts"] if "functionCall" in part]
        assert not calls or (turn["role"], before) == ("model", "user")
        if calls and signatures != "given":
            assert calls[0]["thoughtSignature"]
        awaited = [part["functionCall"]["name"] for part in calls]
        assert all(name[0].isalpha() or name[0] == "_" for name in awaited)
        before = turn["role"]
    assert not awaited


def inline(media_type: str, data: str) -> dict[str, Any]:
    return {"inlineData": {"mimeType": media_type, "data": data}}


def test_bytes_are_sent_as_they_are() -> None:
    assert image_part(ContentPart.image_base64("AA==", "image/png")) == inline("image/png", "AA==")


@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("data:image/webp;base64,AA==", inline("image/webp", "AA==")),
        ("DATA:image/webp;x=y;BASE64,AA==", inline("image/webp", "AA==")),
        ("data:image/gif;base64,AA%3D%3D", inline("image/gif", "AA==")),
        ("data:image/svg+xml,%3Csvg%2F%3E", inline("image/svg+xml", "PHN2Zy8+")),
        ("data:;base64,AA==", inline("image/png", "AA==")),
    ],
)
def test_so_are_those_in_an_address(url: str, part: dict[str, Any]) -> None:
    assert image_part(ContentPart.image_url(url)) == part


@pytest.mark.parametrize(
    ("url", "media_type"),
    [
        ("https://x/a.PNG?size=1#b.gif", "image/png"),
        ("gs://bucket/a.jpg", "image/jpeg"),
        ("https://x/a.webp", "image/webp"),
        ("https://x/a", None),
        ("https://x.png/", None),
        ("http://[::1", None),
        ("data:image/png", None),
    ],
)
def test_what_is_elsewhere_has_the_type_that_its_address_tells(url: str, media_type: str | None) -> None:
    about = {"fileUri": url} if media_type is None else {"fileUri": url, "mimeType": media_type}
    assert image_part(ContentPart.image_url(url)) == {"fileData": about}


def test_or_its_own() -> None:
    image = ContentPart("image", url="https://x/a.png", media_type="image/heic")
    assert image_part(image)["fileData"]["mimeType"] == "image/heic"
