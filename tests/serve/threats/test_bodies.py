"""Bodies that are too large, or are no requests."""

from __future__ import annotations

import json
from typing import Any

import pytest

from finalturn import Agent, Capabilities
from finalturn.providers import Scripted
from finalturn.serve import ServeConfig
from finalturn.sessions import InMemorySessions
from tests.serve._asgi import Answer, Client
from tests.serve.threats._server import ALICE, JSON, SURFACES, Surface, problem, server

pytestmark = pytest.mark.anyio
every_surface = pytest.mark.parametrize("surface", SURFACES, ids=lambda surface: surface.path)

MOST = 20_000


class Room:
    """A server, and what its model was asked."""

    def __init__(self, **config: Any) -> None:
        self.model = Scripted(then="Hello.", capabilities=Capabilities(images=True))
        self.sessions = InMemorySessions()
        config = {"max_body": MOST, "resume_for": 60.0, **config}
        app = server(Agent(self.model), sessions=self.sessions, config=ServeConfig(**config))
        self.client = Client(app, ALICE)

    async def refused(self, surface: Surface, **parts: Any) -> Answer:
        """The answer to a request that no turn runs for."""
        parts.setdefault("headers", JSON)
        answer = await self.client.send("POST", surface.path, **parts)
        assert answer.status != 200, answer.body
        assert (self.model.requests, self.sessions.list_sessions("", "", 10)) == ([], [])
        assert len(answer.body) < 20_000
        return answer


def filled(surface: Surface, size: int) -> bytes:
    """A body of so many bytes."""
    body = json.dumps(surface.body("FILL"))
    return body.replace("FILL", "x" * (size - len(body) + 4)).encode()


@every_surface
async def test_a_body_that_is_too_large_is_413(surface: Surface) -> None:
    room, body = Room(), filled(surface, MOST + 1)
    assert problem(await room.refused(surface, body=body)) == (413, "body_too_large")
    pieces = [body[place : place + 1_000] for place in range(0, len(body), 1_000)]
    assert problem(await room.refused(surface, body=pieces)) == (413, "body_too_large")
    lies = {**JSON, "content-length": "10"}
    assert problem(await room.refused(surface, body=pieces, headers=lies)) == (413, "body_too_large")
    for declared in ("999999999999", "9" * 5_000):
        headers = {**JSON, "content-length": declared}
        assert problem(await room.refused(surface, body=[], headers=headers)) == (413, "body_too_large")


@every_surface
async def test_a_body_of_just_the_right_size_is_taken(surface: Surface) -> None:
    for body in (filled(surface, MOST), [filled(surface, MOST)]):
        answer = await Room().client.send("POST", surface.path, body=body, headers=JSON)
        assert answer.status == 200


NO_JSON: list[bytes] = [
    b"{",
    b"",
    b"[" * 9_000,
    b'{"a":' * 3_000,
    b'{"input":"\xff"}',
    b"\xff\xfe{\x00}\x00",
    b'{"input":1' + b"0" * 9_000 + b"}",
    b'{"input":"x"} trailing',
    b"{'input': 'x'}",
    b"\x00",
    b'{"input":NaN,"messages":Infinity}',
    b'{"input":1e999,"messages":-1e999}',
]
DEEP = b'{"input":"x","messages":[{"metadata":' + b"[" * 400 + b"]" * 400 + b"}]}"
NO_REQUEST: list[bytes] = [
    b"null",
    b"[]",
    b'"text"',
    b"1",
    b"true",
    b"{}",
    b'{"input":null,"messages":null}',
    b'{"input":{},"messages":{}}',
    b'{"input":[],"messages":[]}',
    b'{"input":[[]],"messages":[[]]}',
    b'{"input":[null],"messages":[null]}',
    b'{"input":"","messages":""}',
    b'{"\\ud800":"x"}',
    b'{"__proto__":{"x":1},"constructor":1}',
]


@every_surface
async def test_what_is_no_json_is_refused(surface: Surface) -> None:
    room = Room()
    for body in NO_JSON:
        found = problem(await room.refused(surface, body=body))
        # Without any body there is no JSON to be wrong; and what is read of a large number is no text.
        assert found in ((400, "malformed_request"), (422, "invalid_request")), body[:40]


@every_surface
async def test_what_is_nested_too_deeply_is_refused_before_the_turn(surface: Surface) -> None:
    assert problem(await Room().refused(surface, body=DEEP)) == (400, "malformed_request")


@every_surface
async def test_json_that_is_no_request_is_422(surface: Surface) -> None:
    room = Room()
    for body in NO_REQUEST:
        assert problem(await room.refused(surface, body=body)) == (422, "invalid_request"), body


@every_surface
async def test_halves_of_surrogate_pairs_are_422(surface: Surface) -> None:
    room = Room()
    for half in ("\ud800", "\udfff", "x\udc00y"):
        answer = await room.refused(surface, json=surface.body(half))
        assert problem(answer) == (422, "invalid_request")


@every_surface
async def test_a_field_that_comes_twice_is_read_once(surface: Surface) -> None:
    room = Room()
    good = json.dumps(surface.body(session="mine"))
    twice = good[:-1] + f', "{surface.session_field}": "../x"}}'
    assert problem(await room.refused(surface, body=twice.encode())) == (400, "malformed_request")
    other = good[:-1] + f', "{surface.session_field}": "last"}}'
    assert (await room.client.send("POST", surface.path, body=other.encode(), headers=JSON)).status == 200
    assert [one.session for one in room.sessions.list_sessions("", "", 10)] == ["alice:last"]


@every_surface
async def test_too_many_messages_are_422(surface: Surface) -> None:
    room = Room(max_body=10_000_000)
    body = surface.body()
    field = "messages" if "messages" in body else "input"
    message = body["messages"][0] if field == "messages" else {"role": "user", "content": "Hello"}
    most = ServeConfig().max_messages
    answer = await room.refused(surface, json={**body, field: [message] * (most + 1)})
    assert problem(answer) == (422, "invalid_request")
    assert [error["field"] for error in answer.json["errors"]] == [f"/{field}"]


@every_surface
async def test_what_a_form_of_another_page_can_send_is_415(surface: Surface) -> None:
    room = Room()
    body = json.dumps(surface.body()).encode()
    for kind in (
        "text/plain",
        "text/plain; application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/json",
        "application/json, text/plain",
        "json",
        "",
    ):
        answer = await room.refused(surface, body=body, headers={"content-type": kind})
        assert problem(answer) == (415, "unsupported_media_type"), kind
    assert problem(await room.refused(surface, body=body, headers={})) == (415, "unsupported_media_type")
    # Of unknown length.
    answer = await room.refused(surface, body=[body], headers={"transfer-encoding": "chunked"})
    assert problem(answer) == (415, "unsupported_media_type")
