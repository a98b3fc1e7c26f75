"""Each vendor is sent a schema whose root it takes, and the answer to it is read, whatever the format is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, RootModel, TypeAdapter

from finalturn import Agent, Capabilities, ModelRequest, StructuredOutputConfig
from finalturn._core import json_text
from finalturn._providers.anthropic.encode import encode_request as encode_anthropic
from finalturn._providers.bedrock.encode import encode_request as encode_bedrock
from finalturn._providers.bedrock.families import family_of
from finalturn._providers.gemini.encode import encode_request as encode_gemini
from finalturn._providers.openai_chat.encode import encode_request as encode_chat
from finalturn._providers.openai_chat.profiles import PROFILES, ProfileName
from finalturn._providers.openai_responses.encode import encode_request as encode_responses
from finalturn.providers import Scripted, infer_provider


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    friend: Cat | None


class Node(BaseModel):
    name: str
    kids: list[Node]


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Numbers(RootModel[list[int]]):
    pass


class Pet(RootModel[Cat | Dog]):
    pass


Tagged = Annotated[Cat | Dog, Field(discriminator="kind")]

CAT = '{"kind": "cat", "lives": 9}'
TREE = '{"name": "a", "kids": [{"name": "b", "kids": []}]}'

ANY_OF = {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/N"}], "$defs": {"N": {"type": "number"}}}

FORMATS: dict[str, tuple[Any, list[str]]] = {
    "model": (Cat, [CAT]),
    "recursive model": (Node, [TREE]),
    "union": (Cat | Dog, [CAT, f'{{"kind": "dog", "friend": {CAT}}}']),
    "discriminated union": (TypeAdapter(Tagged), [CAT]),
    "optional": (TypeAdapter(Cat | None), [CAT, "null"]),
    "list": (list[Node], [f"[{TREE}]", "[]"]),
    "union of kinds": (TypeAdapter(Cat | list[Cat] | int), [CAT, f"[{CAT}]", "7"]),
    "root model of a list": (Numbers, ["[1, 2]"]),
    "root model of a union": (Pet, [CAT]),
    "enum": (Color, ['"red"']),
    "literal": (TypeAdapter(Literal["a", 1]), ['"a"', "1"]),
    "text": (str, ['"}"', '""']),
    "integer": (int, ["0", "-12"]),
    "boolean": (bool, ["false"]),
    "mapping of a list": ({"type": "array", "items": {"type": "integer"}}, ["[1]"]),
    "mapping without a type": (ANY_OF, ["1.5"]),
}  # fmt: skip


def _chat(profile: ProfileName) -> Callable[[ModelRequest], Mapping[str, Any]]:
    def schema(request: ModelRequest) -> Mapping[str, Any]:
        body = encode_chat(request, model="m", profile=PROFILES[profile], stream=False, stream_usage=False)
        found: Mapping[str, Any] = body["response_format"]["json_schema"]
        return found

    return schema


def _responses(request: ModelRequest) -> Mapping[str, Any]:
    body = encode_responses(request, model="m", origin="o", stream=False, replay=False, encrypted=False)
    found: Mapping[str, Any] = body["text"]["format"]
    return found


def _anthropic(request: ModelRequest) -> Mapping[str, Any]:
    body = encode_anthropic(request, model="m", server="s", max_tokens=1024, thinking=None, stream=False).body
    found: Mapping[str, Any] = body.get("output_config", {}).get("format", {})
    return found


def _bedrock(request: ModelRequest) -> Mapping[str, Any]:
    body = encode_bedrock(request, server="s", family=family_of("anthropic.claude-x"), fields={}).body
    if "outputConfig" not in body:
        return {}
    text = body["outputConfig"]["textFormat"]["structure"]["jsonSchema"]["schema"]
    return {"schema": json_text.decode(text)}


def _gemini(request: ModelRequest) -> Mapping[str, Any]:
    config = encode_gemini(request).body["generationConfig"]
    return {"schema": config["responseJsonSchema"]} if "responseJsonSchema" in config else {}


# Where a vendor refuses what its subset cannot say, it is told of it in words instead: "told".
VENDORS: dict[str, tuple[str, Callable[[ModelRequest], Mapping[str, Any]]]] = {
    "openai-chat:m": ("strict", _chat("openai")),
    "openai-responses:m": ("strict", _responses),
    "azure:m": ("strict", _chat("azure")),
    "groq:m": ("strict", _chat("groq")),
    "mistral:m": ("strict", _chat("mistral")),
    "openrouter:m": ("strict", _chat("openrouter")),
    "together:m": ("strict", _chat("together")),
    "lmstudio:m": ("object", _chat("lmstudio")),
    "anthropic:m": ("told", _anthropic),
    "bedrock:anthropic.claude-x": ("told", _bedrock),
    "gemini:m": ("any", _gemini),
    "ollama:m": ("any", _chat("ollama")),
    "vllm:m": ("any", _chat("vllm")),
    "llamacpp:m": ("any", _chat("llamacpp")),
}
SINGLE = StructuredOutputConfig(final_turn_only=True, single_pass=True)
FINAL = StructuredOutputConfig(final_turn_only=True)


def _can(vendor: str) -> Capabilities:
    """What the vendor's own profile says, as far as it is asked for a schema at all."""
    options = {"base_url": "http://127.0.0.1:9"} if vendor.startswith("azure") else {}
    if vendor.startswith("bedrock"):
        return Capabilities(native_schema=True)
    known = infer_provider(vendor, api_key="k", **options).capabilities
    return Capabilities(native_schema=True, native_schema_any_root=known.native_schema_any_root)


