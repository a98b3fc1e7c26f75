"""Requests as bodies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from finalturn._core.errors import ConfigurationError
from finalturn._core.messages import Message, ToolCall
from finalturn._core.model import ModelRequest, ModelSettings, OutputSchema, ToolSpec
from finalturn._providers.openai_responses.encode import encode_request

USER = Message.user("hi")
SPEC = ToolSpec(
    "f", "Does it.", {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
)
STRICT = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
OPEN = {"type": "object", "additionalProperties": {"type": "integer"}}


def body(request: ModelRequest, *, stream: bool = True, encrypted: bool = True) -> dict[str, Any]:
    return encode_request(request, model="m", origin="o", stream=stream, replay=True, encrypted=encrypted)


def test_a_plain_request() -> None:
    assert body(ModelRequest([USER], system="Be brief.")) == {
        "model": "m",
        "instructions": "Be brief.",
        "input": [{"role": "user", "content": "hi"}],
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
    }
    plain = body(ModelRequest([USER]), stream=False, encrypted=False)
    assert plain["stream"] is False
    assert not {"instructions", "include", "tools", "text", "tool_choice"} & set(plain)


class TestTools:
    def test_they_are_functions_and_not_strict(self) -> None:
        assert body(ModelRequest([USER], tools=[SPEC]))["tools"] == [
            {
                "type": "function",
                "name": "f",
                "description": "Does it.",
                "parameters": dict(SPEC.parameters),
                "strict": False,
            }
        ]

    def test_one_without_parameters_still_takes_an_object(self) -> None:
        (tool,) = body(ModelRequest([USER], tools=[ToolSpec("f", "", {})]))["tools"]
        assert tool["parameters"] == {"type": "object", "properties": {}}

    def test_a_pattern_that_looks_around_is_not_sent(self) -> None:
        schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "(?=x)"}}}
        assert "(?=" not in json.dumps(body(ModelRequest([USER], tools=[ToolSpec("f", "", schema)])))

    @pytest.mark.parametrize("choice", ["auto", "required", "none"])
    def test_the_choice_is_sent_with_them(self, choice: Any) -> None:
        settings = ModelSettings(tool_choice=choice)
        assert body(ModelRequest([USER], tools=[SPEC], settings=settings))["tool_choice"] == choice
        assert "tool_choice" not in body(ModelRequest([USER], settings=settings))
        assert "tool_choice" not in body(ModelRequest([USER], tools=[SPEC]))

    def test_a_call_without_any_declares_none(self) -> None:
        asks = Message.assistant("", tool_calls=[ToolCall("f", {}, "x")])
        assert "tools" not in body(ModelRequest([asks]))


class TestSchema:
    def test_one_that_can_be_strict_is(self) -> None:
        found = body(ModelRequest([USER], output=OutputSchema("Answer", STRICT)))["text"]["format"]
        assert (found["type"], found["name"], found["strict"]) == ("json_schema", "Answer", True)
        assert found["schema"]["additionalProperties"] is False

    def test_one_that_cannot_is_sent_as_it_is(self) -> None:
        assert body(ModelRequest([USER], output=OutputSchema("Answer", OPEN)))["text"] == {
            "format": {"type": "json_schema", "name": "Answer", "schema": OPEN, "strict": False}
        }

    def test_it_goes_with_tools(self) -> None:
        assert {"text", "tools"} <= set(
            body(ModelRequest([USER], tools=[SPEC], output=OutputSchema("A", OPEN)))
        )

    def test_how_much_is_said_may_be_set_beside_it(self) -> None:
        settings = ModelSettings(extra_body={"text": {"verbosity": "low"}})
        found = body(ModelRequest([USER], output=OutputSchema("Answer", OPEN), settings=settings))["text"]
        assert (found["verbosity"], found["format"]["name"]) == ("low", "Answer")
        assert body(ModelRequest([USER], settings=settings))["text"] == {"verbosity": "low"}


class TestSettings:
    def test_what_is_set_is_sent(self) -> None:
        found = body(ModelRequest([USER], settings=ModelSettings(temperature=0.0, top_p=0.5, max_tokens=9)))
        assert (found["temperature"], found["top_p"], found["max_output_tokens"]) == (0.0, 0.5, 9)

    def test_what_is_not_set_is_not(self) -> None:
        assert not {"temperature", "top_p", "max_output_tokens"} & set(body(ModelRequest([USER])))

    @pytest.mark.parametrize("settings", [ModelSettings(seed=0), ModelSettings(stop=("a",))])
    def test_what_the_api_has_no_field_for_is_refused(self, settings: ModelSettings) -> None:
        with pytest.raises(ConfigurationError, match="Responses API"):
            body(ModelRequest([USER], settings=settings))

    def test_further_fields_win(self) -> None:
        settings = ModelSettings(
            temperature=0.5, extra_body={"temperature": 1, "store": True, "reasoning": {"a": 1}}
        )
        found = body(ModelRequest([USER], settings=settings))
        assert (found["temperature"], found["store"], found["reasoning"]) == (1, True, {"a": 1})
