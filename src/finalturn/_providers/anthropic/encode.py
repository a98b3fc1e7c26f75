"""Encodes a model request as the body of a Messages request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from finalturn._core.errors import ConfigurationError
from finalturn._core.history import repaired
from finalturn._core.messages import Message
from finalturn._core.model import ModelRequest, ModelSettings, ToolSpec
from finalturn._providers.anthropic.history import AnthropicHistory, called_names
from finalturn._providers.anthropic.schema import enforceable
from finalturn._providers.anthropic.thinking import budget_of
from finalturn._providers.blocks.encode import (
    EncodedRequest,
    check_settings,
    parameters_schema,
    system_text,
    without_none,
)
from finalturn._providers.blocks.replay import Prefix

_CHOICES = {"auto": "auto", "required": "any", "none": "none"}


def encode_request(
    request: ModelRequest,
    *,
    model: str,
    server: str,
    max_tokens: int,
    thinking: dict[str, Any] | None,
    stream: bool,
    enforce: bool = True,
    thoughts: bool = True,
) -> EncodedRequest:
    """Encode a request.

    SYSTEM messages all go into ``system``, in order: only some models take them elsewhere, others refuse or
    ignore them there, and a user could write whatever would mark them in a user's message.

    Args:
        server: where it goes.
        max_tokens: the longest answer where the settings do not say it; the API needs one.
        thinking: the field of that name.
        stream: ask for the answer piece by piece.
        enforce: let the vendor enforce the output schema, where it can; it is told in words otherwise.
        thoughts: send thoughts of earlier answers back.

    Raises:
        ConfigurationError: a setting has a value that the format does not take.
    """
    settings = request.settings
    extra = dict(settings.extra_body or {})
    thinking = extra.get("thinking", thinking)
    budget = budget_of(thinking)
    limit = max_tokens if settings.max_tokens is None else settings.max_tokens
    _check(settings, limit, budget)
    messages = repaired(request.messages)
    schema = enforceable(request.output.schema) if request.output is not None and enforce else None
    body: dict[str, Any] = {"model": model, "max_tokens": limit}
    system = system_text(request, messages, schema_in_words=schema is None)
    if system:
        body["system"] = system
    body.update(_tools(request, messages))
    if schema is not None:
        body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    if thinking is not None:
        body["thinking"] = thinking
    body.update(_sampling(settings))
    # The one field of which finalturn and the user may each want a part: the format, and the effort.
    user_config: Mapping[str, Any] = extra.pop("output_config", None) or {}
    config: dict[str, Any] = {**body.get("output_config", {}), **user_config}
    if "tools" in extra and not request.tools:
        body.pop("tool_choice", None)
    body.update(extra)
    if config:
        body["output_config"] = config
    prefix = Prefix(server, body.get("system"), body.get("tools"), config.get("format"))
    history = AnthropicHistory(prefix, thoughts=thoughts, anywhere=budget is not None)
    for message in messages:
        history.add(message)
    body = {"messages": history.finish(), "stream": stream, **body}
    return EncodedRequest(body, history.carries, schema is not None, history.cover)


def _check(settings: ModelSettings, limit: int, budget: int | None) -> None:
    check_settings(settings, "Messages")
    if any(not text or text.isspace() for text in settings.stop or ()):
        raise ConfigurationError("the Messages API takes no stop text that is blank")
    if budget is not None and limit <= budget:
        raise ConfigurationError(
            f"max_tokens is {limit}, and thinking, which counts towards it, may take {budget};"
            " raise the one or lower the other"
        )
    if budget is not None and settings.tool_choice == "required":
        raise ConfigurationError(
            "tool_choice='required' does not go with a thinking budget; use thinking='adaptive' or none"
        )


def _sampling(settings: ModelSettings) -> dict[str, Any]:
    return without_none(
        {
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "stop_sequences": None if settings.stop is None else list(settings.stop),
        }
    )


def _tools(request: ModelRequest, messages: Sequence[Message]) -> dict[str, Any]:
    if request.tools:
        tools = [_tool(tool) for tool in request.tools]
        choice = request.settings.tool_choice
        return {"tools": tools} | ({"tool_choice": {"type": _CHOICES[choice]}} if choice else {})
    # A conversation with calls needs declarations, or the API may refuse it.
    names = called_names(messages)
    if not names:
        return {}
    tools = [_tool(ToolSpec(name, "It cannot be called any more.", {})) for name in names]
    return {"tools": tools, "tool_choice": {"type": "none"}}


def _tool(tool: ToolSpec) -> dict[str, Any]:
    description = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **description, "input_schema": parameters_schema(tool)}
