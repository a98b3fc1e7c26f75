"""The OpenAPI document (3.1) of a served agent.

Parameters are those of the routes themselves; bodies and answers are those of the declared types.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from fastapi import APIRouter
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from finalturn._core.output import Output
from finalturn._core.output.pydantic_values import JsonValuesSchema
from finalturn._response_format import is_adapter, is_model
from finalturn._serve.access.owners import SESSION_PATTERN
from finalturn._serve.formats.schemas_answers import (
    ChatAnswer,
    Health,
    Liveness,
    ProblemDocument,
    SessionDocument,
    SessionPage,
)
from finalturn._serve.formats.schemas_records import NativeRecord
from finalturn._serve.openapi.operations import OPERATIONS, TAGS, Operation
from finalturn._serve.openapi.parsed import PREFIX, as_components
from finalturn._serve.openapi.requests import EXAMPLES, narrow_front_ends, request_components
from finalturn._serve.problems.failure import STATUS, FailureCode
from finalturn._serve.problems.problem import PROBLEM_JSON
from finalturn._serve.served import Served

__all__ = ["PROBLEMS", "STREAM", "OpenApiRoute", "openapi_of", "wire_schema"]


_KEY = "key"
_REFERENCE = re.compile(re.escape(PREFIX) + r"([A-Za-z0-9._-]+)")


def openapi_of(router: APIRouter, served: Served, *, keyed: bool) -> dict[str, Any]:
    """The document.

    Args:
        router: all routes.
        served: what they serve.
        keyed: whether a request needs a bearer key.
    """
    # Imported here: the package's own version, without a circle.
    from finalturn import __version__

    document = get_openapi(
        title="finalturn",
        version=__version__,
        routes=router.routes,
        description="Turns of a streaming chat agent, each of which ends in a validated object.",
        tags=[{"name": name, "description": description} for name, description in TAGS.items()],
    )
    components: dict[str, Any] = document.get("components", {}).get("schemas", {})
    components |= _components(served)
    narrow_front_ends(components, served)
    for path, item in document["paths"].items():
        for method, generated in item.items():
            operation = OPERATIONS[method, path]
            item[method] = _operation(generated, operation, served, keyed)
    _drop_dead_links(document["paths"])
    document["components"] = {"schemas": _used(document["paths"], components)}
    if keyed:
        document["components"]["securitySchemes"] = {
            _KEY: {"type": "http", "scheme": "bearer", "description": "A key of this server."}
        }
    return document


def wire_schema(response_format: object, output: Output[Any]) -> Mapping[str, Any]:
    """What ``parsed`` is on the wire: for a type of pydantic's, what it is serialised to, by alias.

    Args:
        response_format: of the agent.
        output: the same, for answers.
    """
    if is_adapter(response_format):
        return response_format.json_schema(
            mode="serialization", by_alias=True, schema_generator=JsonValuesSchema
        )
    if is_model(response_format):
        return response_format.model_json_schema(
            mode="serialization", by_alias=True, schema_generator=JsonValuesSchema
        )
    return output.schema


class _Schemas(GenerateJsonSchema):
    """Without a title for each field, which says nothing more than its name."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def _components(served: Served) -> dict[str, Any]:
    types: dict[str, TypeAdapter[Any]] = {
        "NativeRecord": TypeAdapter(NativeRecord),
        "ChatAnswer": TypeAdapter(ChatAnswer),
        "ProblemDocument": TypeAdapter(ProblemDocument),
        "Health": TypeAdapter(Health),
        "Liveness": TypeAdapter(Liveness),
        "SessionPage": TypeAdapter(SessionPage),
        "SessionDocument": TypeAdapter(SessionDocument),
    }
    _, generated = TypeAdapter.json_schemas(
        [(name, "serialization", adapter) for name, adapter in types.items()],
        ref_template=PREFIX + "{model}",
        schema_generator=_Schemas,
    )
    schemas: dict[str, Any] = generated["$defs"]
    schemas |= request_components(served)
    schemas["OpenApiDocument"] = {"type": "object", "description": "An OpenAPI document, version 3.1."}
    schemas["NativeEvent"] = _EVENT
    parsed: dict[str, Any] = {"type": "null"}
    if served.output is not None:
        reference, more = as_components(
            wire_schema(served.response_format, served.output), served.output.name, schemas.keys()
        )
        schemas |= more
        parsed = {"anyOf": [{"$ref": reference}, {"type": "null"}]}
    for name in ("Result", "ResultRecord"):
        schemas[name]["properties"]["parsed"] |= parsed
    return schemas


_EVENT = {
    "type": "object",
    "description": "A server-sent event.",
    "properties": {
        "id": {
            "type": "string",
            "pattern": "^[1-9][0-9]*$",
            "description": "The record's number, from 1: what `resumeStream` takes as `Last-Event-ID`.",
        },
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {"$ref": PREFIX + "NativeRecord"},
        },
    },
    "required": ["id", "data"],
}


def _operation(
    generated: dict[str, Any], operation: Operation, served: Served, keyed: bool
) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "operationId": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
    }
    if operation.description:
        fields["description"] = operation.description
    if "parameters" in generated:
        fields["parameters"] = [_parameter(parameter) for parameter in generated["parameters"]]
    if "requestBody" in generated:
        (content,) = generated["requestBody"]["content"].values()
        fields["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": content["schema"], "example": EXAMPLES[operation.id]}},
        }
    fields["responses"] = _responses(operation, served, keyed)
    if keyed and not operation.open:
        fields["security"] = [{_KEY: []}]
    return fields


