"""A model request as the body of a Converse request.

After the "Amazon Bedrock API Reference": `Converse`, `InferenceConfiguration`, `ToolConfiguration`,
`OutputConfig`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from finalturn._core import json_text
from finalturn._core.errors import ConfigurationError
from finalturn._core.history import repaired
from finalturn._core.model import ModelRequest, ModelSettings, OutputSchema, ToolSpec
from finalturn._providers.anthropic.schema import enforceable
from finalturn._providers.anthropic.thinking import budget_of
from finalturn._providers.bedrock.families import ModelFamily
from finalturn._providers.bedrock.history import BedrockHistory
from finalturn._providers.blocks.encode import (
    EncodedRequest,
    check_settings,
    parameters_schema,
    system_text,
    without_none,
)
from finalturn._providers.blocks.replay import Prefix
from finalturn._providers.json_types import as_object

# The fields of which finalturn and the user may each want a part.
_SHARED = ("additionalModelRequestFields", "inferenceConfig", "outputConfig")


def encode_request(
    request: ModelRequest,
    *,
    server: str,
    family: ModelFamily,
    fields: Mapping[str, Any],
    enforce: bool = True,
    thoughts: bool = True,
) -> EncodedRequest:
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
    system = system_text(request, messages, schema_in_words=schema is None)
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
    history = BedrockHistory(
        prefix,
        family=family,
        native="toolConfig" in body,
        thoughts=thoughts,
        anywhere=budget_of(thinking) is not None,
    )
    for message in messages:
        history.add(message)
    return EncodedRequest(
        {"messages": history.finish(), **body}, history.carries, schema is not None, history.cover
    )


def _check(settings: ModelSettings) -> None:
    check_settings(settings, "Converse")
    if not all(settings.stop or ()):
        raise ConfigurationError("the Converse API takes no stop text that is empty")


def _sampling(settings: ModelSettings) -> dict[str, Any]:
    return without_none(
        {
            "maxTokens": settings.max_tokens,
            "temperature": settings.temperature,
            "topP": settings.top_p,
            "stopSequences": None if settings.stop is None else list(settings.stop),
        }
    )


def _tools(tools: Sequence[ToolSpec], *, required: bool) -> dict[str, Any]:
    """The declarations. Without a choice, it is "auto": not every model takes the field."""
    config: dict[str, Any] = {"tools": [{"toolSpec": _tool(tool)} for tool in tools]}
    return config | {"toolChoice": {"any": {}}} if required else config


def _tool(tool: ToolSpec) -> dict[str, Any]:
    description = {"description": tool.description} if tool.description.strip() else {}
    return {"name": tool.name, **description, "inputSchema": {"json": parameters_schema(tool)}}


def _format(output: OutputSchema, schema: dict[str, Any]) -> dict[str, Any]:
    definition = {"name": output.name, "schema": json_text.encode(schema).decode()}
    return {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": definition}}}
