"""Requests, as the API takes them: also as the vendor's own client would check them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finalturn._core import json_text
from finalturn._core.errors import ConfigurationError
from finalturn._core.messages import Message, Role, ToolCall
from finalturn._core.model import ModelRequest, ModelSettings, OutputSchema, ToolSpec
from finalturn._providers.bedrock.aws import part_of_botocore
from finalturn._providers.bedrock.encode import encode_request
from finalturn._providers.bedrock.families import ModelFamily
from finalturn._providers.blocks.encode import EncodedRequest
from tests.providers._histories import HISTORIES

USER = Message.user("hi")
SAID = {"messages": [{"role": "user", "content": [{"text": "hi"}]}]}
PARAMETERS = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
TOOL = ToolSpec("f", "Does it.", PARAMETERS)
DECLARED = {"toolSpec": {"name": "f", "description": "Does it.", "inputSchema": {"json": PARAMETERS}}}
OUTPUT = OutputSchema("Answer", {"type": "object", "properties": {"a": {"type": "string", "minLength": 1}}})
CALLED = [
    USER,
    Message.assistant("", tool_calls=[ToolCall("f", {"x": 1}, "a")]),
    Message(Role.TOOL, "ok", tool_name="f", tool_call_id="a", tool_result="ok"),
]


def encoded(
    *messages: Message,
    fields: Any = None,
    enforce: bool = True,
    system: str = "",
    tools: Any = (),
    output: OutputSchema | None = None,
    **settings_: Any,
) -> EncodedRequest:
    request = ModelRequest(
        messages or [USER], system=system, tools=tools, output=output, settings=ModelSettings(**settings_)
    )
    return encode_request(request, server="s", family=ModelFamily(True), fields=fields or {}, enforce=enforce)


def body(*messages: Message, **options: Any) -> Any:
    return json.loads(json_text.encode(encoded(*messages, **options).body))


def test_the_least() -> None:
    assert body() == SAID


def test_system_prompts_stand_apart_in_order() -> None:
    found = body(Message.system("two"), USER, Message.system("three"), Message.system(" "), system="one")
    assert found == {**SAID, "system": [{"text": "one\n\ntwo\n\nthree"}]}


class TestSettings:
    def test_each_has_its_place(self) -> None:
        found = body(temperature=0.5, top_p=0.25, max_tokens=9, stop=["x", "\n"])
        assert found["inferenceConfig"] == {
            "maxTokens": 9, "temperature": 0.5, "topP": 0.25, "stopSequences": ["x", "\n"]
        }  # fmt: skip

    @pytest.mark.parametrize(
        ("given_settings", "word"),
        [({"seed": 1}, "seed"), ({"temperature": 1.5}, "temperature"), ({"stop": ["x", ""]}, "stop")],
    )
    def test_what_the_format_does_not_take_is_refused(self, given_settings: Any, word: str) -> None:
        with pytest.raises(ConfigurationError, match=word):
            encoded(**given_settings)

    def test_further_fields_win_and_share_what_is_an_object(self) -> None:
        extra = {
            "inferenceConfig": {"maxTokens": 5},
            "guardrailConfig": {"guardrailIdentifier": "g", "guardrailVersion": "1"},
            "additionalModelRequestFields": {"top_k": 5},
            "system": [{"text": "mine"}],
            "outputConfig": None,
        }
        found = body(
            system="ours",
            temperature=0.5,
            max_tokens=9,
            extra_body=extra,
            fields={"top_k": 1, "thinking": {"type": "adaptive"}},
        )
        assert found == {
            **SAID,
            "inferenceConfig": {"maxTokens": 5, "temperature": 0.5},
            "guardrailConfig": {"guardrailIdentifier": "g", "guardrailVersion": "1"},
            "additionalModelRequestFields": {"top_k": 5, "thinking": {"type": "adaptive"}},
            "system": [{"text": "mine"}],
        }

    def test_nothing_that_is_given_is_changed(self) -> None:
        fields = {"top_k": 1}
        extra = {"additionalModelRequestFields": {"x": 1}, "inferenceConfig": {}}
        body(fields=fields, extra_body=extra)
        assert fields == {"top_k": 1}
        assert extra == {"additionalModelRequestFields": {"x": 1}, "inferenceConfig": {}}


class TestTools:
    @pytest.mark.parametrize("choice", [None, "auto"])
    def test_they_may_be_called(self, choice: Any) -> None:
        assert body(tools=[TOOL], tool_choice=choice)["toolConfig"] == {"tools": [DECLARED]}

    def test_they_must_be(self) -> None:
        found = body(tools=[TOOL], tool_choice="required")["toolConfig"]
        assert found == {"tools": [DECLARED], "toolChoice": {"any": {}}}

    def test_they_must_not_be(self) -> None:
        assert body(tools=[TOOL], tool_choice="none") == SAID

    def test_calls_stand_as_such_only_where_there_are_any(self) -> None:
        assert "toolUse" in str(body(*CALLED, tools=[TOOL]))
        assert "toolUse" not in str(body(*CALLED))
        assert "toolUse" not in str(body(*CALLED, tools=[TOOL], tool_choice="none"))
        own = {"tools": [{"systemTool": {"name": "nova_grounding"}}]}
        assert "toolUse" in str(body(*CALLED, extra_body={"toolConfig": own}))

    def test_a_blank_description_is_left_out_and_a_schema_is_an_object(self) -> None:
        (found,) = body(tools=[ToolSpec("f", " ", {"anyOf": [{}]})])["toolConfig"]["tools"]
        schema: dict[str, Any] = {"type": "object", "properties": {}}
        assert found == {"toolSpec": {"name": "f", "inputSchema": {"json": schema}}}

    def test_patterns_that_cannot_be_followed_are_left_out(self) -> None:
        parameters = {"properties": {"x": {"type": "string", "pattern": "(?=a)b"}}}
        (found,) = body(tools=[ToolSpec("f", "", parameters)])["toolConfig"]["tools"]
        assert found["toolSpec"]["inputSchema"]["json"]["properties"] == {"x": {"type": "string"}}


class TestOutput:
    def test_the_service_enforces_a_schema(self) -> None:
        found = encoded(output=OUTPUT)
        assert found.enforces
        (kind, structure) = found.body["outputConfig"]["textFormat"].values()
        assert kind == "json_schema"
        definition = structure["jsonSchema"]
        assert definition["name"] == "Answer"
        schema = json.loads(definition["schema"])
        assert schema["additionalProperties"] is False
        assert "minLength" not in schema["properties"]["a"]
        assert "system" not in found.body

    def test_further_fields_stand_beside_it(self) -> None:
        found = body(output=OUTPUT, extra_body={"outputConfig": {"effort": "low"}})["outputConfig"]
        assert set(found) == {"textFormat", "effort"}

    @pytest.mark.parametrize(
        "options",
        [
            {"output": OUTPUT, "enforce": False},
            {"output": OutputSchema("Any", {"type": "object", "additionalProperties": True})},
        ],
    )
    def test_or_it_is_told_in_words(self, options: Any) -> None:
        found = encoded(system="Be brief.", **options)
        assert not found.enforces
        assert "outputConfig" not in found.body
        (told,) = found.body["system"]
        assert told["text"].startswith("Be brief.\n\n")
        assert json_text.encode(options["output"].schema).decode() in told["text"]


class TestPrefix:
    def test_the_choice_is_no_part_of_it(self) -> None:
        values = {encoded(tools=[TOOL], tool_choice=choice).prefix().value() for choice in (None, "required")}
        assert len(values) == 1

    def test_what_the_model_reads_is(self) -> None:
        values = {
            found.prefix().value()
            for found in [
                encoded(),
                encoded(tools=[TOOL]),
                encoded(system="x"),
                encoded(USER, USER),
                encoded(output=OUTPUT),
            ]
        }
        assert len(values) == 5


_SESSION = part_of_botocore("session").Session()
_SHAPE = _SESSION.get_service_model("bedrock-runtime").operation_model("ConverseStream").input_shape


def complaints(request: ModelRequest, family: ModelFamily) -> str:
    """What the vendor's own client says of the request."""
    found = json.loads(json_text.encode(encode_request(request, server="s", family=family, fields={}).body))
    report: str = (
        part_of_botocore("validate")
        .ParamValidator()
        .validate({"modelId": "m", **found}, _SHAPE)
        .generate_report()
    )
    return report


@given(
    HISTORIES,
    st.builds(ModelFamily, st.booleans(), st.booleans(), st.booleans()),
    st.sampled_from([(), (TOOL,), (ToolSpec("g", "", {}), TOOL)]),
    st.sampled_from([None, OUTPUT]),
    st.builds(
        ModelSettings,
        temperature=st.sampled_from([None, 0.0, 1]),
        top_p=st.sampled_from([None, 0.5]),
        max_tokens=st.sampled_from([None, 1]),
        stop=st.sampled_from([None, [], ["x"]]),
        tool_choice=st.sampled_from([None, "auto", "required", "none"]),
        extra_body=st.sampled_from([None, {"additionalModelRequestFields": {"x": [1]}}]),
    ),
)
@settings(deadline=None)
def test_the_vendor_s_client_has_no_complaint(
    history: list[Message], family: ModelFamily, tools: Any, output: Any, given_settings: ModelSettings
) -> None:
    request = ModelRequest(history, system="x", tools=tools, output=output, settings=given_settings)
    assert complaints(request, family) == ""
    called = "toolUse" in str(encode_request(request, server="s", family=family, fields={}).body)
    assert not called or tools
