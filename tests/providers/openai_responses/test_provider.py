"""The provider as it is set up, and one call of each kind."""

from __future__ import annotations

import json
from typing import Any

import httpx
import httpx2
import pytest

from finalturn._core.errors import ConfigurationError, ProviderError
from finalturn._core.messages import Message, Role, ToolCall
from finalturn._core.model import (
    Capabilities,
    ModelEnd,
    ModelRequest,
    ModelResponse,
    ModelSettings,
    TextDelta,
)
from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._core.result import Usage
from finalturn.providers import OpenAIResponses
from tests.providers._responses_wire import (
    KEY,
    added,
    arguments,
    call,
    done,
    end,
    message,
    reasoning,
    spoken,
    whole,
)
from tests.providers._server import document, serving, stream

ASK = ModelRequest([Message.user("hi")])
HELLO = message("Hello")
ANSWER = stream(spoken(0, HELLO, "Hel", "lo") + end(HELLO))
TOKENS = Usage(7, 0, 3, 0, 10)
EXPECTED = [TextDelta("Hel"), TextDelta("lo"), ModelEnd("stop", TOKENS)]
THOUGHT = reasoning(encrypted_content="gA")
ASKING = stream(
    done(0, THOUGHT)
    + added(1, call("f", "", "x"))
    + arguments(1, '{"a":1}')
    + done(1, call("f", '{"a":1}', "x"))
    + end()
)


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def refused(message: str, status: int = 400, **fields: Any) -> Any:
    return document({"error": {"message": message, "type": "invalid_request_error", **fields}}, status)


