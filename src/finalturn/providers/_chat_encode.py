"""A model request as the body of a chat completions request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from finalturn.core.history import repaired
from finalturn.core.messages import ContentPart, Message, Role, ToolCall
from finalturn.core.model import ModelRequest, ModelSettings, OutputSchema, ToolSpec
from finalturn.providers._profiles import Profile
from finalturn.providers._schema import openai_strict, sendable

# What some servers send with a tool call and want back with it: a signature of the thoughts behind it.
CALL_EXTRA = "extra_content"


def encode_request(
    request: ModelRequest, *, model: str, profile: Profile, stream: bool, stream_usage: bool
) -> dict[str, Any]:
    """The request's body, as JSON types.

    Args:
        stream: ask for the answer piece by piece.
        stream_usage: ask for usage at the end of a stream, where the profile has it.
    """
    body: dict[str, Any] = {"model": model, "messages": list(_messages(request)), "stream": stream}
    if stream and stream_usage and profile.stream_usage:
        body["stream_options"] = {"include_usage": True}
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        if request.settings.tool_choice is not None:
            body["tool_choice"] = request.settings.tool_choice
    if request.output is not None:
        body["response_format"] = _response_format(request.output)
    body.update(_sampling(request.settings, profile))
    body.update(request.settings.extra_body or {})
    return body


def _sampling(settings: ModelSettings, profile: Profile) -> Iterator[tuple[str, Any]]:
    given = {
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        profile.max_tokens_field: settings.max_tokens,
        "seed": settings.seed,
        "stop": None if settings.stop is None else list(settings.stop),
    }
    return ((name, value) for name, value in given.items() if value is not None)


def _tool(tool: ToolSpec) -> dict[str, Any]:
    parameters: dict[str, Any] = {"type": "object", "properties": {}, **sendable(tool.parameters)}
    function = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}


def _response_format(output: OutputSchema) -> dict[str, Any]:
    strict = openai_strict(output.schema)
    schema = sendable(output.schema) if strict is None else strict
    json_schema = {"name": output.name, "schema": schema, "strict": strict is not None}
    return {"type": "json_schema", "json_schema": json_schema}


def _messages(request: ModelRequest) -> Iterator[dict[str, Any]]:
    if request.system:
        yield {"role": "system", "content": request.system}
    # Only a USER message can show images: those of another message follow it, behind its tool results.
    images: list[ContentPart] = []
    for message in repaired(request.messages):
        if images and message.role is not Role.TOOL:
            yield {"role": "user", "content": [_image(part) for part in images]}
            images = []
        if message.role is Role.USER:
            yield _user(message)
            continue
        images.extend(message.content_parts)
        if message.content or message.tool_calls or message.role is Role.TOOL:
            yield _message(message)
    if images:
        yield {"role": "user", "content": [_image(part) for part in images]}


def _message(message: Message) -> dict[str, Any]:
    if message.role is Role.TOOL:
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
    if message.tool_calls:
        calls = [_call(call) for call in message.tool_calls]
        return {"role": "assistant", "content": message.content or None, "tool_calls": calls}
    return {"role": message.role.value, "content": message.content}


def _user(message: Message) -> dict[str, Any]:
    if not message.content_parts:
        return {"role": "user", "content": message.content}
    text = [{"type": "text", "text": message.content}] if message.content else []
    return {"role": "user", "content": [*text, *map(_image, message.content_parts)]}


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments_json()}
    found: dict[str, Any] = {"id": call.id, "type": "function", "function": function}
    if call.provider_data is not None and CALL_EXTRA in call.provider_data:
        found[CALL_EXTRA] = call.provider_data[CALL_EXTRA]
    return found


def _image(part: ContentPart) -> dict[str, Any]:
    url = f"data:{part.media_type};base64,{part.data}" if part.url is None else part.url
    return {"type": "image_url", "image_url": {"url": url}}
