from __future__ import annotations

from typing import Any

import pytest

from finalturn import Agent, Capabilities, ContentPart, Message, Role
from finalturn._serve.problems.problem import Problem
from finalturn._serve.requests.native import ChatRequest, read_chat
from finalturn._serve.served import Served
from finalturn.providers import Scripted
from finalturn.serve import ServeConfig
from finalturn.sessions import InMemorySessions

SEES = Agent(Scripted(capabilities=Capabilities(images=True)), sessions=InMemorySessions())
BLIND = Agent(Scripted())


def read(agent: Agent[Any] = SEES, **body: Any) -> tuple[Message, ...]:
    return read_chat(ChatRequest.model_validate(body), Served(agent, None, ServeConfig(max_messages=3)))


def refused(agent: Agent[Any] = SEES, **body: Any) -> tuple[int, str]:
    with pytest.raises(Problem) as caught:
        read(agent, **body)
    return caught.value.status_code, caught.value.errors[0][0]


def test_a_text() -> None:
    assert read(input="Hello") == (Message.user("Hello"),)


def test_messages() -> None:
    given = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hi", "structured": "{}"},
        {"role": "user", "content": "", "content_parts": [{"kind": "image", "url": "https://example.com/a"}]},
    ]
    assert read(input=given) == (
        Message.user("Hello"),
        Message(Role.ASSISTANT, "Hi", structured="{}"),
        Message.user("", ContentPart.image_url("https://example.com/a")),
    )


def user(**fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": "Hello", **fields}


def image(**fields: Any) -> dict[str, Any]:
    return user(content_parts=[{"kind": "image", **fields}])


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"input": " "}, 422, "/input"),
        ({"input": []}, 422, "/input"),
        ({"input": [user(), {"role": "assistant"}]}, 422, "/input"),
        ({"input": [user(content=" ")]}, 422, "/input/0"),
        ({"input": [user()] * 4}, 422, "/input"),
        ({"input": [user(structured="{}")]}, 422, "/input/0/structured"),
        ({"input": [{"role": "assistant"}, user()], "session": "s"}, 422, "/input/0/role"),
        ({"input": [{**image(url="https:x"), "role": "assistant"}, user()]}, 422, "/input/0/content_parts"),
        ({"input": [image(url="file:///etc/passwd")]}, 422, "/input/0/content_parts/0/url"),
        ({"input": [image(url="http://10.0.0.1/")]}, 422, "/input/0/content_parts/0/url"),
        ({"input": [image(url="https://x", data="x")]}, 422, "/input/0/content_parts/0/url"),
        ({"input": [image(data="x")]}, 422, "/input/0/content_parts/0/media_type"),
        ({"input": "Hello", "session": "../x"}, 400, "/session"),
    ],
)
def test_what_is_refused(body: Any, status: int, field: str) -> None:
    assert refused(**body) == (status, field)


def test_a_session_needs_a_store() -> None:
    assert refused(BLIND, input="Hello", session="s") == (422, "/session")


def test_an_image_needs_eyes() -> None:
    assert refused(BLIND, input=[image(url="https://example.com/a")]) == (422, "/input/0")
