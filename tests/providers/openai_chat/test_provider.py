"""The provider as it is set up, and one call of each kind."""

from __future__ import annotations

from typing import Any, ClassVar

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
from finalturn._providers.openai_chat.profiles import PROFILES, ProfileName
from finalturn.providers import OpenAIChat
from tests.providers._server import document, serving, stream
from tests.providers._wire import DONE, STOP, call, delta, usage

KEY = "sk-SENTINEL"
ASK = ModelRequest([Message.user("hi")])
ANSWER = stream(delta("Hel") + delta("lo") + STOP + usage(prompt_tokens=1, completion_tokens=2) + DONE)
WHOLE = {"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}]}


LOCAL = [name for name, profile in PROFILES.items() if not profile.key_needed]
REMOTE = [name for name in PROFILES if name not in LOCAL]


@pytest.fixture(autouse=True)
def _nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for profile in PROFILES.values():
        for variable in filter(None, (profile.key_variable, profile.base_variable)):
            monkeypatch.delenv(variable, raising=False)


class TestSetUp:
    def test_openai_needs_a_key_and_says_which(self) -> None:
        with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
            OpenAIChat("m")
        with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
            OpenAIChat("m", profile="openai")

    def test_another_server_needs_none(self) -> None:
        assert OpenAIChat("m", base_url="http://127.0.0.1:1/v1").capabilities == Capabilities()
        OpenAIChat("m", base_url="http://127.0.0.1:1/v1", profile="openai")

    def test_a_client_that_authenticates_needs_none(self) -> None:
        OpenAIChat("m", http_client=httpx2.AsyncClient(verify=False, headers={"Authorization": "Bearer own"}))

    def test_capabilities_are_the_profile_s_or_those_that_are_given(self) -> None:
        known = Capabilities(native_schema=True, native_schema_with_tools=True, images=True)
        assert OpenAIChat("m", api_key=KEY).capabilities == known
        assert OpenAIChat("m", base_url="http://x/v1", profile="openai").capabilities == known
        given = Capabilities(images=True)
        assert OpenAIChat("m", base_url="http://x/v1", capabilities=given).capabilities is given

    @pytest.mark.parametrize(
        "url",
        ["127.0.0.1:8080/v1", "ftp://x/v1", "http://", "http://[::1", "http://x:99999/v1", "sk-SENTINEL"],
    )
    def test_an_address_that_is_none_is_refused(self, url: str) -> None:
        with pytest.raises(ConfigurationError, match="base_url") as caught:
            OpenAIChat("m", base_url=url)
        assert "SENTINEL" not in str(caught.value)

    def test_an_empty_model_and_an_unknown_profile_are_refused(self) -> None:
        with pytest.raises(ConfigurationError, match="model"):
            OpenAIChat("", api_key=KEY)
        unknown: Any = "nobody"
        with pytest.raises(ConfigurationError, match="openai"):
            OpenAIChat("m", profile=unknown)

    def test_it_is_what_an_agent_takes(self) -> None:
        provider = OpenAIChat("m", api_key=KEY)
        assert isinstance(provider, Provider)
        assert isinstance(provider, StreamingProvider)

    def test_nothing_of_the_key_or_the_address_is_shown(self) -> None:
        provider = OpenAIChat("m", base_url=f"http://me:{KEY}@x/v1", api_key=KEY)
        assert repr(provider) == "OpenAIChat('m')"


class TestProfiles:
    @pytest.mark.parametrize("name", REMOTE)
    def test_a_missing_key_is_named(self, name: ProfileName, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://me.openai.azure.com")
        with pytest.raises(ConfigurationError, match=f"environment variable {PROFILES[name].key_variable},"):
            OpenAIChat("m", profile=name)
        assert OpenAIChat("m", profile=name, api_key=KEY).capabilities == PROFILES[name].capabilities

    @pytest.mark.parametrize("name", LOCAL)
    def test_a_server_on_this_machine_needs_none(self, name: ProfileName) -> None:
        assert OpenAIChat("m", profile=name).capabilities == PROFILES[name].capabilities

    def test_a_missing_address_is_named(self) -> None:
        with pytest.raises(ConfigurationError, match="environment variable AZURE_OPENAI_ENDPOINT,"):
            OpenAIChat("m", profile="azure", api_key=KEY)
        OpenAIChat("m", profile="azure", api_key=KEY, base_url="https://me.openai.azure.com/openai/v1")

    def test_one_that_is_no_address_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "me.openai.azure.com")
        with pytest.raises(ConfigurationError, match="must be an address"):
            OpenAIChat("m", profile="azure", api_key=KEY)

    def test_settings_that_the_server_lacks_are_told(self) -> None:
        assert OpenAIChat("m", profile="deepseek", api_key=KEY).unsupported_settings == {"seed"}
        assert OpenAIChat("m", base_url="http://x/v1").unsupported_settings == frozenset()
        assert OpenAIChat("m", profile="ollama").unsupported_settings == {"tool_choice"}
        # finalturn writes the tools into the prompt, and makes the choice there.
        by_hand = Capabilities(native_tools=False)
        assert OpenAIChat("m", profile="ollama", capabilities=by_hand).unsupported_settings == frozenset()

    @pytest.mark.anyio
    async def test_settings_that_the_server_lacks_are_refused(self) -> None:
        request = ModelRequest(ASK.messages, settings=ModelSettings(seed=1))
        provider = OpenAIChat("m", profile="deepseek", api_key=KEY, base_url="http://127.0.0.1:1")
        with pytest.raises(ConfigurationError, match="DeepSeek has no setting 'seed'"):
            await provider.complete(request)
        with pytest.raises(ConfigurationError, match="DeepSeek has no setting 'seed'"):
            provider.stream(request)

    @pytest.mark.anyio
    async def test_azure(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
        async with serving(document(WHOLE)) as server:
            monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", server.url.removesuffix("/v1") + "/")
            async with OpenAIChat("deployed", profile="azure") as provider:
                assert await provider.complete(ASK) == ModelResponse("Hello")
        (request,) = server.requests
        assert request.target == "/openai/v1/chat/completions"
        assert request.headers["api-key"] == KEY
        assert "authorization" not in request.headers
        assert request.json()["model"] == "deployed"

    @pytest.mark.anyio
    async def test_another_address_keeps_the_ways_of_the_server(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MISTRAL_API_KEY", KEY)
        request = ModelRequest(ASK.messages, settings=ModelSettings(seed=3))
        async with (
            serving(ANSWER) as server,
            OpenAIChat("m", base_url=server.url, profile="mistral") as provider,
        ):
            assert [event async for event in provider.stream(request)][:1] == [TextDelta("Hel")]
        body = server.requests[0].json()
        assert body["random_seed"] == 3
        assert "stream_options" not in body
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"

    @pytest.mark.anyio
    async def test_reasoning_goes_round(self) -> None:
        thought = delta(None, None, reasoning_content="hm") + call(0, "a", "f", "{}")
        async with (
            serving(stream(thought + delta(None, "tool_calls") + DONE), ANSWER) as server,
            OpenAIChat("m", base_url=server.url, profile="deepseek") as provider,
        ):
            first = await provider.complete(ASK)
            asks = Message.assistant("", tool_calls=first.tool_calls)
            result = Message(Role.TOOL, "ok", tool_name="f", tool_call_id="a", tool_result="ok")
            await provider.complete(ModelRequest([*ASK.messages, asks, result]))
        assert server.requests[1].json()["messages"][1]["reasoning_content"] == "hm"
        assert first.reasoning == "hm"


@pytest.mark.anyio
class TestCalls:
    async def test_a_stream(self) -> None:
        async with serving(ANSWER) as server, OpenAIChat("m", base_url=server.url, api_key=KEY) as provider:
            events = [event async for event in provider.stream(ASK)]
        assert events == [TextDelta("Hel"), TextDelta("lo"), ModelEnd("stop", Usage(1, 0, 2, 0, 3))]
        (request,) = server.requests
        assert request.target == "/v1/chat/completions"
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert request.headers["content-type"] == "application/json"
        assert request.json() == {
            "model": "m",
            "messages": [{"role": "user", "content": "hi"}],
            "stream": True,
            "stream_options": {"include_usage": True},
        }

    async def test_a_whole_reply(self) -> None:
        async with serving(document(WHOLE)) as server, OpenAIChat("m", base_url=server.url) as provider:
            assert await provider.complete(ASK) == ModelResponse("Hello")
        assert server.requests[0].json()["stream"] is False
        assert "authorization" not in server.requests[0].headers

    async def test_each_may_come_in_the_other_s_form(self) -> None:
        async with (
            serving(document(WHOLE), ANSWER) as server,
            OpenAIChat("m", base_url=server.url) as provider,
        ):
            assert [event async for event in provider.stream(ASK)] == [TextDelta("Hello"), ModelEnd("stop")]
            assert await provider.complete(ASK) == ModelResponse("Hello", usage=Usage(1, 0, 2, 0, 3))

    async def test_calls_of_a_cut_answer_are_cut(self) -> None:
        answer = stream(call(0, "a", "f", '{"x":') + delta(None, "length") + DONE)
        async with serving(answer) as server, OpenAIChat("m", base_url=server.url) as provider:
            response = await provider.complete(ASK)
        assert response.finish_reason == "length"
        (made,) = response.tool_calls
        assert made == ToolCall("f", {}, "a", made.error)
        assert "cut" in (made.error or "")

    @pytest.mark.parametrize("path", ["", "/", "/chat/completions", "/chat/completions/"])
    async def test_the_address_may_be_whole(self, path: str) -> None:
        async with (
            serving(ANSWER) as server,
            OpenAIChat("m", base_url=f"{server.url}{path}?api-version=1#x") as provider,
        ):
            await provider.complete(ASK)
        assert server.requests[0].target == "/v1/chat/completions?api-version=1"

    async def test_lone_surrogates_are_sent_as_what_can_be_sent(self) -> None:
        async with serving(ANSWER) as server, OpenAIChat("m", base_url=server.url) as provider:
            await provider.complete(ModelRequest([Message.user("a\ud83d")]))
        assert server.requests[0].json()["messages"][0]["content"] == "a\ufffd"


@pytest.mark.anyio
class TestStreamOptions:
    REFUSED: ClassVar = {"error": {"message": "Unrecognized request argument supplied: stream_options"}}

    @pytest.mark.parametrize("status", [400, 422])
    async def test_a_server_that_refuses_them_is_asked_without_and_remembered(self, status: int) -> None:
        async with (
            serving(document(self.REFUSED, status), ANSWER) as server,
            OpenAIChat("m", base_url=server.url, max_retries=0) as provider,
        ):
            for _ in range(2):
                assert [event async for event in provider.stream(ASK)][:1] == [TextDelta("Hel")]
        assert ["stream_options" in request.json() for request in server.requests] == [True, False, False]

    async def test_a_refusal_of_something_else_is_one(self) -> None:
        async with (
            serving(document({"error": {"message": "no"}}, 400)) as server,
            OpenAIChat("m", base_url=server.url) as provider,
        ):
            with pytest.raises(ProviderError):
                await anext(provider.stream(ASK))
        assert len(server.requests) == 1

    async def test_one_that_still_refuses_is_not_asked_for_ever(self) -> None:
        settings = ModelSettings(extra_body={"stream_options": {}})
        async with (
            serving(document(self.REFUSED, 400)) as server,
            OpenAIChat("m", base_url=server.url) as provider,
        ):
            with pytest.raises(ProviderError):
                await anext(provider.stream(ModelRequest(ASK.messages, settings=settings)))
        assert len(server.requests) == 2


@pytest.mark.anyio
@pytest.mark.parametrize("library", [httpx, httpx2])
class TestOwnClient:
    async def test_its_headers_are_kept_and_it_stays_open(self, library: Any) -> None:
        async with serving(ANSWER) as server, library.AsyncClient(headers={"X-Own": "1"}) as client:
            async with OpenAIChat("m", base_url=server.url, api_key=KEY, http_client=client) as provider:
                assert (await provider.complete(ASK)).content == "Hello"
                assert [event async for event in provider.stream(ASK)][-1] == ModelEnd(
                    "stop", Usage(1, 0, 2, 0, 3)
                )
            assert not client.is_closed
        assert [request.headers["x-own"] for request in server.requests] == ["1", "1"]
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"

    async def test_its_own_authentication_is_used(
        self, library: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
        async with (
            serving(ANSWER) as server,
            library.AsyncClient(headers={"Authorization": "Bearer own"}) as client,
        ):
            provider = OpenAIChat("m", base_url=server.url, profile="openai", http_client=client)
            await provider.complete(ASK)
        assert server.requests[0].headers["authorization"] == "Bearer own"

    async def test_its_failures_are_provider_errors(self, library: Any) -> None:
        async with library.AsyncClient() as client:
            provider = OpenAIChat("m", base_url="http://127.0.0.1:1/v1", http_client=client, max_retries=0)
            with pytest.raises(ProviderError, match="could not be reached"):
                await provider.complete(ASK)
