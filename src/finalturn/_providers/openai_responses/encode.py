"""A model request as the body of a Responses request. Pure."""

from __future__ import annotations

from typing import Any

from finalturn._core.errors import ConfigurationError
from finalturn._core.model import ModelRequest, ModelSettings, OutputSchema, ToolSpec
from finalturn._providers.json_types import as_object
from finalturn._providers.openai_responses.history import input_items
from finalturn._providers.schema.schema import openai_strict, sendable

UNSUPPORTED = ("seed", "stop")
"""Names of settings that the API has no field for."""

ENCRYPTED = "reasoning.encrypted_content"


def encode_request(
    request: ModelRequest, *, model: str, origin: str, stream: bool, replay: bool, encrypted: bool
) -> dict[str, Any]:
    """The request's body, as JSON types.

    Nothing is stored with the provider: each request holds the whole conversation, and the reasoning behind
    its calls in the form that only the provider can read.

    Args:
        origin: the server and model that are asked.
        stream: ask for the answer piece by piece.
        replay: send back the reasoning that came before calls.
        encrypted: ask for reasoning in a form that can be sent back.

    Raises:
        ConfigurationError: a setting is given that the API has no field for.
    """
    settings = request.settings
    for name in UNSUPPORTED:
        if getattr(settings, name) is not None:
            raise ConfigurationError(f"the setting {name!r} has no field in the Responses API; leave it out")
    body: dict[str, Any] = {
        "model": model,
        "input": input_items(request.messages, origin, replay=replay),
        "stream": stream,
        "store": False,
    }
    if encrypted:
        body["include"] = [ENCRYPTED]
    if request.system:
        body["instructions"] = request.system
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        if settings.tool_choice is not None:
            body["tool_choice"] = settings.tool_choice
    body.update(_sampling(settings))
    further = dict(settings.extra_body or {})
    if request.output is not None:
        # The format shares its field with how much the model is to say, which only a further field can set.
        further["text"] = {"format": _format(request.output), **as_object(further.get("text"))}
    body.update(further)
    return body


def _sampling(settings: ModelSettings) -> dict[str, Any]:
    sampling = {
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "max_output_tokens": settings.max_tokens,
    }
    return {name: value for name, value in sampling.items() if value is not None}


def _tool(tool: ToolSpec) -> dict[str, Any]:
    parameters: dict[str, Any] = {"type": "object", "properties": {}, **sendable(tool.parameters)}
    # Without the field, the API is strict, and refuses what its strict mode cannot express.
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": parameters,
        "strict": False,
    }


def _format(output: OutputSchema) -> dict[str, Any]:
    strict = openai_strict(output.schema)
    schema = sendable(output.schema) if strict is None else strict
    return {"type": "json_schema", "name": output.name, "schema": schema, "strict": strict is not None}
