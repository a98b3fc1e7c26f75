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
    OutputSchema,
    TextDelta,
)
from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._core.result import Usage
from finalturn._providers.gemini.replay import STAND_IN
from finalturn.providers import Gemini, Vertex
from tests.providers import _gemini_wire as wire
from tests.providers._gemini_wire import KEY, call, record, text, tokens
from tests.providers._server import CLOSE, HOLD, Reply, chunk, document, head, serving, stream

ASK = ModelRequest([Message.user("hi")])
ANSWER = stream(
    wire.stream(
        record(text("Hel"), usage=tokens(1, 1)), record(text("lo"), finish="STOP", usage=tokens(1, 2))
    )
)
HELLO = [TextDelta("Hel"), TextDelta("lo"), ModelEnd("stop", Usage(1, 0, 2, 0, 3))]
WHOLE = record(text("Hello"), finish="STOP")
CALLED = [
    Message.user("hi"),
    Message.assistant(
        "", tool_calls=[ToolCall("f", {}, "a", provider_data={"gemini": {"thoughtSignature": "s"}})]
    ),
    Message(Role.TOOL, "1", (), "f", "a", tool_result="1"),
]


def refusal(message: str, status: int = 400, name: str = "INVALID_ARGUMENT") -> Reply:
    return document({"error": {"code": status, "message": message, "status": name}}, status)


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)


