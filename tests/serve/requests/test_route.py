from __future__ import annotations

import asyncio
import logging

import pytest
from fastapi import APIRouter, Depends, FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request

from finalturn._serve.problems.problem import Problem
from finalturn._serve.requests.route import owner, refuse_navigation, route_class
from tests.serve._agents import SECRET
from tests.serve._asgi import Client

pytestmark = pytest.mark.anyio


def app_of(*, known: bool = True, raises: Exception | None = None) -> Client:
    order: list[str] = []

    def who(request: Request) -> str | None:
        order.append("who")
        return "ann" if known else None

    router = APIRouter(route_class=route_class(who, 100))

    async def endpoint(request: Request, body: dict[str, str]) -> dict[str, object]:
        order.append("endpoint")
        if raises is not None:
            raise raises
        return {"owner": await owner(request), "order": order}

    router.add_api_route("/x", endpoint, methods=["POST"])
    app = FastAPI()
    app.include_router(router, prefix="/p")
    return Client(app)


async def test_who_is_asked_first() -> None:
    answer = await app_of().send("POST", "/p/x", json={})
    assert answer.json == {"owner": "ann", "order": ["who", "endpoint"]}


async def test_nothing_of_a_strangers_body_is_read() -> None:
    exchange = app_of(known=False).open("POST", "/p/x", body=[b"{", b"x" * 1000])
    answer = await exchange.read()
    assert answer.status == 401
    assert answer.header("www-authenticate") == "Bearer"
    assert len(vars(exchange)["_body"]) == 2


async def test_an_exception_is_a_problem_and_its_text_stays_here(caplog: pytest.LogCaptureFixture) -> None:
    answer = await app_of(raises=ValueError(SECRET)).send("POST", "/p/x", json={})
    assert (answer.status, answer.json["code"]) == (500, "internal_error")
    assert SECRET.encode() not in answer.body
    (record,) = [one for one in caplog.records if one.name == "finalturn.serve"]
    said = logging.Formatter("%(message)s").format(record)
    assert "ValueError" in said and "in endpoint" in said
    assert SECRET not in said


async def test_a_problem_is_answered_as_it_is() -> None:
    answer = await app_of(raises=Problem.field("/a", "is wrong")).send("POST", "/p/x", json={})
    assert (answer.status, answer.json["errors"]) == (422, [{"field": "/a", "problem": "is wrong"}])


async def test_a_refusal_of_the_application_around_it_stays_its_own() -> None:
    refusal = HTTPException(429, "Too many requests", {"Retry-After": "7"})
    answer = await app_of(raises=refusal).send("POST", "/p/x", json={})
    assert (answer.status, answer.header("retry-after")) == (429, "7")


@pytest.mark.parametrize("draining", [True, False])
async def test_who_waits_while_the_server_ends_is_told(draining: bool) -> None:
    waits = asyncio.Event()
    router = APIRouter(route_class=route_class(None, 100, lambda: draining))

    async def endpoint() -> None:
        waits.set()
        await asyncio.Event().wait()

    router.add_api_route("/x", endpoint)
    app = FastAPI()
    app.include_router(router)
    asked = asyncio.create_task(Client(app).send("GET", "/x"))
    async with asyncio.timeout(60):
        await waits.wait()
        asked.cancel()
        if draining:
            answer = await asked
            assert (answer.status, answer.json["code"]) == (503, "shutting_down")
        else:
            with pytest.raises(asyncio.CancelledError):
                await asked


@pytest.mark.parametrize("kind", ["document", "iframe", "image", "script", "empty, document"])
async def test_an_address_with_an_effect_cannot_be_opened(kind: str) -> None:
    router = APIRouter(route_class=route_class(None, 100))

    async def endpoint() -> dict[str, bool]:
        return {"taken": True}

    router.add_api_route("/x", endpoint, dependencies=[Depends(refuse_navigation)])
    app = FastAPI()
    app.include_router(router)
    client = Client(app)
    refused = await client.send("GET", "/x", headers={"sec-fetch-dest": kind})
    assert (refused.status, refused.json["code"]) == (403, "forbidden_origin")
    for headers in ({}, {"sec-fetch-dest": "empty"}):
        assert (await client.send("GET", "/x", headers=headers)).json == {"taken": True}
