"""The real model: what it says is its own affair, the shape of it is promised."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import httpx2
import pytest

from finalturn.local import LocalModel

pytestmark = pytest.mark.llm_local

_WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get the current weather in a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
_CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "population": {"type": "integer"}},
    "required": ["city", "population"],
    "additionalProperties": False,
}


@pytest.fixture
def http(local_model: LocalModel) -> Iterator[httpx2.Client]:
    # The server closes a connection after a stream without having said so: a new one for each request.
    one_each = {"connection": "close"}
    with httpx2.Client(base_url=local_model.url, headers=one_each, timeout=120, trust_env=False) as client:
        yield client


def ask(http: httpx2.Client, text: str, **more: object) -> dict[str, Any]:
    """One whole reply to one question."""
    body = {"model": "smollm2", "messages": [{"role": "user", "content": text}], **more}
    response = http.post("/chat/completions", json=body)
    response.raise_for_status()
    reply: dict[str, Any] = response.json()
    return reply


def stream(http: httpx2.Client, body: Mapping[str, object]) -> Iterator[dict[str, Any]]:
    """The chunks of one streamed reply."""
    with http.stream("POST", "/chat/completions", json={"stream": True, **body}) as response:
        lines = [line.removeprefix("data: ") for line in response.iter_lines() if line]
    assert lines.pop() == "[DONE]"
    for line in lines:
        yield json.loads(line)


def test_the_model_is_listed_by_its_name(http: httpx2.Client, local_model: LocalModel) -> None:
    assert http.get("/models").json()["data"][0]["id"] == local_model.model


def test_text_streams_in_pieces_and_is_the_whole_reply(http: httpx2.Client) -> None:
    question = "What is the capital of France?"
    body = {"messages": [{"role": "user", "content": question}], "stream_options": {"include_usage": True}}
    chunks = list(stream(http, body))
    deltas = [choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"]]
    whole = ask(http, question)
    assert len([delta for delta in deltas if delta]) > 1
    assert "".join(deltas) == whole["choices"][0]["message"]["content"]
    assert chunks[-1]["usage"]["completion_tokens"] == whole["usage"]["completion_tokens"] > 0


def test_a_schema_shapes_the_answer(http: httpx2.Client) -> None:
    schema = {"type": "json_schema", "json_schema": {"name": "city", "schema": _CITY}}
    choice = ask(http, "Tell me about Paris.", response_format=schema)["choices"][0]
    assert choice["finish_reason"] == "stop"
    answer = json.loads(choice["message"]["content"])
    assert sorted(answer) == ["city", "population"]
    assert type(answer["city"]) is str
    assert type(answer["population"]) is int


def test_a_tool_is_called_in_a_stream_and_its_result_becomes_prose(http: httpx2.Client) -> None:
    question = {"role": "user", "content": "What is the weather in Paris? Use the tool."}
    chunks = list(stream(http, {"messages": [question], "tools": [_WEATHER]}))
    deltas = [
        call
        for chunk in chunks
        for choice in chunk["choices"]
        for call in choice["delta"].get("tool_calls") or ()
    ]
    assert deltas[0]["function"]["name"] == "get_weather"
    arguments = "".join(delta["function"].get("arguments") or "" for delta in deltas if delta["index"] == 0)
    assert sorted(json.loads(arguments)) == ["city"]

    call = {"id": "c", "type": "function", "function": {"name": "get_weather", "arguments": arguments}}
    messages = [
        question,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "18C, sunny"},
    ]
    message = ask(http, "", messages=messages, tools=[_WEATHER])["choices"][0]["message"]
    assert message["content"]
    assert not message.get("tool_calls")


def test_an_answer_ends_at_the_limit_of_the_request(http: httpx2.Client) -> None:
    reply = ask(http, "Tell me a long story.", max_tokens=4)
    assert reply["choices"][0]["finish_reason"] == "length"
    assert reply["usage"]["completion_tokens"] == 4


def test_a_conversation_that_is_too_long_is_refused(http: httpx2.Client) -> None:
    response = http.post(
        "/chat/completions", json={"messages": [{"role": "user", "content": "word " * 5000}]}
    )
    assert response.status_code == 400
    assert response.json()["error"]["type"] == "exceed_context_size_error"


def test_the_server_is_gone_when_the_block_is_left(local_model: LocalModel) -> None:
    with LocalModel() as other:
        url = other.url
        assert url != local_model.url
        assert httpx2.get(f"{url}/models", trust_env=False).status_code == 200
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(f"{url}/models", trust_env=False)
