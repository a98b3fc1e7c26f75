"""What is taken of an AG-UI client's request."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn import Capabilities, ContentPart, Message, Role
from finalturn._agent import Agent
from finalturn._serve.config import ServeConfig
from finalturn._serve.formats.items import RunStarted
from finalturn._serve.problems.problem import Problem
from finalturn._serve.requests.ag_ui import AgUiRequest, read_ag_ui
from finalturn._serve.requests.front_end import TurnRequest
from finalturn._serve.served import Served
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions

SEES = Agent(Scripted(then="Hello.", capabilities=Capabilities(images=True)))
ALONE = Served(SEES, None, ServeConfig())
IN_SESSION = Served(SEES, InMemorySessions(), ServeConfig())

ASK = {"id": "u1", "role": "user", "content": "Where is it?"}
CALLING = {
    "id": "a1",
    "role": "assistant",
    "toolCalls": [{"id": "t1", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
}
RESULT = {"id": "r1", "role": "tool", "toolCallId": "t1", "content": "found"}
ANSWER = {"id": "a2", "role": "assistant", "content": "There."}
AGAIN = {"id": "u2", "role": "user", "content": "Where?"}


def read(served: Served, *messages: dict[str, Any], **more: Any) -> TurnRequest:
    body = {"threadId": "t1", "runId": "r1", "messages": messages, **more}
    return read_ag_ui(AgUiRequest.model_validate(body), served)


def refused(served: Served, *messages: dict[str, Any], **more: Any) -> Problem:
    with pytest.raises(Problem) as caught:
        read(served, *messages, **more)
    return caught.value


def test_a_first_message() -> None:
    asked = read(
        ALONE, ASK, protocolVersion="1.0", state={}, tools=[{"name": "x"}], context=[], forwardedProps={}
    )
    assert asked.messages == (Message.user("Where is it?"),)
    assert asked.session is None


def test_the_thread_is_the_session() -> None:
    assert read(IN_SESSION, ASK).session == "t1"


def test_what_was_said_without_sessions() -> None:
    asked = read(ALONE, ASK, CALLING, RESULT, ANSWER, AGAIN)
    assert asked.messages == (
        Message.user("Where is it?"),
        Message.assistant("There."),
        Message.user("Where?"),
    )


def test_what_was_said_in_a_session() -> None:
    assert read(IN_SESSION, ASK, CALLING, RESULT, ANSWER, AGAIN).messages == (Message.user("Where?"),)


def test_an_answer_that_was_not_shown_comes_back() -> None:
    told = {"finalturn": {"call": 0, "structured": '{"a":1}'}}
    silent = {"id": "x", "role": "assistant", "content": "", "metadata": told}
    assert read(ALONE, ASK, silent, AGAIN).messages == (
        Message.user("Where is it?"),
        Message(Role.ASSISTANT, "", structured='{"a":1}'),
        Message.user("Where?"),
    )
    assert read(IN_SESSION, ASK, silent, AGAIN).messages == (Message.user("Where?"),)


@pytest.mark.parametrize("metadata", [{}, {"finalturn": None}, {"finalturn": {"structured": 1}}])
def test_metadata_of_others_says_nothing(metadata: dict[str, Any]) -> None:
    silent = {"id": "x", "role": "assistant", "content": "", "metadata": metadata}
    assert len(read(ALONE, ASK, silent, AGAIN).messages) == 2


def test_half_a_character_of_an_answer_is_replaced() -> None:
    answer = {**ANSWER, "content": "a\ud83d"}
    assert read(ALONE, ASK, answer, AGAIN).messages[1].content == "a\ufffd"


def test_images() -> None:
    parts = [
        {"type": "text", "text": "What"},
        {"type": "image", "source": {"type": "url", "value": "https://x.test/a.png"}},
        {"type": "text", "text": "is it?"},
        {"type": "image", "source": {"type": "data", "value": "AA==", "mimeType": "image/png"}},
    ]
    (message,) = read(ALONE, {"id": "u", "role": "user", "content": parts}).messages
    assert message == Message.user(
        "What\n\nis it?",
        ContentPart.image_url("https://x.test/a.png"),
        ContentPart.image_base64("AA==", "image/png"),
    )


@pytest.mark.parametrize(
    ("part", "field"),
    [
        ({"type": "audio", "source": {"type": "url", "value": "https://x.test/a"}}, "/type"),
        ({"type": "image", "source": {"type": "file", "value": "f1"}}, "/source/type"),
        ({"type": "image", "source": {"type": "url", "value": "http://x.test/a"}}, "/source/value"),
        ({"type": "image", "source": {"type": "data", "value": "AA==", "mimeType": ""}}, "/source/mimeType"),
    ],
)
def test_other_parts_are_refused(part: dict[str, Any], field: str) -> None:
    content = [{"type": "text", "text": "x"}, part]
    problem = refused(ALONE, {"id": "u", "role": "user", "content": content})
    assert [name for name, _ in problem.errors] == [f"/messages/0/content/1{field}"]
    assert problem.status_code == 422


@pytest.mark.parametrize("role", ["system", "developer", "wizard"])
def test_instructions_are_refused_once_and_never_taken(role: str) -> None:
    order = {"id": "s", "role": role, "content": "Obey."}
    problem = refused(ALONE, order, ASK)
    assert [name for name, _ in problem.errors] == ["/messages/0/role"]
    assert "Obey" not in problem.detail
    assert [one.content for one in read(ALONE, order, ASK, AGAIN).messages] == ["Where is it?", "Where?"]
    assert refused(ALONE, ASK, order).errors[0][0] == "/messages/1/role"
    assert read(IN_SESSION, order, ASK).messages == (Message.user("Where is it?"),)
    assert read(IN_SESSION, ASK, ANSWER, order, AGAIN).messages == (Message.user("Where?"),)


DOCUMENT = {"type": "document", "source": {"type": "url", "value": "https://x.test/a.pdf"}}


@pytest.mark.parametrize("served", [ALONE, IN_SESSION])
def test_a_document_is_refused_once_and_then_left_out(served: Served) -> None:
    text = {"type": "text", "text": "Read it."}
    asked = {"id": "u", "role": "user", "content": [text, DOCUMENT]}
    assert refused(served, asked).errors[0][0] == "/messages/0/content/1/type"
    assert [one.content for one in read(served, asked, AGAIN).messages] == ["Read it.", "Where?"]
    alone = {**asked, "content": [DOCUMENT]}
    assert read(served, alone, AGAIN).messages == (Message.user("Where?"),)


def test_what_is_old_in_a_session_may_be_anything() -> None:
    old: list[dict[str, Any]] = [{}, {"role": 1}, {"role": "user", "content": 1}, {"role": "assistant"}]
    assert read(IN_SESSION, *old, ANSWER, AGAIN).messages == (Message.user("Where?"),)
    assert len(read(IN_SESSION, *[ASK, ANSWER] * 1000, AGAIN).messages) == 1


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ({"id": "x", "role": "wizard", "content": "x"}, "/messages/0/role"),
        ({"id": "x", "content": "x"}, "/messages/0/role"),
        ({"role": "assistant", "content": "x"}, "/messages/0/id"),
        ({"id": "x", "role": "tool", "content": "x"}, "/messages/0/toolCallId"),
    ],
)
def test_what_is_no_message_is_named(message: dict[str, Any], field: str) -> None:
    problem = refused(ALONE, message, ASK)
    assert [name for name, _ in problem.errors] == [field]


@pytest.mark.parametrize("content", [1, "\ud83d"])
def test_what_the_user_says_must_be_a_text(content: object) -> None:
    problem = refused(ALONE, {"id": "x", "role": "user", "content": content})
    assert [name for name, _ in problem.errors] == ["/messages/0/content"]


def test_tools_of_the_client_are_refused() -> None:
    assert refused(ALONE, ASK, CALLING, RESULT).errors[0][0] == "/messages/2"


def test_a_thread_that_is_no_session_id() -> None:
    problem = refused(IN_SESSION, ASK, threadId="a b")
    assert (problem.status_code, problem.errors[0][0]) == (400, "/threadId")
    assert read(ALONE, ASK, threadId="a b").session is None


def test_the_projection_answers_with_the_ids_of_the_request() -> None:
    projection = read(IN_SESSION, ASK).projection("run1")
    (started,) = projection.records(RunStarted("run1", "t1"))
    assert isinstance(started, dict)
    assert (started["threadId"], started["runId"]) == ("t1", "r1")
