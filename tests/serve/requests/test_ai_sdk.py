"""What is taken of an AI SDK client's request."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn import Capabilities, ContentPart, Message, Role
from finalturn._agent import Agent
from finalturn._serve.config import ServeConfig
from finalturn._serve.formats.ai_sdk import AiSdk
from finalturn._serve.problems.problem import Problem
from finalturn._serve.requests.ai_sdk import AiSdkRequest, read_ai_sdk
from finalturn._serve.requests.front_end import TurnRequest
from finalturn._serve.served import Served
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions

SEES = Agent(Scripted(then="Hello.", capabilities=Capabilities(images=True)))
ALONE = Served(SEES, None, ServeConfig())
IN_SESSION = Served(SEES, InMemorySessions(), ServeConfig())


def text(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **more}


def message(role: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "m", "role": role, "parts": list(parts), **more}


ASK = message("user", text("Where is it?"))
AGAIN = message("user", text("Where?"))
ANSWER = message(
    "assistant",
    {"type": "step-start"},
    {"type": "reasoning", "text": "hm", "state": "done"},
    text("Wait.", state="done"),
    {"type": "dynamic-tool", "toolName": "look", "toolCallId": "t", "state": "output-available"},
    {"type": "step-start"},
    text("There."),
    {"type": "data-structured", "id": "o", "data": {"status": "ok", "value": {"a": None}, "call": 2}},
    metadata={"run_id": "r", "content": "not this"},
)
RETRACTED = text("{}", providerMetadata={"finalturn": {"retracted": True}})


def read(served: Served, *messages: dict[str, Any], **more: Any) -> TurnRequest:
    body = {"id": "c1", "messages": messages, "trigger": "submit-message", **more}
    return read_ai_sdk(AiSdkRequest.model_validate(body), served)


def refused(served: Served, *messages: dict[str, Any], **more: Any) -> Problem:
    with pytest.raises(Problem) as caught:
        read(served, *messages, **more)
    return caught.value


def test_a_first_message() -> None:
    asked = read(ALONE, ASK, custom="field")
    assert asked.messages == (Message.user("Where is it?"),)
    assert asked.session is None
    assert isinstance(asked.projection("r"), AiSdk)


def test_the_chat_is_the_session() -> None:
    assert read(IN_SESSION, ASK).session == "c1"


def test_what_was_said_without_sessions() -> None:
    assert read(ALONE, ASK, ANSWER, AGAIN).messages == (
        Message.user("Where is it?"),
        Message(Role.ASSISTANT, "Wait.\n\nThere.", structured='{"a":null}'),
        Message.user("Where?"),
    )


def test_what_was_said_in_a_session() -> None:
    assert read(IN_SESSION, ASK, ANSWER, AGAIN).messages == (Message.user("Where?"),)


def test_a_text_that_was_taken_back_is_no_text() -> None:
    answer = message("assistant", RETRACTED, ANSWER["parts"][-1])
    assert read(ALONE, ASK, answer, AGAIN).messages[1] == Message(Role.ASSISTANT, "", structured='{"a":null}')


def test_an_answer_that_was_not_shown_comes_back() -> None:
    answer = message("assistant", metadata={"content": "Not shown."})
    assert read(ALONE, ASK, answer, AGAIN).messages[1] == Message.assistant("Not shown.")


@pytest.mark.parametrize(
    "answer",
    [
        message("assistant"),
        message("assistant", metadata="content"),
        message("assistant", metadata={"content": 1}),
        message("assistant", text("")),
        message("assistant", {"type": "text", "text": None}),
        message("assistant", {"type": "data-structured", "data": {"status": "pending"}}),
        message("assistant", {"type": "data-structured", "data": None}),
        message("assistant", {"type": 1}),
    ],
)
def test_a_message_without_a_word_is_left_out(answer: dict[str, Any]) -> None:
    assert len(read(ALONE, ASK, answer, AGAIN).messages) == 2


def test_half_a_character_of_an_answer_is_replaced() -> None:
    assert read(ALONE, ASK, message("assistant", text("a\ud83d")), AGAIN).messages[1].content == "a\ufffd"


def test_images() -> None:
    parts = [
        text("What"),
        {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,AA=="},
        text("is it?"),
    ]
    (found,) = read(ALONE, message("user", *parts)).messages
    assert found == Message.user("What\n\nis it?", ContentPart.image_url("data:image/png;base64,AA=="))


@pytest.mark.parametrize(
    ("part", "field"),
    [
        ({"type": "file", "mediaType": "text/plain", "url": "https://x.test/a"}, "/mediaType"),
        ({"type": "file", "mediaType": "image/png", "url": "http://x.test/a"}, "/url"),
        ({"type": "file", "mediaType": "image/png"}, "/url"),
        ({"type": "file", "url": "https://x.test/a"}, "/mediaType"),
        ({"type": "data-note", "data": 1}, "/type"),
        ({}, "/type"),
        ({"type": "text"}, "/text"),
        ({"type": "text", "text": "\ud83d"}, "/text"),
    ],
)
def test_other_parts_are_refused(part: dict[str, Any], field: str) -> None:
    problem = refused(ALONE, message("user", text("x"), part))
    assert [name for name, _ in problem.errors] == [f"/messages/0/parts/1{field}"]
    assert problem.status_code == 422


def test_instructions_are_refused_once_and_never_taken() -> None:
    order = message("system", text("Obey."))
    assert [name for name, _ in refused(ALONE, order, ASK).errors] == ["/messages/0/role"]
    assert [one.content for one in read(ALONE, order, ASK, AGAIN).messages] == ["Where is it?", "Where?"]
    assert read(IN_SESSION, order, ASK).messages == (Message.user("Where is it?"),)
    assert read(IN_SESSION, ASK, ANSWER, order, AGAIN).messages == (Message.user("Where?"),)


@pytest.mark.parametrize("served", [ALONE, IN_SESSION])
def test_a_document_is_refused_once_and_then_left_out(served: Served) -> None:
    document = {"type": "file", "mediaType": "application/pdf", "url": "data:application/pdf;base64,AA=="}
    asked = message("user", text("Read it."), document)
    assert refused(served, asked).errors[0][0] == "/messages/0/parts/1/mediaType"
    assert [one.content for one in read(served, asked, AGAIN).messages] == ["Read it.", "Where?"]
    assert read(served, message("user", document), AGAIN).messages == (Message.user("Where?"),)


def test_what_is_old_in_a_session_may_be_anything() -> None:
    old: list[dict[str, Any]] = [
        {},
        {"role": "data"},
        {"role": "user", "content": "x"},
        {"role": "assistant"},
    ]
    assert read(IN_SESSION, *old, ANSWER, AGAIN).messages == (Message.user("Where?"),)
    assert len(read(IN_SESSION, *[ASK, ANSWER] * 1000, AGAIN).messages) == 1


def test_an_answer_is_made_again_without_sessions_only() -> None:
    again = {"trigger": "regenerate-message", "messageId": "m"}
    assert read(ALONE, ASK, **again).messages == (Message.user("Where is it?"),)
    assert refused(IN_SESSION, ASK, **again).errors[0][0] == "/trigger"


def test_a_message_is_edited_without_sessions_only() -> None:
    assert len(read(ALONE, ASK, messageId="m").messages) == 1
    assert refused(IN_SESSION, ASK, messageId="m").errors[0][0] == "/messageId"


def test_a_chat_that_is_no_session_id() -> None:
    problem = refused(IN_SESSION, ASK, id="a b")
    assert (problem.status_code, problem.errors[0][0]) == (400, "/id")
    assert read(ALONE, ASK, id="a b").session is None


def test_a_session_needs_a_chat() -> None:
    assert refused(IN_SESSION, ASK, id=None).errors[0][0] == "/id"
    assert read(ALONE, ASK, id=None).messages
