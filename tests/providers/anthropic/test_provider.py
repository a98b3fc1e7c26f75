"""The provider as it is set up, and one call of each kind."""

from __future__ import annotations

from typing import Any

import httpx
import httpx2
import pytest
from pydantic import BaseModel

from finalturn import Agent, StructuredOutputConfig, tool
from finalturn._core.errors import ConfigurationError, ProviderError
from finalturn._core.messages import Message, Role, ToolCall
from finalturn._core.model import (
    Capabilities,
    ModelEnd,
    ModelRequest,
    ModelResponse,
    ModelSettings,
    OutputSchema,
    ReasoningDelta,
    TextDelta,
    ToolSpec,
)
from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._core.result import Usage
from finalturn.providers import Anthropic
from tests.providers._anthropic_wire import END, KEY, call, finish, start, text, thought
from tests.providers._server import document, serving, stream

ASK = ModelRequest([Message.user("hi")])
ANSWER = stream(start(input_tokens=1) + text(0, "Hel", "lo") + finish(output_tokens=2) + END)
WHOLE = {
    "type": "message",
    "content": [{"type": "text", "text": "Hello"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 1, "output_tokens": 2},
}
EXPECTED = [TextDelta("Hel"), TextDelta("lo"), ModelEnd("stop", Usage(1, 0, 2, 0, 3))]
SCHEMA = OutputSchema(
    "Answer", {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
)


def refusal(words: str, status: int = 400) -> Any:
    return document({"type": "error", "error": {"type": "invalid_request_error", "message": words}}, status)


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)


class TestSetUp:
    def test_the_vendor_needs_a_key_and_says_which(self) -> None:
        with pytest.raises(ConfigurationError, match="ANTHROPIC_API_KEY"):
            Anthropic("m")

    def test_another_server_needs_none(self) -> None:
        assert Anthropic("m", base_url="http://127.0.0.1:1/v1").capabilities == Capabilities()

    @pytest.mark.parametrize("name", ["Authorization", "X-Api-Key"])
    def test_a_client_that_authenticates_needs_none(self, name: str) -> None:
        Anthropic("m", http_client=httpx2.AsyncClient(verify=False, headers={name: "own"}))

    def test_capabilities(self) -> None:
        known = Capabilities(native_schema=True, native_schema_with_tools=True, images=True)
        assert Anthropic("m", api_key=KEY).capabilities == known
        given = Capabilities(images=True)
        assert Anthropic("m", base_url="http://x/v1", capabilities=given).capabilities is given

    def test_there_is_no_seed(self) -> None:
        assert Anthropic("m", api_key=KEY).unsupported_settings == {"seed"}

    @pytest.mark.parametrize("options", [{"max_tokens": 0}, {"max_tokens": 2048, "thinking": 2048}])
    def test_an_answer_has_room(self, options: dict[str, Any]) -> None:
        with pytest.raises(ConfigurationError, match="max_tokens must be more than"):
            Anthropic("m", api_key=KEY, **options)

    def test_what_cannot_be_is_refused(self) -> None:
        with pytest.raises(ConfigurationError, match="thinking"):
            Anthropic("m", api_key=KEY, thinking=5)
        with pytest.raises(ConfigurationError, match="base_url"):
            Anthropic("m", base_url="127.0.0.1:8080")
        with pytest.raises(ConfigurationError, match="model"):
            Anthropic("", api_key=KEY)

    def test_it_is_what_an_agent_takes(self) -> None:
        provider = Anthropic("m", api_key=KEY)
        assert isinstance(provider, Provider)
        assert isinstance(provider, StreamingProvider)

    def test_nothing_of_the_key_or_the_address_is_shown(self) -> None:
        assert repr(Anthropic("m", base_url=f"http://me:{KEY}@x/v1", api_key=KEY)) == "Anthropic('m')"


@pytest.mark.anyio
class TestCalls:
    async def test_a_stream(self) -> None:
        async with (
            serving(ANSWER) as server,
            Anthropic("m", base_url=server.url, api_key=KEY) as provider,
        ):
            assert [event async for event in provider.stream(ASK)] == EXPECTED
        (request,) = server.requests
        assert request.target == "/v1/messages"
        assert request.headers["x-api-key"] == KEY
        assert request.headers["anthropic-version"] == "2023-06-01"
        assert "authorization" not in request.headers
        assert request.json() == {
            "model": "m",
            "max_tokens": 16000,
            "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
            "stream": True,
        }

    async def test_a_whole_reply(self) -> None:
        async with serving(document(WHOLE)) as server, Anthropic("m", base_url=server.url) as provider:
            assert await provider.complete(ASK) == ModelResponse("Hello", usage=Usage(1, 0, 2, 0, 3))
        assert server.requests[0].json()["stream"] is False
        assert "x-api-key" not in server.requests[0].headers

    async def test_each_may_come_in_the_other_s_form(self) -> None:
        async with (
            serving(document(WHOLE), ANSWER) as server,
            Anthropic("m", base_url=server.url) as provider,
        ):
            events = [event async for event in provider.stream(ASK)]
            assert events == [TextDelta("Hello"), EXPECTED[-1]]
            assert (await provider.complete(ASK)).content == "Hello"

    async def test_the_key_is_not_sent_to_another_server(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        async with serving(ANSWER) as server, Anthropic("m", base_url=server.url) as provider:
            await provider.complete(ASK)
        assert "x-api-key" not in server.requests[0].headers

    async def test_how_to_think_and_the_room_for_it(self) -> None:
        async with (
            serving(ANSWER) as server,
            Anthropic("m", base_url=server.url, thinking=2048) as budget,
            Anthropic("m", base_url=server.url, thinking="adaptive", max_tokens=9) as adaptive,
        ):
            await budget.complete(ASK)
            await adaptive.complete(ASK)
        first, second = (request.json() for request in server.requests)
        assert (first["thinking"], first["max_tokens"]) == ({"type": "enabled", "budget_tokens": 2048}, 18048)
        assert (second["thinking"]["type"], second["max_tokens"]) == ("adaptive", 9)

    def test_a_setting_that_cannot_be_sent_is_refused_before_anything_is(self) -> None:
        provider = Anthropic("m", base_url="http://127.0.0.1:1/v1")
        with pytest.raises(ConfigurationError, match="seed"):
            provider.stream(ModelRequest(ASK.messages, settings=ModelSettings(seed=1)))

    async def test_an_overloaded_server_is_asked_again(self) -> None:
        busy = document({"type": "error", "error": {"type": "overloaded_error"}}, 529, "Retry-After: 0")
        async with serving(busy, ANSWER) as server, Anthropic("m", base_url=server.url) as provider:
            assert (await provider.complete(ASK)).content == "Hello"

    async def test_what_a_refusal_says_is_only_in_its_detail(self) -> None:
        async with (
            serving(refusal(f"no {KEY}", 401)) as server,
            Anthropic("m", base_url=server.url, api_key=KEY) as provider,
        ):
            with pytest.raises(ProviderError) as caught:
                await provider.complete(ASK)
        assert (caught.value.status, caught.value.code) == (401, "invalid_request_error")
        assert caught.value.detail == "no [key]"
        assert KEY not in str(caught.value)


@pytest.mark.anyio
class TestSchemas:
    PLAIN = ASK
    ASK = ModelRequest(ASK.messages, output=SCHEMA)
    REFUSED = refusal("output_config.format: structured outputs are not supported by this model")

    async def test_one_that_the_server_does_not_enforce_is_told_and_that_is_remembered(self) -> None:
        async with (
            serving(self.REFUSED, ANSWER) as server,
            Anthropic("m", base_url=server.url, max_retries=0) as provider,
        ):
            for _ in range(2):
                assert [event async for event in provider.stream(self.ASK)] == EXPECTED
            other = OutputSchema("Other", {"type": "object", "properties": {}})
            await provider.complete(ModelRequest(ASK.messages, output=other))
        bodies = [request.json() for request in server.requests]
        assert ["output_config" in body for body in bodies] == [True, False, False, True]
        assert ["JSON Schema" in body.get("system", "") for body in bodies] == [False, True, True, False]

    @pytest.mark.parametrize(
        ("request_", "reply"),
        [
            (ASK, refusal("max_tokens: too large")),
            (ASK, refusal("output_config", 500)),
            (PLAIN, REFUSED),
        ],
    )
    async def test_any_other_refusal_is_a_failure(self, request_: ModelRequest, reply: Any) -> None:
        async with (
            serving(reply) as server,
            Anthropic("m", base_url=server.url, max_retries=0) as provider,
        ):
            with pytest.raises(ProviderError):
                await provider.complete(request_)
        assert len(server.requests) == 1

    async def test_a_server_that_still_refuses_is_not_asked_for_ever(self) -> None:
        async with serving(self.REFUSED) as server, Anthropic("m", base_url=server.url) as provider:
            with pytest.raises(ProviderError):
                await provider.complete(self.ASK)
        assert len(server.requests) == 2


THINKS = stream(start() + thought(0, "hm") + call(1, "a", "look", "{}") + finish("tool_use") + END)
SIGNED = {"type": "thinking", "thinking": "hm", "signature": "sig"}


@pytest.mark.anyio
class TestThoughts:
    TOOLS = (ToolSpec("look", "", {}),)

    async def conversation(self, provider: Anthropic) -> list[Message]:
        response = await provider.complete(ModelRequest(ASK.messages, tools=self.TOOLS))
        (asked,) = response.tool_calls
        assert (response.reasoning, asked.name) == ("hm", "look")
        stored = Message.from_dict(Message.assistant("", tool_calls=[asked]).to_dict())
        return [
            *ASK.messages,
            stored,
            Message(Role.TOOL, "ok", tool_name="look", tool_call_id="a", tool_result="ok"),
        ]

    async def test_they_go_back(self) -> None:
        async with serving(THINKS, ANSWER) as server, Anthropic("m", base_url=server.url) as provider:
            conversation = await self.conversation(provider)
            await provider.complete(ModelRequest(conversation, tools=self.TOOLS))
        assert server.requests[1].json()["messages"][1]["content"][0] == SIGNED

    async def test_a_server_that_refuses_them_is_asked_without(self) -> None:
        words = "messages.1.content.0: Invalid `signature` in `thinking` block."
        async with (
            serving(THINKS, refusal(words), ANSWER) as server,
            Anthropic("m", base_url=server.url, max_retries=0) as provider,
        ):
            conversation = await self.conversation(provider)
            request = ModelRequest(conversation, tools=self.TOOLS)
            assert [event async for event in provider.stream(request)] == EXPECTED
        bodies = [str(request.json()) for request in server.requests]
        assert ["'thinking'" in body for body in bodies] == [False, True, False]


class Report(BaseModel):
    a: int


@tool
def look() -> str:
    """Look."""
    return "18C"


@pytest.mark.anyio
async def test_a_turn_with_thoughts_tools_and_an_object() -> None:
    """The loop carries the thoughts; the synthesis, which has no tools, does not, and still is taken."""
    replies = [
        THINKS,
        stream(start() + thought(0, "so") + text(1, "It is 18C.") + finish() + END),
        stream(start() + thought(0, "now") + text(1, '{"a":18}') + finish() + END),
    ]
    async with (
        serving(*replies) as server,
        Anthropic(
            "m", base_url=server.url, capabilities=Capabilities(native_schema=True), thinking="adaptive"
        ) as provider,
    ):
        agent = Agent(
            provider,
            tools=[look],
            response_format=Report,
            structured_output=StructuredOutputConfig(final_turn_only=True),
        )
        result = await agent.arun("How warm is it?")
    assert (result.unwrap(), result.text) == (Report(a=18), "It is 18C.")
    first, second, last = (request.json() for request in server.requests)
    assert first["tools"] == second["tools"]
    assert second["messages"][1]["content"] == [
        SIGNED,
        {"type": "tool_use", "id": "a", "name": "look", "input": {}},
    ]
    assert "output_config" not in first
    assert last["output_config"]["format"]["schema"]["required"] == ["a"]
    assert last["tool_choice"] == {"type": "none"}
    assert [tool["name"] for tool in last["tools"]] == ["look"]
    assert "signature" not in str(last["messages"])
    assert [message["role"] for message in last["messages"]] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]


@pytest.mark.anyio
@pytest.mark.parametrize("library", [httpx, httpx2])
class TestOwnClient:
    async def test_its_headers_are_kept_and_it_stays_open(self, library: Any) -> None:
        own = {"X-Own": "1", "anthropic-version": "2026-10-21", "anthropic-beta": "b"}
        async with serving(ANSWER) as server, library.AsyncClient(headers=own) as client:
            async with Anthropic("m", base_url=server.url, api_key=KEY, http_client=client) as provider:
                assert [event async for event in provider.stream(ASK)] == EXPECTED
            assert not client.is_closed
        (request,) = server.requests
        assert {name.lower(): request.headers[name.lower()] for name in own} == {
            name.lower(): value for name, value in own.items()
        }
        assert request.headers["x-api-key"] == KEY

    async def test_its_failures_are_provider_errors(self, library: Any) -> None:
        async with library.AsyncClient() as client:
            provider = Anthropic("m", base_url="http://127.0.0.1:1/v1", http_client=client, max_retries=0)
            with pytest.raises(ProviderError, match="could not be reached"):
                await provider.complete(ASK)


@pytest.mark.anyio
async def test_calls_and_thoughts_are_events_like_others() -> None:
    async with serving(THINKS) as server, Anthropic("m", base_url=server.url) as provider:
        events = [event async for event in provider.stream(ASK)]
        whole = await provider.complete(ASK)
    assert events[0] == ReasoningDelta("hm")
    assert events[-1] == ModelEnd("tool_calls")
    assert whole.tool_calls == (ToolCall("look", {}, "a", provider_data=whole.tool_calls[0].provider_data),)
