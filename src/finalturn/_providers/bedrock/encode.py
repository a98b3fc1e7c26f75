"""A model request as the body of a Converse request.

After the "Amazon Bedrock API Reference": `Converse`, `InferenceConfiguration`, `ToolConfiguration`,
`OutputConfig`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from finalturn._core import json_text
from finalturn._core.errors import ConfigurationError
from finalturn._core.history import repaired
from finalturn._core.messages import Message, Role
from finalturn._core.model import ModelRequest, ModelSettings, OutputSchema, ToolSpec
from finalturn._providers.anthropic.schema import enforceable
from finalturn._providers.anthropic.thinking import budget_of
from finalturn._providers.bedrock.families import Family
from finalturn._providers.bedrock.history import History
from finalturn._providers.blocks.replay import Prefix
from finalturn._providers.json_types import as_object
from finalturn._providers.schema.schema import sendable

_UNIONS = ("allOf", "anyOf", "oneOf")
# The fields of which finalturn and the user may each want a part.
_SHARED = ("additionalModelRequestFields", "inferenceConfig", "outputConfig")

_INSTRUCTION = (
    "Once you need no more tools, answer with JSON only: one value that validates against the JSON Schema"
    " below. No prose and no code fence around it.\n\n"
)


class Encoded(NamedTuple):
    """A request, as JSON types.

    Attributes:
        body: what is sent.
        carries: thoughts of earlier answers are in it.
        enforces: the service is to enforce the output schema.
        prefix: makes the fingerprint of the whole request.
    """

    body: dict[str, Any]
    carries: bool
    enforces: bool
    prefix: Callable[[], Prefix]


def encode_request(
    request: ModelRequest,
    *,
    server: str,
    family: Family,
    fields: Mapping[str, Any],
    enforce: bool = True,
    thoughts: bool = True,
) -> Encoded:
    """Encode a request.

    SYSTEM messages all go into ``system``, in order.

    Args:
        server: where it goes, the model included.
        family: what the model takes.
        fields: what the model takes beyond the API, for ``additionalModelRequestFields``.
        enforce: let the service enforce the output schema, where it can; it is told in words otherwise.
        thoughts: send thoughts of earlier answers back.

    Raises:
        ConfigurationError: a setting has a value that the format does not take.
    """
    settings = request.settings
    _check(settings)
    messages = repaired(request.messages)
    schema = enforceable(request.output.schema) if request.output is not None and enforce else None
    extra = dict(settings.extra_body or {})
    body: dict[str, Any] = {}
    system = _system(request, messages, told=schema is None)
    if system:
        body["system"] = [{"text": system}]
    if request.tools and settings.tool_choice != "none":
        body["toolConfig"] = _tools(request.tools, required=settings.tool_choice == "required")
    body["inferenceConfig"] = _sampling(settings)
    body["outputConfig"] = {} if request.output is None or schema is None else _format(request.output, schema)
    body["additionalModelRequestFields"] = dict(fields)
    for name in _SHARED:
        body[name].update(extra.pop(name, None) or {})
        if not body[name]:
            del body[name]
    body.update(extra)
    thinking = as_object(body.get("additionalModelRequestFields")).get("thinking")
    # Not the choice, which changes within a turn.
    tools = as_object(body.get("toolConfig")).get("tools")
    prefix = Prefix(server, body.get("system"), tools, body.get("outputConfig"))
    history = History(
        prefix,
        family=family,
        native="toolConfig" in body,
        thoughts=thoughts,
        anywhere=budget_of(thinking) is not None,
    )
    for message in messages:
        history.add(message)
    return Encoded({"messages": history.finish(), **body}, history.carries, schema is not None, history.cover)


def _check(settings: ModelSettings) -> None:
    if settings.seed is not None:
        raise ConfigurationError("the Converse API has no seed; leave settings.seed out")
    if settings.temperature is not None and not 0 <= settings.temperature <= 1:
        raise ConfigurationError("the Converse API takes a temperature from 0 to 1")
    if not all(settings.stop or ()):
        raise ConfigurationError("the Converse API takes no stop text that is empty")


def _sampling(settings: ModelSettings) -> dict[str, Any]:
    given = {
        "maxTokens": settings.max_tokens,
        "temperature": settings.temperature,
        "topP": settings.top_p,
        "stopSequences": None if settings.stop is None else list(settings.stop),
    }
    return {name: value for name, value in given.items() if value is not None}


def _system(request: ModelRequest, messages: Sequence[Message], *, told: bool) -> str:
    texts = [request.system, *(item.content for item in messages if item.role is Role.SYSTEM)]
    if told and request.output is not None:
        texts.append(_INSTRUCTION + json_text.encode(request.output.schema).decode())
    return "\n\n".join(text for text in texts if text.strip())


def _tools(tools: Sequence[ToolSpec], *, required: bool) -> dict[str, Any]:
    """The declarations. Without a choice, it is "auto": not every model takes the field."""
    found: dict[str, Any] = {"tools": [{"toolSpec": _tool(tool)} for tool in tools]}
    return found | {"toolChoice": {"any": {}}} if required else found


def _tool(tool: ToolSpec) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": {}, **sendable(tool.parameters)}
    for name in _UNIONS:
        # Claude refuses them at the root. Arguments are validated against them here.
        schema.pop(name, None)
    description = {"description": tool.description} if tool.description.strip() else {}
    return {"name": tool.name, **description, "inputSchema": {"json": schema}}


def _format(output: OutputSchema, schema: dict[str, Any]) -> dict[str, Any]:
    definition = {"name": output.name, "schema": json_text.encode(schema).decode()}
    return {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": definition}}}
