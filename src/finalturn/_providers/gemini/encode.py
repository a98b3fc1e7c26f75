"""A model request as the body of a generateContent request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from finalturn._core import json_text
from finalturn._core.errors import ConfigurationError
from finalturn._core.model import ModelRequest, OutputSchema, ToolSpec
from finalturn._core.type_guards import is_mapping
from finalturn._providers.gemini.history import contents_of, valid_start
from finalturn._providers.gemini.replay import Signatures
from finalturn._providers.gemini.schema import gemini_schema
from finalturn._providers.schema.schema import sendable

_MODES = {"auto": "AUTO", "required": "ANY", "none": "NONE"}

_INSTRUCTION = (
    "Answer with JSON only: one value that validates against this JSON Schema, and nothing around it."
)
_INSTRUCTION_WITH_TOOLS = f"Once you need no more tools, a{_INSTRUCTION[1:]}"


class Encoded(NamedTuple):
    """A request's body.

    Attributes:
        body: JSON types.
        enforces: the vendor is to enforce the output schema.
    """

    body: dict[str, Any]
    enforces: bool


def encode_request(
    request: ModelRequest,
    *,
    thinking: Mapping[str, Any] | None = None,
    signatures: Signatures = "given",
    enforce: bool = True,
) -> Encoded:
    """The request's body.

    Args:
        thinking: the field ``thinkingConfig``.
        signatures: which signatures of thoughts to send with calls.
        enforce: let the vendor enforce the output schema, where it can; it is told in words otherwise.

    Raises:
        ConfigurationError: a tool has a name that the vendor does not take.
    """
    schema = gemini_schema(request.output.schema) if request.output is not None and enforce else None
    contents = contents_of(request.messages, signatures=signatures)
    system = [request.system, *contents.system]
    if request.output is not None and schema is None:
        system.append(_instruction(request.output, tools=bool(request.tools)))
    body: dict[str, Any] = {"contents": contents.turns}
    if parts := [{"text": text} for text in system if text]:
        body["systemInstruction"] = {"parts": parts}
    if request.tools:
        body["tools"] = [{"functionDeclarations": [_tool(tool) for tool in request.tools]}]
        if request.settings.tool_choice is not None:
            mode = _MODES[request.settings.tool_choice]
            body["toolConfig"] = {"functionCallingConfig": {"mode": mode}}
    config = dict(_config(request, schema))
    if thinking is not None:
        config["thinkingConfig"] = dict(thinking)
    extra = dict(request.settings.extra_body or {})
    if is_mapping(extra.get("generationConfig")):
        # Of this one, finalturn and the user may each want a part.
        config |= extra.pop("generationConfig")
    if config:
        body["generationConfig"] = config
    return Encoded(body | extra, schema is not None)


def _config(request: ModelRequest, schema: dict[str, Any] | None) -> Iterator[tuple[str, Any]]:
    settings = request.settings
    sampling = {
        "temperature": settings.temperature,
        "topP": settings.top_p,
        "maxOutputTokens": settings.max_tokens,
        "seed": settings.seed,
        "stopSequences": None if settings.stop is None else list(settings.stop),
    }
    for name, value in sampling.items():
        if value is not None:
            yield name, value
    if schema is not None:
        yield "responseJsonSchema", schema
    # Models before Gemini 3 take no such type beside tools.
    if schema is not None or (request.output is not None and not request.tools):
        yield "responseMimeType", "application/json"


def _instruction(output: OutputSchema, *, tools: bool) -> str:
    words = _INSTRUCTION_WITH_TOOLS if tools else _INSTRUCTION
    return f"{words}\n\n{json_text.encode(output.schema).decode()}"


def _tool(tool: ToolSpec) -> dict[str, Any]:
    if not valid_start(tool.name):
        raise ConfigurationError(
            f"the tool {tool.name!r} must be called otherwise: for Gemini, a name begins with a letter or _"
        )
    description = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **description, "parametersJsonSchema": _parameters(tool.parameters)}


def _parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    schema = gemini_schema(parameters)
    if schema is None:
        schema = {name: value for name, value in sendable(parameters).items() if name != "$schema"}
    if {"anyOf", "$ref"} & schema.keys():
        # Nothing may stand beside it.
        return schema
    return {"type": "object", "properties": {}, **schema}
