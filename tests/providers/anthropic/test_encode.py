"""Requests, as bodies of the Messages API."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core import json_text
from finalturn._core.errors import ConfigurationError
from finalturn._core.messages import Message, Role, ToolCall
from finalturn._core.model import ModelRequest, ModelSettings, OutputSchema, ToolSpec
from finalturn._providers.anthropic.encode import encode_request
from finalturn._providers.blocks.encode import EncodedRequest
from finalturn._providers.blocks.replay import replay_data
from tests.providers.anthropic.test_history import MESSAGES, TEXT, check

USER = Message.user("hi")
SAID = [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "sig"}
SPEC = ToolSpec(
    "f", "Does it.", {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
)
ANSWER = OutputSchema(
    "Answer", {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
)
FREE = OutputSchema("Free", {"type": "object", "additionalProperties": {"type": "integer"}})


def encode(request: ModelRequest, *, thinking: Any = None, **options: Any) -> EncodedRequest:
    given: dict[str, Any] = {"model": "m", "server": "http://x", "max_tokens": 99, "stream": True, **options}
    return encode_request(request, thinking=thinking, **given)


def body(request: ModelRequest, **options: Any) -> Any:
    return json.loads(json_text.encode(encode(request, **options).body))


def set_to(**settings: Any) -> ModelRequest:
    return ModelRequest([USER], settings=ModelSettings(**settings))


def test_the_least_request() -> None:
    assert body(ModelRequest([USER])) == {"model": "m", "max_tokens": 99, "messages": SAID, "stream": True}
    assert body(ModelRequest([USER]), stream=False)["stream"] is False


class TestSystem:
    def test_all_system_messages_are_in_the_system_prompt_in_order(self) -> None:
        request = ModelRequest(
            [Message.system("one"), USER, Message.system(" "), Message.system("two"), USER], "be brief"
        )
        assert body(request)["system"] == "be brief\n\none\n\ntwo"
        assert [item["role"] for item in body(request)["messages"]] == ["user"]

    @pytest.mark.parametrize("system", ["", " \n"])
    def test_without_words_there_is_none(self, system: str) -> None:
        assert "system" not in body(ModelRequest([USER], system))


class TestTools:
    def test_one(self) -> None:
        assert body(ModelRequest([USER], tools=[SPEC]))["tools"] == [
            {"name": "f", "description": "Does it.", "input_schema": dict(SPEC.parameters)}
        ]

    def test_one_without_words_and_parameters_still_takes_an_object(self) -> None:
        (tool,) = body(ModelRequest([USER], tools=[ToolSpec("f", "", {})]))["tools"]
        assert tool == {"name": "f", "input_schema": {"type": "object", "properties": {}}}

    def test_unions_at_the_root_and_patterns_that_look_around_are_not_sent(self) -> None:
        schema = {
            "type": "object",
            "properties": {"a": {"type": "string", "pattern": "(?=x)"}, "b": {"anyOf": [{"type": "string"}]}},
            **{union: [{"required": ["a"]}] for union in ("anyOf", "oneOf", "allOf")},
        }
        (tool,) = body(ModelRequest([USER], tools=[ToolSpec("f", "", schema)]))["tools"]
        assert tool["input_schema"] == {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"anyOf": [{"type": "string"}]}},
        }

    @pytest.mark.parametrize(("choice", "sent"), [("auto", "auto"), ("required", "any"), ("none", "none")])
    def test_the_choice(self, choice: Any, sent: str) -> None:
        settings = ModelSettings(tool_choice=choice)
        request = ModelRequest([USER], tools=[SPEC], settings=settings)
        assert body(request)["tool_choice"] == {"type": sent}
        assert "tool_choice" not in body(ModelRequest([USER], tools=[SPEC]))
        assert "tool_choice" not in body(ModelRequest([USER], settings=settings))

    ASKS = Message.assistant("", tool_calls=[ToolCall("f", {}, "x"), ToolCall("g", {}, "y")])

    def test_calls_need_declarations_even_when_there_are_no_tools_any_more(self) -> None:
        encoded = body(ModelRequest([USER, self.ASKS, USER]))
        assert [tool["name"] for tool in encoded["tools"]] == ["f", "g"]
        assert encoded["tool_choice"] == {"type": "none"}

    def test_unless_the_user_declares_some(self) -> None:
        own = [{"type": "web_search_20260209", "name": "web_search"}]
        request = ModelRequest([USER, self.ASKS], settings=ModelSettings(extra_body={"tools": own}))
        assert body(request)["tools"] == own
        assert "tool_choice" not in body(request)


class TestSchema:
    FORMAT: ClassVar = {"type": "json_schema", "schema": {**ANSWER.schema, "additionalProperties": False}}

    def test_one_that_can_be_enforced_is(self) -> None:
        encoded = encode(ModelRequest([USER], "be brief", output=ANSWER))
        assert encoded.body["output_config"] == {"format": self.FORMAT}
        assert encoded.body["system"] == "be brief"
        assert encoded.enforces

    @pytest.mark.parametrize(("output", "enforce"), [(FREE, True), (ANSWER, False)])
    def test_any_other_is_told(self, output: OutputSchema, enforce: bool) -> None:
        encoded = encode(ModelRequest([USER], "be brief", output=output), enforce=enforce)
        assert "output_config" not in encoded.body
        assert encoded.body["system"].startswith("be brief\n\nOnce you need no more tools, answer with JSON")
        assert encoded.body["system"].endswith(json_text.encode(output.schema).decode())
        assert not encoded.enforces

    def test_without_one_nothing_is_sent(self) -> None:
        assert not encode(ModelRequest([USER])).enforces

    def test_the_user_may_have_a_part_in_its_field(self) -> None:
        settings = ModelSettings(extra_body={"output_config": {"effort": "low"}})
        assert body(ModelRequest([USER], output=ANSWER, settings=settings))["output_config"] == {
            "format": self.FORMAT,
            "effort": "low",
        }
        assert body(ModelRequest([USER], settings=settings))["output_config"] == {"effort": "low"}


class TestSettings:
    def test_what_is_set_is_sent(self) -> None:
        encoded = body(set_to(temperature=0.0, top_p=0.5, max_tokens=9, stop=("a", "b")))
        assert {name: encoded[name] for name in ("temperature", "top_p", "max_tokens", "stop_sequences")} == {
            "temperature": 0.0, "top_p": 0.5, "max_tokens": 9, "stop_sequences": ["a", "b"]
        }  # fmt: skip

    def test_further_fields_win(self) -> None:
        settings = ModelSettings(
            temperature=0.5, extra_body={"temperature": 1.5, "top_k": 3, "thinking": None}
        )
        encoded = body(ModelRequest([USER], settings=settings), thinking={"type": "adaptive"})
        assert (encoded["temperature"], encoded["top_k"], encoded["thinking"]) == (1.5, 3, None)

    @pytest.mark.parametrize(
        ("settings", "match"),
        [
            ({"seed": 1}, "seed"),
            ({"temperature": 1.5}, "temperature"),
            ({"temperature": -0.1}, "temperature"),
            ({"stop": ["a", ""]}, "stop"),
            ({"stop": ["\n"]}, "stop"),
        ],
    )
    def test_what_the_format_does_not_take_is_refused(self, settings: dict[str, Any], match: str) -> None:
        with pytest.raises(ConfigurationError, match=match):
            encode(set_to(**settings))

    def test_a_way_to_think_is_sent(self) -> None:
        assert body(ModelRequest([USER]), thinking={"type": "adaptive"})["thinking"] == {"type": "adaptive"}
        assert "thinking" not in body(ModelRequest([USER]))

    BUDGET: ClassVar = {"type": "enabled", "budget_tokens": 2048}

    def test_a_budget_is_within_the_longest_answer(self) -> None:
        assert body(set_to(max_tokens=2049), thinking=self.BUDGET)["thinking"] == self.BUDGET
        with pytest.raises(ConfigurationError, match="max_tokens is 2048"):
            encode(set_to(max_tokens=2048), thinking=self.BUDGET)
        with pytest.raises(ConfigurationError, match="max_tokens is 99"):
            encode(set_to(extra_body={"thinking": self.BUDGET}))

    def test_and_demands_no_call(self) -> None:
        settings = ModelSettings(tool_choice="required", max_tokens=9999)
        request = ModelRequest([USER], tools=[SPEC], settings=settings)
        with pytest.raises(ConfigurationError, match="tool_choice"):
            encode(request, thinking=self.BUDGET)
        assert body(request, thinking={"type": "adaptive"})["tool_choice"] == {"type": "any"}


class TestThoughts:
    """What goes back, and when."""

    def conversation(self, request: ModelRequest) -> list[Message]:
        """The messages of a request, and an answer to it that calls a tool."""
        data = replay_data([THOUGHT, None], encode(request).prefix)
        asks = Message.assistant("", tool_calls=[ToolCall("f", {}, "x", provider_data=data)])
        results = Message(Role.TOOL, "ok", tool_name="f", tool_call_id="x", tool_result="ok")
        return [*request.messages, asks, results]

    ASKED = ModelRequest([USER], "be brief", tools=[SPEC])

    def test_under_the_same_instructions_they_do(self) -> None:
        encoded = encode(ModelRequest(self.conversation(self.ASKED), "be brief", tools=[SPEC]))
        assert encoded.body["messages"][1]["content"][0] == THOUGHT
        assert encoded.carries

    @pytest.mark.parametrize(
        "changed",
        [
            {"system": "be long"},
            {"tools": []},
            {"tools": [SPEC, SPEC]},
            {"output": ANSWER},
            {"output": FREE},
            {"settings": ModelSettings(extra_body={"system": "be long"})},
        ],
    )
    def test_under_others_they_do_not(self, changed: dict[str, Any]) -> None:
        fields: dict[str, Any] = {"system": "be brief", "tools": [SPEC], **changed}
        request = ModelRequest(self.conversation(self.ASKED), **fields)
        assert not encode(request).carries
        assert "thinking" not in str(encode(request).body)

    @pytest.mark.parametrize(
        "changed",
        [
            {"settings": ModelSettings(temperature=1, max_tokens=5)},
            {"settings": ModelSettings(extra_body={"output_config": {"effort": "low"}})},
            {"call": 3},
        ],
    )
    def test_what_does_not_stand_before_them_does_not_matter(self, changed: dict[str, Any]) -> None:
        request = ModelRequest(self.conversation(self.ASKED), "be brief", [SPEC], **changed)
        assert encode(request).carries

    def test_a_model_with_a_budget_does_not_mind(self) -> None:
        settings = ModelSettings(max_tokens=9999)
        request = ModelRequest(self.conversation(self.ASKED), "be long", settings=settings)
        assert encode(request, thinking=TestSettings.BUDGET).carries

    def test_they_can_be_left_out(self) -> None:
        request = ModelRequest(self.conversation(self.ASKED), "be brief", [SPEC])
        assert not encode(request, thoughts=False).carries


@given(MESSAGES, TEXT, st.booleans())
def test_whatever_a_history_holds_it_can_be_sent(
    given_messages: list[Message], system: str, with_tools: bool
) -> None:
    request = ModelRequest(given_messages, system, [SPEC] if with_tools else [])
    encoded = body(request)
    check(encoded["messages"])
    called = {
        block["name"]
        for item in encoded["messages"]
        for block in item["content"]
        if block["type"] == "tool_use"
    }
    assert not called or encoded["tools"]
    assert encoded.get("system", "x").strip()