def _parameter(parameter: dict[str, Any]) -> dict[str, Any]:
    """The same, without null, which cannot be sent in a parameter, and without FastAPI's titles."""
    schema = {name: value for name, value in parameter["schema"].items() if name not in ("title", "anyOf")}
    for alternative in parameter["schema"].get("anyOf", ()):
        if alternative != {"type": "null"}:
            schema |= alternative
    # It is said beside the schema already.
    schema.pop("description", None)
    if parameter["name"] == "chat_id":
        schema["pattern"] = SESSION_PATTERN
    return {**parameter, "schema": schema}


def _responses(operation: Operation, served: Served, keyed: bool) -> dict[str, Any]:
    codes: list[FailureCode] = [*operation.codes, *(operation.session_codes if served.keeps_sessions else ())]
    if not operation.open:
        codes.append("internal_error")
    if not keyed:
        codes.append("forbidden_origin")
    elif not operation.open:
        codes.append("unauthorized")
    responses: dict[str, Any] = {"200" if operation.media else "204": _answer(operation)}
    if operation.id == "resumeAiSdk":
        responses["204"] = {"description": "No turn goes on."}
    if operation.id == "getHealth":
        responses["503"] = {"description": "It does not, now.", "content": responses["200"]["content"]}
    problems: dict[int, list[FailureCode]] = {}
    for code in codes:
        problems.setdefault(STATUS[code], []).append(code)
    may_be_refused = operation.begins_a_turn and served.asks_application
    for status, several in sorted(problems.items()):
        responses[str(status)] = _problem(status, [*several, *(("refused",) if may_be_refused else ())])
    if may_be_refused:
        # With any other status that the application says.
        responses["default"] = _problem(None, ["refused"])
    return responses


def _answer(operation: Operation) -> dict[str, Any]:
    response: dict[str, Any] = {"description": operation.answer}
    if operation.media is not None:
        schema = {"$ref": PREFIX + operation.schema} if operation.schema else {}
        response["content"] = {operation.media: {"schema": schema}}
    if operation.run_id:
        response["headers"] = {"X-Run-Id": _RUN_ID}
    if operation.links:
        response["links"] = deepcopy(dict(operation.links))
    return response


_RUN_ID = {"description": "The run's id.", "required": True, "schema": {"type": "string", "minLength": 1}}
_HEADERS = {
    401: {"WWW-Authenticate": {"required": True, "schema": {"const": "Bearer"}}},
    503: {"Retry-After": {"description": "Seconds.", "schema": {"type": "string", "pattern": "^[0-9]+$"}}},
}


def _problem(status: int | None, codes: list[FailureCode]) -> dict[str, Any]:
    of_status: dict[str, Any] = {} if status is None else {"status": {"const": status}}
    narrowed = {"properties": {**of_status, "code": {"enum": sorted(codes)}}}
    response: dict[str, Any] = {
        "description": ", ".join(f"`{code}`" for code in codes),
        "content": {PROBLEM_JSON: {"schema": {"allOf": [{"$ref": PREFIX + "ProblemDocument"}, narrowed]}}},
    }
    if status in _HEADERS and "refused" not in codes:
        response["headers"] = _HEADERS[status]
    return response


def _drop_dead_links(paths: dict[str, Any]) -> None:
    """Without the links to routes that this server does not have."""
    all_of_them = [operation for item in paths.values() for operation in item.values()]
    ids = {operation["operationId"] for operation in all_of_them}
    for operation in all_of_them:
        for answer in operation["responses"].values():
            links = {key: link for key, link in answer.pop("links", {}).items() if link["operationId"] in ids}
            if links:
                answer["links"] = links


def _used(paths: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    """The components that the paths lead to, in the order of their names."""
    used: set[str] = set()
    pending = set(_REFERENCE.findall(str(paths)))
    while pending:
        name = pending.pop()
        used.add(name)
        pending |= set(_REFERENCE.findall(str(components[name]))) - used
    return {name: components[name] for name in sorted(used)}


# What the routes themselves say, for the document of an application that they are mounted in.

STREAM: dict[str, Any] = {
    "description": "The turn as server-sent events.",
    "content": {"text/event-stream": {"schema": {"type": "string"}}},
}

PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {
        "description": ", ".join(code for code, code_status in STATUS.items() if code_status == status),
        "content": {PROBLEM_JSON: {"schema": {"type": "object"}}},
    }
    for status in sorted(set(STATUS.values()))
}


_PATH = "/openapi.json"


class OpenApiRoute:
    """The endpoint. The document is made when it is first asked for.

    Args:
        served: what is served.
        routes: all routes, this one included.
        keyed: whether a request needs a bearer key.
    """

    def __init__(self, served: Served, routes: APIRouter, *, keyed: bool) -> None:
        self._served = served
        self._routes = routes
        self._keyed = keyed
        self._document: dict[str, Any] | None = None

    def add_to(self, router: APIRouter) -> None:
        """Add the route."""
        router.add_api_route(_PATH, self.document, response_class=JSONResponse)

    async def document(self, request: Request) -> Response:
        """Say what the server offers."""
        if self._document is None:
            self._document = openapi_of(self._routes, self._served, keyed=self._keyed)
        # Where the routes are reached is known from the request only: others may have mounted them.
        prefix = request.scope["path"].removesuffix(_PATH)
        return JSONResponse({**self._document, "servers": [{"url": prefix or "/"}]})
