"""Requests as generateContent takes them."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._core import json_text
from finalturn._core.errors import ConfigurationError
from finalturn._core.messages import Message
from finalturn._core.model import ModelRequest, ModelSettings, OutputSchema, ToolSpec
from finalturn._providers.gemini.encode import encode_request

HI = [Message.user("hi")]
SCHEMA = {"title": "T", "type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
SENT = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
OUTPUT = OutputSchema("T", SCHEMA)
RECURSIVE = OutputSchema("N", {"type": "object", "properties": {"n": {"$ref": "#"}}, "required": ["n"]})
TOOL = ToolSpec("f", "does f", SCHEMA)


def body(request: ModelRequest, **options: Any) -> dict[str, Any]:
    found = encode_request(request, **options).body
    json_text.encode(found)
    return found


def test_the_least_there_is() -> None:
    assert body(ModelRequest(HI)) == {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}


def test_the_system_prompt_comes_before_what_the_system_says_later() -> None:
    request = ModelRequest([*HI, Message.system("later")], system="first")
    assert body(request)["systemInstruction"] == {"parts": [{"text": "first"}, {"text": "later"}]}


class TestTools:
    def test_they_are_declared_with_json_schemas(self) -> None:
        found = body(ModelRequest(HI, tools=[TOOL, ToolSpec("g", "", {"$schema": "x"})]))
        assert found["tools"] == [
            {
                "functionDeclarations": [
                    {"name": "f", "description": "does f", "parametersJsonSchema": SENT},
                    {"name": "g", "parametersJsonSchema": {"type": "object", "properties": {}}},
                ]
            }
        ]
        assert "toolConfig" not in found

    def test_a_schema_that_cannot_be_rewritten_is_sent_as_it_is(self) -> None:
        schema = {"$schema": "x", **RECURSIVE.schema}
        (declared,) = body(ModelRequest(HI, tools=[ToolSpec("f", "", schema)]))["tools"]
        assert declared["functionDeclarations"][0]["parametersJsonSchema"] == RECURSIVE.schema

    def test_nothing_is_put_beside_a_union(self) -> None:
        union: dict[str, Any] = {"anyOf": [SENT, {"type": "object", "properties": {}}]}
        (declared,) = body(ModelRequest(HI, tools=[ToolSpec("f", "", union)]))["tools"]
        assert declared["functionDeclarations"][0]["parametersJsonSchema"] == union

    @pytest.mark.parametrize(("choice", "mode"), [("auto", "AUTO"), ("required", "ANY"), ("none", "NONE")])
    def test_the_choice_is_a_mode(self, choice: Any, mode: str) -> None:
        settings = ModelSettings(tool_choice=choice)
        found = body(ModelRequest(HI, tools=[TOOL], settings=settings))
        assert found["toolConfig"] == {"functionCallingConfig": {"mode": mode}}
        assert "toolConfig" not in body(ModelRequest(HI, settings=settings))

    @pytest.mark.parametrize("name", ["2f", "-f"])
    def test_a_name_that_the_vendor_refuses_is_refused_here(self, name: str) -> None:
        with pytest.raises(ConfigurationError, match=f"'{name}' must be called otherwise"):
            body(ModelRequest(HI, tools=[ToolSpec(name, "", {})]))


class TestOutput:
    def test_it_is_enforced(self) -> None:
        found = encode_request(ModelRequest(HI, output=OUTPUT))
        assert found.enforces
        config = {"responseJsonSchema": SENT, "responseMimeType": "application/json"}
        assert found.body["generationConfig"] == config
        assert "systemInstruction" not in found.body

    def test_beside_tools_too(self) -> None:
        found = encode_request(ModelRequest(HI, tools=[TOOL], output=OUTPUT))
        assert found.enforces
        assert found.body["generationConfig"]["responseJsonSchema"] == SENT

    @pytest.mark.parametrize(("output", "enforce"), [(OUTPUT, False), (RECURSIVE, True)])
    def test_or_told_in_words(self, output: OutputSchema, enforce: bool) -> None:
        found = encode_request(ModelRequest(HI, system="s", output=output), enforce=enforce)
        assert not found.enforces
        assert found.body["generationConfig"] == {"responseMimeType": "application/json"}
        first, words = found.body["systemInstruction"]["parts"]
        assert first == {"text": "s"}
        assert words["text"].startswith("Answer with JSON only: one value that validates")
        assert words["text"].endswith(json_text.encode(output.schema).decode())

    def test_in_words_it_leaves_room_for_calls(self) -> None:
        found = encode_request(ModelRequest(HI, tools=[TOOL], output=OUTPUT), enforce=False)
        assert "generationConfig" not in found.body
        words = found.body["systemInstruction"]["parts"][0]["text"]
        assert words.startswith("Once you need no more tools, answer with JSON only")


class TestConfig:
    def test_all_that_can_be_set(self) -> None:
        settings = ModelSettings(temperature=0.0, top_p=0.5, max_tokens=9, seed=3, stop=("a", "b"))
        found = body(ModelRequest(HI, settings=settings), thinking={"thinkingBudget": 0})
        assert found["generationConfig"] == {
            "temperature": 0.0,
            "topP": 0.5,
            "maxOutputTokens": 9,
            "seed": 3,
            "stopSequences": ["a", "b"],
            "thinkingConfig": {"thinkingBudget": 0},
        }

    def test_extra_fields_win_and_those_of_the_config_stand_beside_it(self) -> None:
        extra: dict[str, Any] = {
            "contents": [],
            "generationConfig": {"seed": 1, "topK": 5},
            "cachedContent": "c",
        }
        settings = ModelSettings(seed=3, top_p=0.5, extra_body=extra)
        assert body(ModelRequest(HI, settings=settings)) == {
            "contents": [],
            "generationConfig": {"topP": 0.5, "seed": 1, "topK": 5},
            "cachedContent": "c",
        }
        assert extra["generationConfig"] == {"seed": 1, "topK": 5}

    def test_something_else_for_a_config_is_the_user_s_to_answer_for(self) -> None:
        settings = ModelSettings(seed=3, extra_body={"generationConfig": None})
        assert body(ModelRequest(HI, settings=settings))["generationConfig"] is None