class TestSetUp:
    def test_google_needs_a_key_and_says_which(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(ConfigurationError, match="GEMINI_API_KEY"):
            Gemini("m")
        with pytest.raises(ConfigurationError, match="token"):
            Gemini("m", vertex=Vertex("p"))
        monkeypatch.setenv("GOOGLE_API_KEY", KEY)
        Gemini("m")

    def test_capabilities(self) -> None:
        known = Capabilities(native_schema=True, native_schema_any_root=True, images=True)
        assert Gemini("m", api_key=KEY).capabilities == known
        assert Gemini("m", vertex=Vertex("p", token="t")).capabilities == known
        assert Gemini("m", base_url="http://x/v1beta").capabilities == Capabilities()
        given = Capabilities(native_schema=True, native_schema_with_tools=True)
        assert Gemini("m", api_key=KEY, capabilities=given).capabilities is given
        assert Gemini("m", api_key=KEY).unsupported_settings == frozenset()

    @pytest.mark.parametrize(
        ("options", "problem"),
        [
            ({"model": ""}, "model is empty"),
            ({"base_url": "sk-SENTINEL"}, "base_url"),
            ({"thinking": "much"}, "thinking is"),
            ({"api_key": KEY, "vertex": Vertex("p", token="t")}, "not both"),
        ],
    )
    def test_what_cannot_work_is_refused(self, options: dict[str, Any], problem: str) -> None:
        made: dict[str, Any] = {"model": "m", "base_url": "http://x/v1beta", **options}
        with pytest.raises(ConfigurationError, match=problem) as caught:
            Gemini(**made)
        assert "SENTINEL" not in str(caught.value)

    def test_it_is_what_an_agent_takes(self) -> None:
        provider = Gemini("m", api_key=KEY)
        assert isinstance(provider, Provider)
        assert isinstance(provider, StreamingProvider)

    def test_nothing_of_the_key_is_shown(self) -> None:
        assert repr(Gemini("m", base_url=f"http://me:{KEY}@x/v1", api_key=KEY)) == "Gemini('m')"

    @pytest.mark.parametrize(
        ("options", "address"),
        [
            ({"api_key": KEY}, "https://generativelanguage.googleapis.com/v1beta/models/m"),
            (
                {"vertex": Vertex(), "api_key": KEY},
                "https://aiplatform.googleapis.com/v1beta1/publishers/google/models/m",
            ),
            (
                {"vertex": Vertex("p", "us-east1", "t")},
                "https://us-east1-aiplatform.googleapis.com/v1beta1/projects/p/locations/us-east1/publishers/google/models/m",
            ),
        ],
    )
    async def test_where_it_asks(self, options: dict[str, Any], address: str) -> None:
        seen: list[httpx2.Request] = []

        def answer(request: httpx2.Request) -> httpx2.Response:
            seen.append(request)
            return httpx2.Response(200, json=WHOLE)

        client = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
        provider = Gemini("m", http_client=client, **options)
        await provider.complete(ASK)
        assert [event async for event in provider.stream(ASK)] == [TextDelta("Hello"), ModelEnd("stop")]
        assert [str(request.url) for request in seen] == [
            f"{address}:generateContent",
            f"{address}:streamGenerateContent?alt=sse",
        ]

    pytestmark = pytest.mark.anyio


@pytest.mark.anyio
class TestCalls:
    async def test_a_stream(self) -> None:
        async with serving(ANSWER) as server, Gemini("m", base_url=server.url, api_key=KEY) as provider:
            assert [event async for event in provider.stream(ASK)] == HELLO
        (request,) = server.requests
        assert request.target == "/v1/models/m:streamGenerateContent?alt=sse"
        assert request.headers["x-goog-api-key"] == KEY
        assert "authorization" not in request.headers
        assert request.json() == {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}

    async def test_a_whole_reply(self) -> None:
        async with (
            serving(document(WHOLE)) as server,
            Gemini("m", base_url=server.url, thinking=0) as provider,
        ):
            assert await provider.complete(ASK) == ModelResponse("Hello")
        (request,) = server.requests
        assert request.target == "/v1/models/m:generateContent"
        assert "x-goog-api-key" not in request.headers
        assert request.json()["generationConfig"] == {"thinkingConfig": {"thinkingBudget": 0}}

    async def test_each_may_come_in_another_form(self) -> None:
        array = document(json.dumps([WHOLE]).encode())
        async with (
            serving(document(WHOLE), array, ANSWER) as server,
            Gemini("m", base_url=server.url) as provider,
        ):
            for _ in range(2):
                assert [event async for event in provider.stream(ASK)] == [
                    TextDelta("Hello"),
                    ModelEnd("stop"),
                ]
            assert await provider.complete(ASK) == ModelResponse("Hello", usage=Usage(1, 0, 2, 0, 3))

    async def test_what_the_address_asks_for_is_kept(self) -> None:
        async with (
            serving(ANSWER) as server,
            Gemini("m", base_url=f"{server.url}/?region=eu#x") as provider,
        ):
            await provider.complete(ASK)
            [_ async for _ in provider.stream(ASK)]
        assert [request.target for request in server.requests] == [
            "/v1/models/m:generateContent?region=eu",
            "/v1/models/m:streamGenerateContent?region=eu&alt=sse",
        ]

    async def test_a_call_that_went_wrong_is_asked_for_again(self) -> None:
        wrong = stream(wire.stream(record(finish="MALFORMED_FUNCTION_CALL", usage=tokens(1, 0))))
        right = stream(wire.stream(record(call("f", {"x": 1}, id="a"), finish="STOP")))
        async with serving(wrong, right) as server, Gemini("m", base_url=server.url) as provider:
            response = await provider.complete(ASK)
        assert response.tool_calls == (ToolCall("f", {"x": 1}, "a", provider_data={"gemini": {"id": "a"}}),)
        assert len(server.requests) == 2

    @pytest.mark.parametrize(
        "reply",
        [
            [head() + chunk(wire.stream(record(text("par")))), CLOSE],
            stream(wire.stream(record(text("par")))),
        ],
    )
    async def test_an_answer_that_breaks_off_fails_and_is_not_asked_for_again(self, reply: Reply) -> None:
        async with serving(reply) as server, Gemini("m", base_url=server.url) as provider:
            events = provider.stream(ASK)
            assert await anext(events) == TextDelta("par")
            with pytest.raises(ProviderError):
                await anext(events)
        assert len(server.requests) == 1

    async def test_closing_a_stream_hangs_up(self) -> None:
        reply: Reply = [head() + chunk(wire.stream(record(text("a")))), HOLD]
        async with serving(reply) as server, Gemini("m", base_url=server.url) as provider:
            events = provider.stream(ASK)
            assert await anext(events) == TextDelta("a")
            await events.aclose()
            await server.until(lambda: server.open == 0)

    async def test_a_refusal_says_what_it_is_and_shows_nothing(self) -> None:
        async with (
            serving(refusal(f"quota of {KEY}", 429, "RESOURCE_EXHAUSTED")) as server,
            Gemini("m", base_url=server.url, api_key=KEY, max_retries=0) as provider,
        ):
            with pytest.raises(ProviderError) as caught:
                await provider.complete(ASK)
        error = caught.value
        assert (error.status, error.code, error.retryable) == (429, "RESOURCE_EXHAUSTED", True)
        assert error.detail == "quota of [key]"
        assert "quota of" not in str(error)


@pytest.mark.anyio
class TestSignatures:
    MISSING = "Function call is missing a thought_signature in functionCall parts."

    def sent(self, request: Any) -> str | None:
        found: str | None = request.json()["contents"][1]["parts"][0].get("thoughtSignature")
        return found

    async def test_one_that_is_missing_is_filled_in_and_this_is_remembered(self) -> None:
        history = [CALLED[0], Message.assistant("", tool_calls=[ToolCall("f", {}, "a")]), CALLED[2]]
        async with (
            serving(refusal(self.MISSING), ANSWER) as server,
            Gemini("m", base_url=server.url, max_retries=0) as provider,
        ):
            assert (await provider.complete(ModelRequest(history))).content == "Hello"
            assert [event async for event in provider.stream(ModelRequest(history))] == HELLO
            await provider.complete(ModelRequest(CALLED))
        assert [self.sent(request) for request in server.requests] == [None, STAND_IN, STAND_IN, "s"]

    async def test_so_is_one_that_an_answer_misses(self) -> None:
        said = stream(wire.stream(record(finish="MISSING_THOUGHT_SIGNATURE")))
        async with serving(said, ANSWER) as server, Gemini("m", base_url=server.url) as provider:
            assert (await provider.complete(ASK)).content == "Hello"
        assert len(server.requests) == 2

    async def test_one_that_is_not_taken_is_replaced_for_this_once(self) -> None:
        async with (
            serving(refusal("Corrupted thought signature."), ANSWER) as server,
            Gemini("m", base_url=server.url, max_retries=0) as provider,
        ):
            await provider.complete(ModelRequest(CALLED))
            await provider.complete(ModelRequest(CALLED))
        assert [self.sent(request) for request in server.requests] == ["s", STAND_IN, "s"]

    async def test_it_ends_when_nothing_helps(self) -> None:
        async with (
            serving(refusal(self.MISSING)) as server,
            Gemini("m", base_url=server.url, max_retries=0) as provider,
        ):
            with pytest.raises(ProviderError) as caught:
                await provider.complete(ModelRequest(CALLED))
        assert caught.value.detail == self.MISSING
        assert [self.sent(request) for request in server.requests] == ["s", "s", STAND_IN]


@pytest.mark.anyio
class TestSchemas:
    ASK = ModelRequest(ASK.messages, output=OutputSchema("T", {"type": "object", "properties": {}}))

    async def test_one_that_is_refused_is_told_in_words_from_then_on(self) -> None:
        no = refusal("The specified schema produces a constraint that has too many states for serving.")
        async with (
            serving(no, ANSWER) as server,
            Gemini("m", base_url=server.url, max_retries=0) as provider,
        ):
            await provider.complete(self.ASK)
            await provider.complete(self.ASK)
        enforced = ["responseJsonSchema" in request.json()["generationConfig"] for request in server.requests]
        assert enforced == [True, False, False]
        assert "systemInstruction" in server.requests[1].json()

    @pytest.mark.parametrize(
        ("reply", "request_"),
        [
            (refusal("API key not valid."), ASK),
            (refusal("tools[0] has a bad schema"), ModelRequest([Message.user("hi")])),
            (refusal("schema", 403), ASK),
        ],
    )
    async def test_a_refusal_of_something_else_is_one(self, reply: Reply, request_: ModelRequest) -> None:
        async with serving(reply) as server, Gemini("m", base_url=server.url, max_retries=0) as provider:
            with pytest.raises(ProviderError):
                await provider.complete(request_)
        assert len(server.requests) == 1


@pytest.mark.anyio
class TestTokens:
    async def test_one_is_sent_as_it_is(self) -> None:
        vertex = Vertex("p", token="t")
        async with serving(ANSWER) as server, Gemini("m", base_url=server.url, vertex=vertex) as provider:
            assert [event async for event in provider.stream(ASK)] == HELLO
        (request,) = server.requests
        assert request.target == "/v1/publishers/google/models/m:streamGenerateContent?alt=sse"
        assert request.headers["authorization"] == "Bearer t"
        assert "x-goog-api-key" not in request.headers

    async def test_a_function_is_asked_for_each_call(self) -> None:
        tokens = iter("abc")

        async def token() -> str:
            return next(tokens)

        vertex = Vertex("p", token=token)
        async with serving(ANSWER) as server, Gemini("m", base_url=server.url, vertex=vertex) as provider:
            assert [event async for event in provider.stream(ASK)] == HELLO
            assert (await provider.complete(ASK)).content == "Hello"
        assert [request.headers["authorization"] for request in server.requests] == ["Bearer a", "Bearer b"]

    async def test_one_that_it_gives_is_kept_out_of_errors(self) -> None:
        vertex = Vertex("p", token=lambda: KEY)
        async with (
            serving(refusal(f"no {KEY}", 401, "UNAUTHENTICATED")) as server,
            Gemini("m", base_url=server.url, vertex=vertex) as provider,
        ):
            with pytest.raises(ProviderError) as caught:
                await provider.complete(ASK)
        assert caught.value.detail == "no [key]"

    async def test_without_one_nothing_is_asked(self) -> None:
        def token() -> str:
            raise OSError

        vertex = Vertex("p", token=token)
        async with serving(ANSWER) as server, Gemini("m", base_url=server.url, vertex=vertex) as provider:
            with pytest.raises(ProviderError, match="token"):
                await anext(provider.stream(ASK))
        assert server.requests == []

    async def test_closing_a_stream_hangs_up(self) -> None:
        reply: Reply = [head() + chunk(wire.stream(record(text("a")))), HOLD]
        vertex = Vertex("p", token=lambda: "t")
        async with serving(reply) as server, Gemini("m", base_url=server.url, vertex=vertex) as provider:
            events = provider.stream(ASK)
            assert await anext(events) == TextDelta("a")
            await events.aclose()
            await server.until(lambda: server.open == 0)


@pytest.mark.anyio
@pytest.mark.parametrize("library", [httpx, httpx2])
async def test_a_client_of_one_s_own_is_used_and_stays_open(
    library: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "other")
    headers = {"Authorization": "Bearer own", "X-Own": "1"}
    async with serving(ANSWER) as server, library.AsyncClient(headers=headers) as client:
        async with Gemini("m", base_url=server.url, http_client=client) as provider:
            assert [event async for event in provider.stream(ASK)] == HELLO
        assert not client.is_closed
    assert server.requests[0].headers["authorization"] == "Bearer own"
    assert server.requests[0].headers["x-own"] == "1"
    assert "x-goog-api-key" not in server.requests[0].headers
