"""An agent with each kind of response_format is served, and what it sends is what its document says."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from finalturn import Agent
from finalturn._core import json_text
from finalturn._response_format import is_adapter
from finalturn.providers import Scripted
from finalturn.serve import create_app
from tests.agent._kinds import KINDS
from tests.serve._asgi import Client
from tests.serve._valid import check_schema, judge_of

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize("name", KINDS)
async def test_what_is_sent_is_as_the_document_says(name: str) -> None:
    kind = KINDS[name]
    client = Client(create_app(Agent(Scripted(then=kind.text), response_format=kind.given)))
    schemas = (await client.send("GET", "/openapi.json")).json["components"]["schemas"]
    described, null = schemas["Result"]["properties"]["parsed"]["anyOf"]
    assert null == {"type": "null"}
    check_schema(schemas[described["$ref"].rpartition("/")[2]])
    judge = judge_of({**described, "components": {"schemas": schemas}})

    result = (await client.send("POST", "/v1/chat", json={"input": "Hello"})).json["result"]
    streamed = (await client.send("POST", "/v1/chat/stream", json={"input": "Hello"})).records[-1]
    parsed = result["parsed"]
    assert (result["structured_status"], result["parsed_error"]) == ("ok", None)
    assert streamed["parsed"] == parsed
    assert judge.is_valid(parsed)
    assert not judge.is_valid({"SECRET": [None]})
    if not isinstance(kind.given, dict):
        # A client that reads it as the same type has the same value.
        of_client: Any = kind.given if is_adapter(kind.given) else TypeAdapter(kind.given)
        assert of_client.validate_json(json_text.encode(parsed)) == kind.value
