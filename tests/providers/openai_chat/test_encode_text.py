"""The body of a chat completions request as JSON text, of which messages and tools are written once."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.frozen import freeze
from finalturn._core.messages import Message, ToolCall
from finalturn._core.model import ModelRequest, ModelSettings, OutputSchema, ToolSpec
from finalturn._providers.openai_chat.encode import encode_body
from finalturn._providers.openai_chat.profile import Profile
from finalturn._providers.openai_chat.profiles import ANY_SERVER, PROFILES
from tests.providers._histories import HISTORIES
from tests.providers.openai_chat.test_encode import USER, body

SPEC = ToolSpec("f", "Does it.", freeze({"type": "object", "properties": {"a": {"pattern": "(?=a)"}}}, "x"))
PLAIN = ToolSpec("g", "", {"type": "object"})
OUTPUT = OutputSchema("answer", {"type": "object", "properties": {"n": {"type": "integer"}}})


@given(
    HISTORIES,
    st.sampled_from([ANY_SERVER, *PROFILES.values()]),
    st.sampled_from(["", "Be kind."]),
    st.sampled_from([(), (SPEC,), (SPEC, PLAIN)]),
    st.sampled_from([None, OUTPUT]),
    st.sampled_from([None, {"n": 1}, {"messages": []}, {"model": "x"}, {"tools": None}]),
)
def test_it_is_the_same(
    history: list[Message],
    profile: Profile,
    system: str,
    tools: tuple[ToolSpec, ...],
    output: OutputSchema | None,
    extra: dict[str, Any] | None,
) -> None:
    settings = ModelSettings(tool_choice="required", extra_body=extra)
    profile = replace(profile, image_urls=True)
    request = ModelRequest(history, system, tools, output, settings)
    for _ in range(2):
        found = encode_body(request, model="m", profile=profile, stream=True, stream_usage=True)
        assert json.loads(found) == body(request, profile=profile)


def test_a_message_that_is_new_changes_nothing_of_those_before() -> None:
    first, second = Message.user("a"), Message.assistant("b")
    texts = [
        encode_body(ModelRequest(given), model="m", profile=ANY_SERVER, stream=True, stream_usage=True)
        for given in ([first], [first, second], [first])
    ]
    assert texts[0] == texts[2]
    assert [len(json.loads(text)["messages"]) for text in texts] == [1, 2, 1]


def test_what_is_kept_is_of_one_model_and_server() -> None:
    call = ToolCall("f", {}, "a long id of a call")
    given = [Message.user("a"), Message.assistant("", tool_calls=[call])]
    for profile in (ANY_SERVER, PROFILES["mistral"], ANY_SERVER):
        request = ModelRequest(given)
        found = encode_body(request, model="m", profile=profile, stream=True, stream_usage=True)
        assert json.loads(found) == body(request, profile=profile)


def test_a_schema_that_can_be_changed_is_read_anew() -> None:
    parameters: dict[str, Any] = {"type": "object", "properties": {}}
    request = ModelRequest([USER], tools=[ToolSpec("f", "", parameters)])
    for name in ("a", "b"):
        parameters["properties"] = {name: {}}
        found = encode_body(request, model="m", profile=ANY_SERVER, stream=True, stream_usage=True)
        assert list(json.loads(found)["tools"][0]["function"]["parameters"]["properties"]) == [name]
