"""A model request as the body of a chat completions request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from finalturn._core import json_text
from finalturn._core.errors import ConfigurationError
from finalturn._core.frozen import FrozenDict
from finalturn._core.memo import Form, memoized
from finalturn._core.model import ModelRequest, ModelSettings, OutputSchema, ToolSpec
from finalturn._providers.openai_chat.history import encode_messages, encode_texts
from finalturn._providers.openai_chat.profile import Profile
from finalturn._providers.schema.schema import openai_strict, sendable

# What the model is taken to have said between the result of its call and the user's next words.
BETWEEN = "OK."
# What the user is taken to say where the model has spoken last, or nobody has.
CONTINUE = "Continue."

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
    }
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    body.update(_other_fields(request, profile=profile, stream=stream, stream_usage=stream_usage))
    return body


def encode_body(
    request: ModelRequest, *, model: str, profile: Profile, stream: bool, stream_usage: bool
) -> bytes:
    """The same body as JSON text.

    What a message or a tool comes to is written once, and kept with it: with a long history it is nearly all
    of the body.
    """
    by_hand = request.settings.extra_body or {}
    if profile.strict_roles or not by_hand.keys().isdisjoint(("model", "messages", "tools")):
        return json_text.encode(
            encode_request(request, model=model, profile=profile, stream=stream, stream_usage=stream_usage)
        )
    form = _form(model, profile)
    messages = encode_texts(request, model=model, profile=profile, form=form)
    if (schema := _schema_in_words(request, profile)) is not None:
        messages.append(json_text.encode(schema))
    before = json_text.encode({"model": model})[:-1] + b',"messages":['
    others = _other_fields(request, profile=profile, stream=stream, stream_usage=stream_usage)
    after = b"]," + json_text.encode(others)[1:]
    if request.tools:
        after = b'],"tools":[' + b",".join(_tool_texts(request.tools, form)) + after
    # A body of megabytes is put together once: what goes around the messages goes into the first and last.
    messages[:1] = [before + b"".join(messages[:1])]
    messages[-1] += after
    return b",".join(messages)


@lru_cache(maxsize=256)
def _form(model: str, profile: Profile) -> Form:
    """What stands for these two wherever something is kept for them."""
    return Form()


def _other_fields(
    request: ModelRequest, *, profile: Profile, stream: bool, stream_usage: bool
) -> dict[str, Any]:
    """Everything but the model, the messages and the tools."""
    body: dict[str, Any] = {"stream": stream}
    if stream and stream_usage and profile.stream_usage:
        body["stream_options"] = {"include_usage": True}
    choice = request.settings.tool_choice
    if request.tools and choice is not None:
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
    if (schema := _schema_in_words(request, profile)) is not None:
        messages.append(schema)
    return in_strict_order(messages) if profile.strict_roles else messages


def _schema_in_words(request: ModelRequest, profile: Profile) -> dict[str, Any] | None:
    if request.output is None or not profile.schema_in_words:
        return None
    schema = json_text.encode(request.output.schema).decode()
    return {"role": "user", "content": _IN_WORDS + schema}


def _sampling(settings: ModelSettings, profile: Profile) -> Iterator[tuple[str, Any]]:
    sampling = {
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        profile.max_tokens_field: settings.max_tokens,
        profile.seed_field: settings.seed,
        "stop": None if settings.stop is None else list(settings.stop),
    }
    return ((name, value) for name, value in sampling.items() if value is not None)


def _tool(tool: ToolSpec) -> dict[str, Any]:
    parameters: dict[str, Any] = {"type": "object", "properties": {}, **sendable(tool.parameters)}
    function = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}


def _tool_texts(tools: Sequence[ToolSpec], form: Form) -> list[bytes]:
    if all(isinstance(tool.parameters, FrozenDict) for tool in tools):
        return memoized(tools, form, _tool_text)
    # A schema that is not frozen may be changed by whoever made it.
    return [_tool_text(tool) for tool in tools]


def _tool_text(tool: ToolSpec) -> bytes:
    return json_text.encode(_tool(tool))


def _response_format(output: OutputSchema, *, strict: bool) -> dict[str, Any]:
    """The schema to follow, in a form that binds where there is one."""
    bound = openai_strict(output.schema) if strict else sendable(output.schema)
    schema = sendable(output.schema) if bound is None else bound
    json_schema = {"name": output.name, "schema": schema, "strict": bound is not None}
    return {"type": "json_schema", "json_schema": json_schema}


def in_strict_order(messages: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with one system message, at the start, and the user's never in a row or behind a result.

    What system messages say is put together, in order; so is what the user says in a row. Between a result
    and the user's words, the model says "OK." The user, or a result, comes last: Mistral refuses any other
    ("Expected last role User or Tool"), and elsewhere the model would go on with its own last message.
    """
    system: list[str] = []
    ordered: list[dict[str, Any]] = []
    for message in messages:
        role = message["role"]
        if role == "system":
            system.append(message["content"])
            continue
        before = ordered[-1]["role"] if ordered else ""
        if role == "user" and before == "user":
            ordered[-1] = {"role": "user", "content": _joined(ordered[-1]["content"], message["content"])}
            continue
        if role == "user" and before == "tool":
            ordered.append({"role": "assistant", "content": BETWEEN})
        ordered.append(message)
    if ordered[-1]["role"] == "assistant" if ordered else system:
        ordered.append({"role": "user", "content": CONTINUE})
    if system:
        ordered.insert(0, {"role": "system", "content": "\n\n".join(system)})
    return ordered


def _joined(first: str | list[Any], second: str | list[Any]) -> str | list[Any]:
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*_parts(first), *_parts(second)]


def _parts(content: str | list[Any]) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