class TestSetUp:
    def test_openai_needs_a_key_and_says_which(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
            OpenAIResponses("m")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        OpenAIResponses("m")

    def test_another_server_needs_none(self) -> None:
        assert OpenAIResponses("m", base_url="http://127.0.0.1:1/v1").capabilities == Capabilities()

    def test_a_client_that_authenticates_needs_none(self) -> None:
        OpenAIResponses(
            "m", http_client=httpx2.AsyncClient(verify=False, headers={"Authorization": "Bearer own"})
        )

    def test_capabilities_are_openai_s_or_those_that_are_given(self) -> None:
        known = Capabilities(native_schema=True, native_schema_with_tools=True, images=True)
        assert OpenAIResponses("m", api_key=KEY).capabilities == known
        given = Capabilities(images=True)
        assert OpenAIResponses("m", base_url="http://x/v1", capabilities=given).capabilities is given

    def test_what_has_no_field_is_named_and_refused(self) -> None:
        provider = OpenAIResponses("m", api_key=KEY)
        assert provider.unsupported_settings == {"seed", "stop"}
        with pytest.raises(ConfigurationError, match="seed"):
            provider.stream(ModelRequest(ASK.messages, settings=ModelSettings(seed=1)))

    @pytest.mark.parametrize("url", ["127.0.0.1:8080/v1", "ftp://x/v1", "sk-SENTINEL"])
    def test_an_address_that_is_none_is_refused(self, url: str) -> None:
        with pytest.raises(ConfigurationError, match="base_url") as caught:
            OpenAIResponses("m", base_url=url)
        assert "SENTINEL" not in str(caught.value)

    def test_it_is_what_an_agent_takes(self) -> None:
        provider = OpenAIResponses("m", api_key=KEY)
        assert isinstance(provider, Provider)
        assert isinstance(provider, StreamingProvider)
        assert repr(provider) == "OpenAIResponses('m')"


@pytest.mark.anyio
class TestCalls:
    async def test_a_stream(self) -> None:
        async with (
            serving(ANSWER) as server,
            OpenAIResponses("m", base_url=server.url, api_key=KEY) as provider,
        ):
            assert [event async for event in provider.stream(ASK)] == EXPECTED
        (request,) = server.requests
        assert request.target == "/v1/responses"
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert request.json() == {
            "model": "m",
            "input": [{"role": "user", "content": "hi"}],
            "stream": True,
            "store": False,
            "include": ["reasoning.encrypted_content"],
        }

    async def test_a_whole_reply(self) -> None:
        async with (
            serving(document(whole(HELLO))) as server,
            OpenAIResponses("m", base_url=server.url) as provider,
        ):
            assert await provider.complete(ASK) == ModelResponse("Hello", usage=TOKENS)
        assert server.requests[0].json()["stream"] is False
        assert "authorization" not in server.requests[0].headers

    async def test_each_may_come_in_the_other_s_form(self) -> None:
        async with (
            serving(document(whole(HELLO)), ANSWER) as server,
            OpenAIResponses("m", base_url=server.url) as provider,
        ):
            events = [event async for event in provider.stream(ASK)]
            assert events == [TextDelta("Hello"), ModelEnd("stop", TOKENS)]
            assert await provider.complete(ASK) == ModelResponse("Hello", usage=TOKENS)

    @pytest.mark.parametrize("library", [httpx, httpx2])
    async def test_a_user_s_own_client(self, library: Any) -> None:
        async with serving(ANSWER) as server, library.AsyncClient(headers={"X-Own": "1"}) as client:
            async with OpenAIResponses("m", base_url=server.url, http_client=client) as provider:
                assert [event async for event in provider.stream(ASK)] == EXPECTED
            assert not client.is_closed
        assert server.requests[0].headers["x-own"] == "1"


@pytest.mark.anyio
class TestOpenAI:
    @pytest.mark.parametrize(
        ("model", "asks"),
        [
            ("gpt-4o", False),
            ("ft:gpt-4.1-mini:me", False),
            ("chatgpt-4o-latest", False),
            ("gpt-5", True),
            ("o3", True),
        ],
    )
    async def test_a_model_that_does_not_reason_is_not_asked_for_it(self, model: str, asks: bool) -> None:
        requests: list[httpx2.Request] = []

        def answer(request: httpx2.Request) -> httpx2.Response:
            requests.append(request)
            return httpx2.Response(200, json=whole(HELLO))

        async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as client:
            provider = OpenAIResponses(model, api_key=KEY, http_client=client)
            assert (await provider.complete(ASK)).content == "Hello"
        (request,) = requests
        assert str(request.url) == "https://api.openai.com/v1/responses"
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert ("include" in json.loads(request.content)) is asks


def next_request(made: ToolCall) -> ModelRequest:
    result = Message(Role.TOOL, "ok", tool_name=made.name, tool_call_id=made.id)
    return ModelRequest([*ASK.messages, Message.assistant("", tool_calls=[made]), result])


def kinds(body: Any) -> list[str]:
    return [item.get("type", "message") for item in body["input"]]


@pytest.mark.anyio
class TestReasoning:
    async def test_it_goes_back_with_the_call(self) -> None:
        async with serving(ASKING, ANSWER) as server, OpenAIResponses("m", base_url=server.url) as provider:
            (made,) = (await provider.complete(ASK)).tool_calls
            await provider.complete(next_request(made))
        found = server.requests[1].json()["input"]
        assert found[1:] == [
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gA"},
            {"type": "function_call", "call_id": "x", "name": "f", "arguments": '{"a":1}'},
            {"type": "function_call_output", "call_id": "x", "output": "ok"},
        ]

    async def test_another_model_does_not_get_it(self) -> None:
        async with serving(ASKING, ANSWER) as server:
            async with OpenAIResponses("m", base_url=server.url) as provider:
                (made,) = (await provider.complete(ASK)).tool_calls
            async with OpenAIResponses("n", base_url=server.url) as provider:
                await provider.complete(next_request(made))
        assert kinds(server.requests[1].json()) == ["message", "function_call", "function_call_output"]

    @pytest.mark.parametrize(
        "refusal",
        [
            refused("The encrypted content could not be verified.", code="invalid_encrypted_content"),
            refused("Item 'rs_1' of type 'reasoning' was provided without its required following item."),
            refused("Item with id 'rs_1' not found.", 404),
        ],
    )
    async def test_reasoning_that_is_refused_is_left_out_of_that_request(self, refusal: Any) -> None:
        async with (
            serving(ASKING, refusal, ANSWER) as server,
            OpenAIResponses("m", base_url=server.url, max_retries=0) as provider,
        ):
            (made,) = (await provider.complete(ASK)).tool_calls
            assert (await provider.complete(next_request(made))).content == "Hello"
            await provider.complete(next_request(made))
        bodies = [request.json() for request in server.requests[1:]]
        assert ["reasoning" in kinds(body) for body in bodies] == [True, False, True]
        assert all("include" in body for body in bodies)

    @pytest.mark.parametrize(
        "refusal",
        [
            refused("Encrypted content is not supported with this model.", param="include"),
            refused("Unknown parameter: 'include'."),
            document({"detail": [{"loc": ["body", "include"], "msg": "extra fields not permitted"}]}, 422),
        ],
    )
    async def test_a_model_without_any_is_asked_without_and_remembered(self, refusal: Any) -> None:
        async with (
            serving(refusal, ANSWER) as server,
            OpenAIResponses("m", base_url=server.url, max_retries=0) as provider,
        ):
            for _ in range(2):
                assert [event async for event in provider.stream(ASK)] == EXPECTED
        assert ["include" in request.json() for request in server.requests] == [True, False, False]

    @pytest.mark.parametrize(
        "refusal",
        [
            refused("'required' is required to be an array including every key."),
            refused("Item 'rs_1' of type 'reasoning' is not wanted."),
            refused("Encrypted content is overloaded.", 500),
        ],
    )
    async def test_a_refusal_of_something_else_is_one(self, refusal: Any) -> None:
        async with (
            serving(refusal) as server,
            OpenAIResponses("m", base_url=server.url, max_retries=0) as provider,
        ):
            with pytest.raises(ProviderError):
                await provider.complete(ASK)
        assert len(server.requests) == 1

    async def test_a_server_that_still_refuses_is_not_asked_for_ever(self) -> None:
        refusal = refused("Encrypted content is not supported with this model.")
        async with (
            serving(ASKING, refusal) as server,
            OpenAIResponses("m", base_url=server.url, max_retries=0) as provider,
        ):
            (made,) = (await provider.complete(ASK)).tool_calls
            with pytest.raises(ProviderError):
                await provider.complete(next_request(made))
        assert len(server.requests) == 4
