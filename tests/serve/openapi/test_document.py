from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, Field, TypeAdapter, computed_field
from starlette.requests import Request

from finalturn import Agent, StreamEvent, StructuredOutputConfig
from finalturn._response_format import output_of
from finalturn._serve.openapi.document import openapi_of, wire_schema
from finalturn._serve.openapi.operations import OPERATIONS
from finalturn._serve.problems.failure import STATUS
from finalturn._serve.router import routers_of
from finalturn._serve.served import Served
from finalturn.providers import Scripted
from finalturn.serve import ServeConfig, create_app, create_router
from finalturn.sessions import InMemorySessions
from tests.serve._agents import desk
from tests.serve._asgi import Answer, Client
from tests.serve._valid import check_schema, judge_of


class Part(BaseModel):
    number: str
    part: Part | None = None


class Usage(BaseModel):
    """Its name is one of ours, too."""

    parts: list[Part]


ANSWER = '{"parts":[{"number":"A-2","part":{"number":"A-1"}}]}'


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def agent(**more: Any) -> Agent[Any]:
    return Agent(Scripted(then="Hello."), **more)


def typed() -> Agent[Usage]:
    config = StructuredOutputConfig(final_turn_only=True)
    return Agent(Scripted(then=ANSWER), response_format=Usage, structured_output=config)


def document(given: Agent[Any], *, sessions: bool = True, resume: bool = True, keyed: bool = False) -> Any:
    store = InMemorySessions() if sessions else None
    served = Served(given, store, ServeConfig(resume_for=5 if resume else 0))
    return openapi_of(routers_of(served, (lambda request: "a") if keyed else None), served, keyed=keyed)


def operations(found: Any) -> dict[str, Any]:
    return {one["operationId"]: one for item in found["paths"].values() for one in item.values()}


def judge(found: Any, schema: Any) -> Any:
    return judge_of({**schema, "components": found["components"]})


ALL = {"agent": agent, "typed": typed}
# Each two values of two columns stand together in a row.
SERVERS = [
    ("agent", False, False, False),
    ("agent", True, True, True),
    ("typed", False, True, True),
    ("typed", True, False, True),
    ("typed", True, True, False),
]


@pytest.mark.parametrize(("kind", "sessions", "resume", "keyed"), SERVERS)
def test_every_schema_in_it_is_one_and_every_reference_leads_somewhere(
    kind: str, sessions: bool, resume: bool, keyed: bool
) -> None:
    found = document(ALL[kind](), sessions=sessions, resume=resume, keyed=keyed)
    components = found["components"]["schemas"]
    for schema in components.values():
        check_schema(schema)
    named = {part.split('"')[0] for part in json.dumps(found).split("#/components/schemas/")[1:]}
    assert named == set(components)
    links = json.dumps([one["responses"] for one in operations(found).values()])
    assert {part.split('"')[0] for part in links.split('"operationId": "')[1:]} <= set(operations(found))


def test_there_is_a_route_for_everything_that_the_server_can_do() -> None:
    everything = set(operations(document(agent())))
    assert everything == {one.id for one in OPERATIONS.values()}
    assert everything - set(operations(document(agent(), sessions=False))) == {
        "listSessions",
        "readSession",
        "deleteSession",
    }
    assert everything - set(operations(document(agent(), resume=False))) == {"resumeStream"}


def test_a_key_is_asked_for_where_there_are_some() -> None:
    keyed, open_to_all = operations(document(agent(), keyed=True)), operations(document(agent()))
    health = {"getHealth", "getLiveness"}
    assert {name for name, one in keyed.items() if "security" not in one} == health
    assert {name for name, one in keyed.items() if "401" not in one["responses"]} == health
    assert not any("security" in one or "401" in one["responses"] for one in open_to_all.values())
    assert all("403" in one["responses"] for one in open_to_all.values())
    assert not any("403" in one["responses"] for one in keyed.values())


def test_no_route_says_more_failures_than_it_has() -> None:
    found = operations(document(agent(), sessions=False))
    assert set(found["streamChat"]["responses"]) == {
        "200",
        *("400", "403", "410", "413", "415", "422", "500", "503"),
    }
    assert "409" in operations(document(agent()))["streamChat"]["responses"]


def test_parsed_is_what_the_agent_promises() -> None:
    found = document(typed())
    components = found["components"]["schemas"]
    (answer, null) = components["Result"]["properties"]["parsed"]["anyOf"]
    assert null == {"type": "null"}
    assert judge(found, answer).is_valid(json.loads(ANSWER))
    assert not judge(found, answer).is_valid({"parts": [{"number": 1}]})
    assert components["Usage"]["properties"].keys() >= {"input_tokens"}
    for name in ("Result", "ResultRecord"):
        assert components[name]["properties"]["parsed"]["description"]


def test_parsed_is_null_where_the_agent_promises_nothing() -> None:
    components = document(agent())["components"]["schemas"]
    assert components["Result"]["properties"]["parsed"]["type"] == "null"


def test_parameters_are_never_null_and_say_what_they_are() -> None:
    for operation in operations(document(agent())).values():
        for parameter in operation.get("parameters", ()):
            assert parameter["description"]
            assert parameter["schema"].keys().isdisjoint({"anyOf", "title", "description"})


