"""Requests, as chat completions bodies."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core import json_text
from finalturn._core.errors import ConfigurationError
from finalturn._core.messages import ContentPart, Message, Role, ToolCall
from finalturn._core.model import ModelRequest, ModelSettings, OutputSchema, ToolSpec
from finalturn._providers.openai_chat.encode import check_settings, encode_request
from finalturn._providers.openai_chat.profile import Profile
from finalturn._providers.openai_chat.profiles import ANY_SERVER, PROFILES
from tests.providers._histories import HISTORIES
from tests.providers.openai_chat.test_encode_roles import FOLLOWS

USER = Message.user("hi")
URL_IMAGE = ContentPart.image_url("https://example.org/a.png")
DATA_IMAGE = ContentPart.image_base64("aGk=", "image/png")
SHOWN_URL = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
SHOWN_DATA = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}


def body(
    request: ModelRequest, *, profile: Profile = ANY_SERVER, stream: bool = True, usage: bool = True
) -> Any:
    encoded = encode_request(request, model="m", profile=profile, stream=stream, stream_usage=usage)
    return json.loads(json_text.encode(encoded))


def messages(*given: Message, system: str = "") -> Any:
    return body(ModelRequest(given, system))["messages"]


def test_the_least_request() -> None:
    assert body(ModelRequest([USER])) == {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_a_whole_reply_is_asked_for_without_stream_options() -> None:
    assert body(ModelRequest([USER]), stream=False)["stream"] is False
    assert "stream_options" not in body(ModelRequest([USER]), stream=False)


def test_usage_is_not_asked_of_a_server_that_refuses() -> None:
    assert "stream_options" not in body(ModelRequest([USER]), usage=False)
    assert "stream_options" not in body(ModelRequest([USER]), profile=replace(ANY_SERVER, stream_usage=False))


class TestMessages:
    def test_the_system_prompt_comes_first_and_system_messages_stay_where_they_are(self) -> None:
        assert messages(USER, Message.system("now"), USER, system="be brief") == [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "hi"},
            {"role": "system", "content": "now"},
            {"role": "user", "content": "hi"},
        ]

    def test_calls_and_their_results(self) -> None:
        asks = Message.assistant(
            "", tool_calls=[ToolCall("f", {"a": [1, {"b": None}]}, "x"), ToolCall("g", {}, "y")]
        )
        results = [
            Message(Role.TOOL, "ok", tool_name="f", tool_call_id="x", tool_result="ok"),
            Message(Role.TOOL, "", tool_name="g", tool_call_id="y", tool_result=""),
        ]
        assert messages(asks, *results) == [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "x",
                        "type": "function",
                        "function": {"name": "f", "arguments": '{"a":[1,{"b":null}]}'},
                    },
                    {"id": "y", "type": "function", "function": {"name": "g", "arguments": "{}"}},
                ],
            },
            {"role": "tool", "tool_call_id": "x", "content": "ok"},
            {"role": "tool", "tool_call_id": "y", "content": ""},
        ]

    def test_text_beside_a_call_stays(self) -> None:
        encoded = messages(Message.assistant("let me see", tool_calls=[ToolCall("f", {}, "x")]))
        assert encoded[0]["content"] == "let me see"

    def test_arguments_go_back_as_the_model_wrote_them(self) -> None:
        call = ToolCall("f", {"n": 1.0}, "x", _text='{ "n": 1.00 }')
        assert (
            messages(Message.assistant("", tool_calls=[call]))[0]["tool_calls"][0]["function"]["arguments"]
            == '{ "n": 1.00 }'
        )

    def test_malformed_arguments_go_back_as_an_empty_object(self) -> None:
        call = ToolCall("f", {}, "x", "the arguments are not valid JSON")
        assert (
            messages(Message.assistant("", tool_calls=[call]))[0]["tool_calls"][0]["function"]["arguments"]
            == "{}"
        )

    def test_the_view_is_a_repaired_one(self) -> None:
        encoded = messages(
            USER, Message.assistant("", tool_calls=[ToolCall("")]), Message.assistant(""), USER
        )
        assert [item["role"] for item in encoded] == ["user", "assistant", "tool", "user"]
        assert encoded[1]["tool_calls"][0]["id"] == encoded[2]["tool_call_id"]
        assert encoded[1]["tool_calls"][0]["function"]["name"]

    def test_a_structured_answer_is_said_where_there_is_no_text(self) -> None:
        assert messages(Message(Role.ASSISTANT, structured='{"a":1}')) == [
            {"role": "assistant", "content": '{"a":1}'}
        ]
        assert messages(Message(Role.ASSISTANT, "prose", structured='{"a":1}')) == [
            {"role": "assistant", "content": "prose"}
        ]

    def test_what_the_server_wants_back_goes_back_and_nothing_else(self) -> None:
        calls = [
            ToolCall(
                "f",
                {},
                "x",
                provider_data={"extra_content": {"google": {"thought_signature": "s"}}, "other": 1},
            ),
            ToolCall("f", {}, "y", provider_data={"signature": "of another vendor"}),
        ]
        encoded = messages(Message.assistant("", tool_calls=calls))[0]["tool_calls"]
        assert encoded[0]["extra_content"] == {"google": {"thought_signature": "s"}}
        assert set(encoded[0]) == {"id", "type", "function", "extra_content"}
        assert set(encoded[1]) == {"id", "type", "function"}


class TestImages:
    def test_they_follow_the_text(self) -> None:
        assert messages(Message.user("look", URL_IMAGE, DATA_IMAGE)) == [
            {"role": "user", "content": [{"type": "text", "text": "look"}, SHOWN_URL, SHOWN_DATA]}
        ]

    def test_without_text_there_is_no_empty_part(self) -> None:
        assert messages(Message.user("", URL_IMAGE)) == [{"role": "user", "content": [SHOWN_URL]}]

    def test_those_of_a_result_follow_all_results(self) -> None:
        asks = Message.assistant("", tool_calls=[ToolCall("f", {}, "x"), ToolCall("f", {}, "y")])
        results = [
            Message(Role.TOOL, "1", tool_name="f", tool_call_id="x", content_parts=(URL_IMAGE,)),
            Message(Role.TOOL, "2", tool_name="f", tool_call_id="y", content_parts=(DATA_IMAGE,)),
        ]
        encoded = messages(asks, *results, USER)
        assert [item["role"] for item in encoded] == ["assistant", "tool", "tool", "user", "user"]
        assert encoded[3]["content"] == [SHOWN_URL, SHOWN_DATA]

    def test_those_of_an_answer_follow_it(self) -> None:
        assert messages(Message(Role.ASSISTANT, "here", content_parts=(URL_IMAGE,))) == [
            {"role": "assistant", "content": "here"},
            {"role": "user", "content": [SHOWN_URL]},
        ]

    def test_a_message_of_nothing_but_them_is_not_sent_empty(self) -> None:
        assert messages(Message(Role.ASSISTANT, content_parts=(URL_IMAGE,)), USER) == [
            {"role": "user", "content": [SHOWN_URL]},
            {"role": "user", "content": "hi"},
        ]


class TestTools:
    SPEC = ToolSpec(
        "f", "Does it.", {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    )

    def test_they_are_functions(self) -> None:
        assert body(ModelRequest([USER], tools=[self.SPEC]))["tools"] == [
            {
                "type": "function",
                "function": {
                    "name": "f",
                    "description": "Does it.",
                    "parameters": dict(self.SPEC.parameters),
                },
            }
        ]

    def test_one_without_parameters_still_takes_an_object(self) -> None:
        encoded = body(ModelRequest([USER], tools=[ToolSpec("f", "", {})]))
        assert encoded["tools"][0]["function"]["parameters"] == {"type": "object", "properties": {}}

    def test_a_pattern_that_looks_around_is_not_sent(self) -> None:
        spec = ToolSpec(
            "f", "", {"type": "object", "properties": {"a": {"type": "string", "pattern": "(?=x)"}}}
        )
        assert "(?=" not in json.dumps(body(ModelRequest([USER], tools=[spec])))

    @pytest.mark.parametrize("choice", ["auto", "required", "none"])
    def test_the_choice_is_sent_with_them(self, choice: Any) -> None:
        settings = ModelSettings(tool_choice=choice)
        assert body(ModelRequest([USER], tools=[self.SPEC], settings=settings))["tool_choice"] == choice
        assert "tool_choice" not in body(ModelRequest([USER], settings=settings))
        assert "tool_choice" not in body(ModelRequest([USER], tools=[self.SPEC]))

    def test_mistral_has_another_word_for_a_demand(self) -> None:
        for choice, word in (("required", "any"), ("auto", "auto"), ("none", "none")):
            settings: Any = ModelSettings(tool_choice=choice)  # type: ignore[arg-type]
            request = ModelRequest([USER], tools=[self.SPEC], settings=settings)
            assert body(request, profile=PROFILES["mistral"])["tool_choice"] == word

    def test_a_call_without_any_declares_none(self) -> None:
        asks = Message.assistant("", tool_calls=[ToolCall("f", {}, "x")])
        assert "tools" not in body(ModelRequest([asks]))


class TestSchema:
    def test_one_that_can_be_strict_is(self) -> None:
        schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
        encoded = body(ModelRequest([USER], output=OutputSchema("Answer", schema)))["response_format"]
        assert encoded["type"] == "json_schema"
        assert encoded["json_schema"]["name"] == "Answer"
        assert encoded["json_schema"]["strict"] is True
        assert encoded["json_schema"]["schema"]["additionalProperties"] is False

    def test_one_that_cannot_is_sent_as_it_is(self) -> None:
        schema = {"type": "object", "additionalProperties": {"type": "integer"}}
        encoded = body(ModelRequest([USER], output=OutputSchema("Answer", schema)))["response_format"]
        assert encoded["json_schema"] == {"name": "Answer", "schema": schema, "strict": False}

    def test_without_one_nothing_is_sent(self) -> None:
        assert "response_format" not in body(ModelRequest([USER]))
        assert len(body(ModelRequest([USER]), profile=PROFILES["vllm"])["messages"]) == 1


class TestGrammars:
    """Servers that make a grammar of the schema, and do not show it to the model."""

    SCHEMA: ClassVar[dict[str, Any]] = {
        "type": "array",
        "items": {"type": "string", "minLength": 2, "pattern": "^(?!a)", "default": "aa"},
        "uniqueItems": True,
    }

    def test_any_schema_binds_as_it_is(self) -> None:
        request = ModelRequest([USER], output=OutputSchema("Answer", self.SCHEMA))
        encoded = body(request, profile=PROFILES["llamacpp"])["response_format"]
        assert encoded["json_schema"] == {
            "name": "Answer",
            "schema": {
                "type": "array",
                "items": {"type": "string", "minLength": 2, "default": "aa"},
                "uniqueItems": True,
            },
            "strict": True,
        }

    def test_the_model_is_told_it_whole(self) -> None:
        request = ModelRequest([USER], output=OutputSchema("Answer", self.SCHEMA))
        (message,) = body(request, profile=PROFILES["llamacpp"])["messages"]
        first, _, rest = message["content"].partition("\n\n")
        assert first == "hi"
        assert json.loads(rest.partition("\n\n")[2]) == self.SCHEMA

    def test_also_behind_a_result(self) -> None:
        asks = Message.assistant("", tool_calls=[ToolCall("f", {}, "x")])
        result = Message(Role.TOOL, "ok", tool_name="f", tool_call_id="x", tool_result="ok")
        request = ModelRequest([USER, asks, result], output=OutputSchema("Answer", self.SCHEMA))
        encoded = body(request, profile=PROFILES["llamacpp"])["messages"]
        assert [item["role"] for item in encoded] == ["user", "assistant", "tool", "assistant", "user"]


class TestSettings:
    ALL = ModelSettings(temperature=0.0, top_p=0.5, max_tokens=9, seed=1, stop=("a", "b"))

    def test_what_is_set_is_sent(self) -> None:
        encoded = body(ModelRequest([USER], settings=self.ALL))
        assert {name: encoded[name] for name in ("temperature", "top_p", "max_tokens", "seed", "stop")} == {
            "temperature": 0.0, "top_p": 0.5, "max_tokens": 9, "seed": 1, "stop": ["a", "b"]
        }  # fmt: skip

    def test_the_longest_answer_is_called_as_the_profile_says(self) -> None:
        encoded = body(ModelRequest([USER], settings=self.ALL), profile=PROFILES["openai"])
        assert encoded["max_completion_tokens"] == 9
        assert "max_tokens" not in encoded

    def test_so_is_the_seed(self) -> None:
        encoded = body(ModelRequest([USER], settings=self.ALL), profile=PROFILES["mistral"])
        assert encoded["random_seed"] == 1
        assert "seed" not in encoded

    def test_those_that_a_server_lacks_are_refused_by_name(self) -> None:
        check_settings(ModelSettings(), frozenset({"seed"}), "DeepSeek")
        check_settings(self.ALL, frozenset({"tool_choice"}), "Ollama")
        with pytest.raises(ConfigurationError, match="DeepSeek has no setting 'seed'"):
            check_settings(self.ALL, frozenset({"seed"}), "DeepSeek")

    def test_further_fields_win(self) -> None:
        settings = ModelSettings(
            temperature=0.5, extra_body={"temperature": 1, "reasoning": {"effort": "low"}}
        )
        encoded = body(ModelRequest([USER], settings=settings))
        assert encoded["temperature"] == 1
        assert encoded["reasoning"] == {"effort": "low"}


TEXT = st.text(st.characters(codec=None), max_size=5)
MESSAGES = st.lists(
    st.builds(
        Message,
        st.sampled_from(Role),
        TEXT,
        st.lists(st.builds(ToolCall, TEXT, st.just({}), st.none() | TEXT), max_size=2).map(tuple),
        tool_call_id=st.none() | TEXT,
        content_parts=st.sampled_from([(), (URL_IMAGE,)]),
    ),
    max_size=5,
)


@given(MESSAGES, TEXT)
def test_whatever_a_history_holds_it_can_be_sent(given_messages: list[Message], system: str) -> None:
    encoded = messages(*given_messages, system=system)
    assert json.dumps(encoded, ensure_ascii=False).encode()
    awaited: set[str] = set()
    for item in encoded:
        if item["role"] == "tool":
            awaited.remove(item["tool_call_id"])
            continue
        assert not awaited
        assert item["content"] or item["tool_calls"]
        awaited = {call["id"] for call in item.get("tool_calls", ())}
    assert not awaited


STRICT = [profile for profile in PROFILES.values() if profile.strict_roles]


@given(HISTORIES, TEXT, st.sampled_from(STRICT), st.booleans())
def test_strict_servers_take_the_roles_of_every_history(
    history: list[Message], system: str, profile: Profile, structured: bool
) -> None:
    output = OutputSchema("Answer", {"type": "object"}) if structured else None
    request = ModelRequest([*history, USER], system, output=output)
    before = ""
    for item in body(request, profile=replace(profile, image_urls=True))["messages"]:
        assert item["role"] in FOLLOWS[before]
        before = item["role"]
    assert before == "user"