def _asked(vendor: str, response_format: Any) -> ModelRequest:
    provider = Scripted("no", then="{", capabilities=_can(vendor))
    agent: Agent[Any] = Agent(provider, response_format=response_format, structured_output=FINAL)
    agent.run("go")
    return provider.requests[1]


@pytest.mark.parametrize("vendor", VENDORS)
def test_the_root_is_one_that_the_vendor_takes(vendor: str) -> None:
    for name in FORMATS:
        _expect_a_root_of(vendor, name)


def _expect_a_root_of(vendor: str, name: str) -> None:
    rule, encoded = VENDORS[vendor]
    request = _asked(vendor, FORMATS[name][0])
    assert request.output is not None
    if rule == "any":
        # Gemini takes no recursion that is required.
        assert encoded(request) or name in ("recursive model", "list")
        return
    assert request.output.schema["type"] == "object"
    assert request.output.schema.keys().isdisjoint({"anyOf", "oneOf", "allOf", "$ref", "enum", "const"})
    sent = encoded(request)
    if rule == "told" and not sent:
        # Anthropic's subset has no recursion.
        assert name in ("recursive model", "list")
        return
    assert sent["schema"]["type"] == "object"
    assert "anyOf" not in sent["schema"]
    if rule == "strict":
        assert sent["strict"] is True


def _answer(vendor: str, response_format: Any, json: str) -> str:
    """What a model writes that follows the schema it was sent."""
    output = _asked(vendor, response_format).output
    assert output is not None
    wrapped = list(output.schema.get("properties", ())) == ["answer"]
    return f'{{"answer": {json}}}' if wrapped else json


VALID = [(name, json) for name, (_, answers) in FORMATS.items() for json in answers]


@given(st.sampled_from(sorted(VENDORS)), st.sampled_from(VALID), st.booleans())
def test_a_valid_value_comes_back(vendor: str, valid: tuple[str, str], bare: bool) -> None:
    name, json = valid
    response_format = FORMATS[name][0]
    text = json if bare else _answer(vendor, response_format, json)
    provider = Scripted("no object", text, capabilities=_can(vendor))
    agent: Agent[Any] = Agent(provider, response_format=response_format, structured_output=FINAL)
    result = agent.run("go")
    assert (result.structured_status, result.content) == ("ok", json)
    assert result.message is not None
    assert result.message.structured == json
    assert result.text == "no object"


@given(st.sampled_from(sorted(VENDORS)), st.sampled_from(VALID))
def test_a_single_pass_takes_it_from_the_loop(vendor: str, valid: tuple[str, str]) -> None:
    name, json = valid
    response_format = FORMATS[name][0]
    text = _answer(vendor, response_format, json)
    provider = Scripted(text, text, capabilities=_can(vendor))
    agent: Agent[Any] = Agent(provider, response_format=response_format, structured_output=SINGLE)
    result = agent.run("go")
    assert (result.structured_status, result.content, result.text) == ("ok", json, "")
    # An empty value is never taken from a loop: it is asked for once more.
    assert result.model_calls == (2 if json in ("null", "[]", '""') else 1)


@pytest.mark.parametrize("vendor", ["openai-chat:m", "ollama:m"])
def test_by_default_the_answers_text_streams_as_the_model_wrote_it(vendor: str) -> None:
    text = _answer(vendor, list[int], "[1, 2]")
    result = Agent(Scripted(text, capabilities=_can(vendor)), response_format=list[int]).run("go")
    assert (result.text, result.content, result.parsed) == (text, "[1, 2]", [1, 2])


def test_a_loop_answer_that_nobody_asked_for_is_not_looked_into() -> None:
    provider = Scripted('{"answer": [1]}', '{"answer": [2]}', capabilities=_can("openai-chat:m"))
    agent = Agent(provider, response_format=list[int], structured_output=FINAL)
    result = agent.run("go")
    assert (result.parsed, result.text, result.model_calls) == ([2], '{"answer": [1]}', 2)


def test_a_retry_is_told_what_is_wrong_and_where_it_stands() -> None:
    provider = Scripted("prose", '{"answer": ["x"]}', '{"answer": [1]}', capabilities=_can("openai-chat:m"))
    agent = Agent(provider, response_format=list[int], structured_output=FINAL)
    result = agent.run("go")
    assert result.parsed == [1]
    *_, attempt, correction = provider.requests[2].messages
    assert attempt.content == '{"answer": ["x"]}'
    assert "[0]: Input should be a valid integer" in correction.content
    assert "the value of 'answer'" in correction.content
    assert [message.structured for message in result.messages] == [None, "[1]"]