def test_the_events_are_those_of_the_contract() -> None:
    event = document(agent())["components"]["schemas"]["EventRecord"]["properties"]["event"]
    assert set(event["enum"]) == set(StreamEvent)


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ALL)
async def test_what_the_server_answers_is_as_the_document_says(kind: str) -> None:
    app = create_app(ALL[kind](), sessions=InMemorySessions(), config=ServeConfig(resume_for=5))
    client = Client(app)
    found = (await client.send("GET", "/openapi.json")).json

    async def send(name: str, target: str, status: int, **parts: Any) -> Answer:
        method = next(method for (method, _), one in OPERATIONS.items() if one.id == name)
        answer = await client.send(method.upper(), target, **parts)
        assert answer.status == status
        hold(found, name, answer)
        return answer

    hi: Any = {"json": {"input": "hi", "session": "s"}}
    await send("getHealth", "/health", 200)
    await send("getLiveness", "/health/live", 200)
    await send("getOpenApi", "/openapi.json", 200)
    await send("chat", "/v1/chat", 200, **hi)
    await send("chat", "/v1/chat", 200, json={"input": "hi"})
    await send("chat", "/v1/chat", 422, json={"input": ""})
    await send("chat", "/v1/chat", 400, json={"input": "hi", "session": "."})
    await send("chat", "/v1/chat", 415, body=b"{}", headers={"content-type": "text/plain"})
    await send("chat", "/v1/chat", 413, json={"input": "x" * 2_000_000})
    streamed = await send("streamChat", "/v1/chat/stream", 200, **hi)
    assert streamed.records[-1]["type"] == "result"
    run = f"/v1/chat/stream/{streamed.header('x-run-id')}"
    await send("resumeStream", f"{run}?session=s", 200, headers={"last-event-id": "1"})
    await send("resumeStream", f"{run}?session=s", 410, headers={"last-event-id": "99"})
    await send("resumeStream", f"{run}?session=s", 400, headers={"last-event-id": "x"})
    await send("resumeStream", run, 404)
    await send("stopRun", f"{run}?session=s", 204)
    await send("stopRun", run, 404)
    await send("listSessions", "/v1/sessions", 200)
    await send("listSessions", "/v1/sessions?limit=0", 422)
    await send("readSession", "/v1/sessions/s", 200)
    await send("readSession", "/v1/sessions/.", 400)
    await send("deleteSession", "/v1/sessions/s", 204)
    await send("deleteSession", "/v1/sessions/s", 404)
    await send("readSession", "/v1/sessions/s", 404)


def hold(found: Any, name: str, answer: Answer) -> None:
    """Hold an answer against what the document says of it."""
    responses = operations(found)[name]["responses"]
    said = responses.get(str(answer.status)) or responses["default"]
    for header, one in said.get("headers", {}).items():
        if one.get("required"):
            assert judge(found, one["schema"]).is_valid(answer.header(header))
    if "content" not in said:
        assert answer.body == b""
        return
    ((media, content),) = said["content"].items()
    assert (answer.header("content-type") or "").partition(";")[0] == media
    if media != "text/event-stream":
        judge(found, content["schema"]).validate(answer.json)
        return
    event = found["components"]["schemas"]["NativeEvent"]
    assert content["schema"] == {"$ref": "#/components/schemas/NativeEvent"}
    for lines in answer.body.decode().strip().split("\n\n"):
        sent = dict(line.split(": ", 1) for line in lines.split("\n"))
        judge(found, event).validate(sent)
        judge(found, event["properties"]["data"]["contentSchema"]).validate(json.loads(sent["data"]))


def test_every_status_has_its_codes() -> None:
    for one in operations(document(agent(), keyed=True)).values():
        for status, answer in one["responses"].items():
            if "application/problem+json" in answer.get("content", {}):
                narrowed = answer["content"]["application/problem+json"]["schema"]["allOf"][1]["properties"]
                assert {str(STATUS[code]) for code in narrowed["code"]["enum"]} == {status}
                assert str(narrowed["status"]["const"]) == status


class Renamed(BaseModel, extra="forbid"):
    read_as: int = Field(validation_alias="x", serialization_alias="y")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def twice(self) -> int:
        return 2 * self.read_as


@pytest.mark.anyio
@pytest.mark.parametrize("given", [Renamed, TypeAdapter(Renamed)])
async def test_parsed_is_described_as_it_is_sent(given: Any) -> None:
    app = create_app(desk('{"x": 1}', response_format=given))
    client = Client(app)
    parsed = (await client.send("POST", "/v1/chat", json={"input": "Hello"})).json["result"]["parsed"]
    assert parsed == {"y": 1, "twice": 2}
    served = app.state.finalturn
    jsonschema.validate(parsed, wire_schema(served.response_format, served.output))
    document = (await client.send("GET", "/openapi.json")).json
    assert set(document["components"]["schemas"]["Renamed"]["properties"]) == {"y", "twice"}


def test_a_json_schema_is_described_by_itself() -> None:
    output = output_of({"type": "object"})
    assert wire_schema({"type": "object"}, output) == output.schema


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


@pytest.mark.anyio
async def test_an_application_that_may_refuse_turns_says_so() -> None:
    refusals: list[Exception] = [
        HTTPException(401, "Who?", {"WWW-Authenticate": "Cookie"}),
        HTTPException(402),
    ]

    def deps(request: Request, owner: str | None) -> str:
        raise refusals.pop(0)

    needs = Agent(Scripted(then="Hello."), deps_type=str)
    client = Client(create_app(needs, deps=deps))
    found = (await client.send("GET", "/openapi.json")).json
    for status in (401, 402):
        answer = await client.send("POST", "/v1/chat", json={"input": "hi"})
        assert (answer.status, answer.json["code"]) == (status, "refused")
        hold(found, "chat", answer)
    refused = {
        name: {status for status, one in answers["responses"].items() if "refused" in str(one)}
        for name, answers in operations(found).items()
    }
    for name in ("chat", "streamChat", "runAgUi", "chatAiSdk"):
        assert {"default", "422", "500"} <= refused.pop(name)
    assert set[str]().union(*refused.values()) == set()
    assert "`refused`" not in str(operations(document(agent())))
