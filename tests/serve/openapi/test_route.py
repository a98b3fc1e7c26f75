from __future__ import annotations

import pytest
from fastapi import FastAPI

from finalturn import Agent
from finalturn.providers import Scripted
from finalturn.serve import create_app, create_router
from tests.serve._asgi import Client


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
async def test_the_document_is_served_and_is_about_itself_too() -> None:
    answer = await Client(create_app(Agent(Scripted()))).send("GET", "/openapi.json")
    assert (answer.status, answer.header("content-type")) == (200, "application/json")
    assert answer.json["openapi"].startswith("3.1")
    assert answer.json["servers"] == [{"url": "/"}]
    assert "/openapi.json" in answer.json["paths"]


@pytest.mark.anyio
async def test_it_says_where_the_routes_are_mounted() -> None:
    app = FastAPI()
    app.include_router(create_router(Agent(Scripted()), authenticate=None), prefix="/assistant")
    found = (await Client(app).send("GET", "/assistant/openapi.json")).json
    assert found["servers"] == [{"url": "/assistant"}]
    assert "/v1/chat" in found["paths"]


@pytest.mark.anyio
async def test_it_needs_a_key_where_the_others_do() -> None:
    app = FastAPI(openapi_url=None)
    app.include_router(create_router(Agent(Scripted()), authenticate=lambda request: None))
    assert (await Client(app).send("GET", "/openapi.json")).status == 401
