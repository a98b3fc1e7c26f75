from __future__ import annotations

import pytest

from finalturn.serve import ServeConfig, create_app
from tests.serve._agents import plain
from tests.serve._asgi import Client

pytestmark = pytest.mark.anyio

JSON = {"content-type": "application/json"}


@pytest.fixture
def client() -> Client:
    return Client(create_app(plain(), config=ServeConfig(max_body=100)))


@pytest.mark.parametrize(
    "kind", ["application/json", "application/json; charset=utf-8", "application/x+json"]
)
async def test_json(client: Client, kind: str) -> None:
    body = b'{"input": "Hello"}'
    answer = await client.send("POST", "/v1/chat", body=body, headers={"content-type": kind})
    assert answer.status == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "json", "", "text/json"])
async def test_what_does_not_say_that_it_is_json(client: Client, kind: str) -> None:
    body = b'{"input": "Hello"}'
    answer = await client.send("POST", "/v1/chat", body=body, headers={"content-type": kind})
    assert (answer.status, answer.json["code"]) == (415, "unsupported_media_type")
    assert (await client.send("POST", "/v1/chat", body=body)).status == 415
    assert (await client.send("POST", "/v1/chat", body=[b"{", b"}"])).status == 415


async def test_no_body(client: Client) -> None:
    answer = await client.send("POST", "/v1/chat")
    assert (answer.status, answer.json["code"]) == (422, "invalid_request")


@pytest.mark.parametrize("body", [b"x" * 101, [b"x" * 50, b"x" * 51]], ids=["declared", "in pieces"])
async def test_too_large(client: Client, body: bytes | list[bytes]) -> None:
    answer = await client.send("POST", "/v1/chat", body=body, headers=JSON)
    assert (answer.status, answer.json["code"]) == (413, "body_too_large")
    assert "100 bytes" in answer.json["detail"]


async def test_a_length_that_is_a_lie_is_refused_unread(client: Client) -> None:
    headers = {**JSON, "content-length": "9" * 400}
    assert (await client.send("POST", "/v1/chat", body=[b"{}"], headers=headers)).status == 413


async def test_as_large_as_allowed(client: Client) -> None:
    body = b'{"input": "Hello"}'.ljust(100)
    assert (await client.send("POST", "/v1/chat", body=body, headers=JSON)).status == 200
