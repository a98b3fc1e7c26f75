"""A model request as the body of a chat completions request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from finalturn.core import json_text
from finalturn.core.errors import ConfigurationError
from finalturn.core.model import ModelRequest, ModelSettings, OutputSchema, ToolSpec
from finalturn.providers._chat_history import encode_messages
from finalturn.providers._chat_roles import in_strict_order
from finalturn.providers._profile import Profile
from finalturn.providers._schema import openai_strict, sendable

_IN_WORDS = "The answer is JSON that validates against this JSON Schema:\n\n"


def encode_request(
    request: ModelRequest, *, model: str, profile: Profile, stream: bool, stream_usage: bool
) -> dict[str, Any]:
    """The request's body, as JSON types.

    Args:
        stream: ask for the answer piece by piece.
        stream_usage: ask for usage at the end of a stream, where the profile has it.

    Raises:
        ConfigurationError: the server has no place for a setting, or cannot see an image.
    """
    body: dict[str, Any] = {
        "model": model,
        "messages": _messages(request, model=model, profile=profile),
        "stream": stream,
    }
    if stream and stream_usage and profile.stream_usage:
        body["stream_options"] = {"include_usage": True}
    choice = request.settings.tool_choice
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        if choice is not None:
            body["tool_choice"] = profile.required_choice if choice == "required" else choice
    if request.output is not None:
        body["response_format"] = _response_format(request.output, strict=profile.strict_schema)
    body.update(_sampling(request.settings, profile))
    body.update(request.settings.extra_body or {})
    return body


def check_settings(settings: ModelSettings, unsupported: frozenset[str], server: str) -> None:
    """Refuse settings that the server would refuse, or ignore.

    Raises:
        ConfigurationError: there is one.
    """
    for name in sorted(unsupported):
        if getattr(settings, name, None) is not None:
            raise ConfigurationError(f"{server} has no setting {name!r}; leave it out")


def _messages(request: ModelRequest, *, model: str, profile: Profile) -> list[dict[str, Any]]:
    messages = list(encode_messages(request, model=model, profile=profile))
    if request.output is not None and profile.schema_in_words:
        schema = json_text.encode(request.output.schema).decode()
        messages.append({"role": "user", "content": _IN_WORDS + schema})
    return in_strict_order(messages) if profile.strict_roles else messages


def _sampling(settings: ModelSettings, profile: Profile) -> Iterator[tuple[str, Any]]:
    given = {
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        profile.max_tokens_field: settings.max_tokens,
        profile.seed_field: settings.seed,
        "stop": None if settings.stop is None else list(settings.stop),
    }
    return ((name, value) for name, value in given.items() if value is not None)


def _tool(tool: ToolSpec) -> dict[str, Any]:
    parameters: dict[str, Any] = {"type": "object", "properties": {}, **sendable(tool.parameters)}
    function = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}


def _response_format(output: OutputSchema, *, strict: bool) -> dict[str, Any]:
    """The schema to follow, in a form that binds where there is one."""
    bound = openai_strict(output.schema) if strict else sendable(output.schema)
    schema = sendable(output.schema) if bound is None else bound
    json_schema = {"name": output.name, "schema": schema, "strict": bound is not None}
    return {"type": "json_schema", "json_schema": json_schema}
