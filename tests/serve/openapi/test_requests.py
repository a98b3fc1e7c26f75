"""What the document says of a body, and what the server takes, are the same."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from finalturn import Agent, Capabilities
from finalturn._serve.openapi.requests import request_components
from finalturn._serve.problems.problem import Problem
from finalturn._serve.requests.native import ChatRequest, read_chat
from finalturn._serve.served import Served
from finalturn.providers import Scripted
from finalturn.serve import ServeConfig
from finalturn.sessions import InMemorySessions
from tests.serve._valid import check_schema, judge_of


def served(*, sessions: bool, images: bool) -> Served:
    provider = Scripted(then="Hello.", capabilities=Capabilities(images=images))
    store = InMemorySessions() if sessions else None
    return Served(Agent(provider), store, ServeConfig(max_messages=3))


SERVERS = {
    "all": served(sessions=True, images=True),
    "sessions": served(sessions=True, images=False),
    "images": served(sessions=False, images=True),
    "neither": served(sessions=False, images=False),
}

USER = {"role": "user", "content": "hi"}
SAID = {"role": "assistant", "content": "hello"}
URL = {"kind": "image", "url": "https://example.com/a.png"}
BYTES = {"kind": "image", "data": "aGk=", "media_type": "image/png"}


def seen(*images: dict[str, Any]) -> dict[str, Any]:
    return {"input": [{"role": "user", "content_parts": list(images)}]}


BODIES: list[Any] = [
    {},
    {"input": "hi"},
    {"input": ""},
    {"input": " \n\x1c"},
    {"input": None},
    {"input": 1},
    {"input": "hi", "more": 1},
    {"input": []},
    {"input": [USER]},
    {"input": [USER] * 3},
    {"input": [USER] * 4},
    {"input": [SAID, USER]},
    {"input": [{"role": "system", "content": "x"}, USER]},
    {"input": [{"role": "tool", "content": "x"}, USER]},
    {"input": [{"content": "x"}]},
    {"input": [{"role": "user"}, USER]},
    {"input": [{**USER, "content": None}]},
    {"input": [{**USER, "content": 1}]},
    {"input": [{**USER, "name": "x"}]},
    {"input": [{**USER, "structured": None}]},
    {"input": [{**USER, "structured": "{}"}]},
    {"input": [{**SAID, "structured": "{}"}, USER]},
    {"input": [{**SAID, "structured": None}, USER]},
    {"input": [{**SAID, "structured": 1}, USER]},
    {"input": [{**SAID, "content_parts": []}, USER]},
    {"input": [{**SAID, "content_parts": [URL]}, USER]},
    {"input": [USER, "hi"]},
    {"input": "hi", "session": None},
    {"input": "hi", "session": "s"},
    {"input": [USER], "session": "s"},
    {"input": [SAID, USER], "session": "s"},
    {"input": [SAID, USER], "session": None},
    {"input": "hi", "session": ""},
    {"input": "hi", "session": "a:b"},
    {"input": "hi", "session": ".a"},
    {"input": "hi", "session": "a" * 63},
    {"input": "hi", "session": "a" * 64},
    {"input": "hi", "session": 1},
    seen(URL),
    seen(BYTES),
    seen({**URL, "data": None, "media_type": None}),
    seen({**URL, "data": "aGk="}),
    seen({**URL, "media_type": "image/png"}),
    seen({**BYTES, "url": None}),
    seen({**BYTES, "media_type": ""}),
    seen({**BYTES, "media_type": None}),
    seen({"kind": "image", "data": "aGk="}),
    seen({"kind": "image"}),
    seen({**URL, "kind": "video"}),
    seen({"url": URL["url"]}),
    seen({**URL, "url": "http://example.com/a.png"}),
    seen({**URL, "url": "file:///a.png"}),
    seen({**URL, "url": "data:image/png;base64,aGk="}),
    seen({**URL, "url": "data:text/html,x"}),
    seen({**URL, "more": 1}),
]


@pytest.mark.parametrize("server", SERVERS)
def test_a_body_is_taken_exactly_when_the_document_says_so(server: str) -> None:
    documented = judge(SERVERS[server])
    for body in BODIES:
        assert documented.is_valid(body) == takes(SERVERS[server], body), body


@pytest.mark.parametrize("last", [SAID, {"role": "user"}, {"role": "user", "content": " "}])
def test_what_the_last_message_must_be_is_said_in_words(last: dict[str, Any]) -> None:
    body = {"input": [USER, last]}
    assert judge(SERVERS["all"]).is_valid(body) and not takes(SERVERS["all"], body)
    words = request_components(SERVERS["all"])["ChatRequestAlone"]["properties"]["input"]["description"]
    assert "the last is of the user, and says something" in words


def judge(server: Served) -> Any:
    components = request_components(server)
    for one in components.values():
        check_schema(one)
    schema = {"$ref": "#/components/schemas/ChatRequest", "components": {"schemas": components}}
    return judge_of(schema)


def takes(server: Served, body: Any) -> bool:
    try:
        read_chat(ChatRequest.model_validate(body), server)
    except (ValidationError, Problem):
        return False
    return True
