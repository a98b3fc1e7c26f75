"""The parts of a request's body that all formats of content blocks share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from finalturn._core import json_text
from finalturn._core.errors import ConfigurationError
from finalturn._core.messages import Message, Role
from finalturn._core.model import ModelRequest, ModelSettings, ToolSpec
from finalturn._providers.blocks.replay import Prefix
from finalturn._providers.schema.schema import sendable

_INSTRUCTION = (
    "Once you need no more tools, answer with JSON only: one value that validates against the JSON Schema"
    " below. No prose and no code fence around it.\n\n"
)
_UNIONS = ("allOf", "anyOf", "oneOf")


class EncodedRequest(NamedTuple):
    """A request, as JSON types.

    Attributes:
        body: what is sent.
        carries: thoughts of earlier answers are in it.
        enforces: the vendor is to enforce the output schema.
        prefix: makes the fingerprint of the whole request.
    """

    body: dict[str, Any]
    carries: bool
    enforces: bool
    prefix: Callable[[], Prefix]


def check_settings(settings: ModelSettings, api: str) -> None:
    """Refuse settings that neither format has.

    Args:
        settings: of the request.
        api: what the format is called in an error.

    Raises:
        ConfigurationError: there is one.
    """
    if settings.seed is not None:
        raise ConfigurationError(f"the {api} API has no seed; leave settings.seed out")
    if settings.temperature is not None and not 0 <= settings.temperature <= 1:
        raise ConfigurationError(f"the {api} API takes a temperature from 0 to 1")


def without_none(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}


def system_text(request: ModelRequest, messages: Sequence[Message], *, schema_in_words: bool) -> str:
    """The system prompt: that of the request, SYSTEM messages in their order, and the schema to follow.

    Args:
        request: what is asked.
        messages: its conversation, repaired.
        schema_in_words: the vendor does not enforce the schema, so the model is told of it.
    """
    texts = [request.system, *(item.content for item in messages if item.role is Role.SYSTEM)]
    if schema_in_words and request.output is not None:
        texts.append(_INSTRUCTION + json_text.encode(request.output.schema).decode())
    return "\n\n".join(text for text in texts if text.strip())


def parameters_schema(tool: ToolSpec) -> dict[str, Any]:
    """The schema of a tool's arguments: an object, without unions at its root.

    Claude refuses them there. Arguments are validated against them here.
    """
    schema: dict[str, Any] = {"type": "object", "properties": {}, **sendable(tool.parameters)}
    for name in _UNIONS:
        schema.pop(name, None)
    return schema
