"""``GET /`` shows the page to everybody, and asks those for a key who have none."""

from __future__ import annotations

import anyio
import httpx
import pytest
from fastapi import APIRouter, FastAPI
from starlette.requests import Request

from finalturn._serve.page.page import ChatPage
from finalturn._serve.page.route import PageRoute
from finalturn._serve.requests.route import route_class


def get(authenticate: object, headers: dict[str, str] | None = None, path: str = "/") -> httpx.Response:
    router = APIRouter(route_class=route_class(None, 0))
    PageRoute(ChatPage(title="Desk"), authenticate).add_to(router)  # type: ignore[arg-type]
    app = FastAPI(openapi_url=None)
    app.include_router(router, prefix=path.rstrip("/"))

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get(path, headers=headers)

    return anyio.run(ask)


def who(request: Request) -> str | None:
    return "alice" if request.headers.get("Authorization") == "Bearer good" else None


@pytest.mark.parametrize("path", ["/", "/desk/"])
def test_without_keys_everybody_is_let_in(path: str) -> None:
    answer = get(None, path=path)
    assert answer.status_code == 200
    assert "<h1>Desk</h1>" in answer.text
    assert "data-locked" not in answer.text


def test_without_a_valid_key_the_page_asks_for_one() -> None:
    answer = get(who)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert "data-locked" in answer.text


def test_with_a_valid_key_it_does_not() -> None:
    assert get(who, {"Authorization": "Bearer good"}).status_code == 200


def test_an_authenticate_that_does_not_work_shows_nothing() -> None:
    def broken(request: Request) -> str:
        raise RuntimeError("secret")

    answer = get(broken)
    assert answer.status_code == 500
    assert "<h1>" not in answer.text
