"""The provider as it is set up, and one call of each kind."""

from __future__ import annotations

import logging
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest

from finalturn._core.errors import ConfigurationError, ProviderError
from finalturn._core.model import (
    Capabilities,
    ModelRequest,
    ModelResponse,
    ModelSettings,
    TextDelta,
)
from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._core.result import Usage
from finalturn._providers.bedrock import provider as _bedrock
from finalturn._providers.bedrock.aws import part_of_botocore
from finalturn.providers import Bedrock
from tests.providers._bedrock_asking import (
    ANSWER,
    ARN,
    ASK,
    EXPECTED,
    KEY,
    MODEL,
    WHOLE,
    local,
    refusal,
    stream,
    without_aws,
)
from tests.providers._bedrock_signature import is_signed, scope
from tests.providers._bedrock_wire import START, exception, finish, text
from tests.providers._server import HOLD, chunk, document, head, serving


@pytest.fixture(autouse=True)
def _no_aws(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without_aws(monkeypatch, tmp_path)


class TestSetUp:
    def test_it_needs_a_region_and_says_how_to_give_it(self) -> None:
        with pytest.raises(ConfigurationError, match="AWS_REGION"):
            Bedrock(MODEL)
        with pytest.raises(ConfigurationError, match="AWS_REGION"):
            Bedrock(MODEL, api_key=KEY)
        with pytest.raises(ConfigurationError, match="AWS_REGION"):
            Bedrock(MODEL, base_url="http://x")

    def test_none_where_there_is_an_address_and_nothing_to_sign(self) -> None:
        Bedrock(MODEL, base_url="http://x", api_key=KEY)
        Bedrock(MODEL, base_url="http://x", http_client=httpx2.AsyncClient(verify=False, auth=("a", "b")))

    def test_it_needs_its_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def missing() -> None:
            raise ConfigurationError("pip install finalturn[bedrock]")

        monkeypatch.setattr(_bedrock, "need_botocore", missing)
        with pytest.raises(ConfigurationError, match=r"\[bedrock\]"):
            Bedrock(MODEL, region="eu-west-1", api_key=KEY)

    def test_what_cannot_be_is_refused(self) -> None:
        with pytest.raises(ConfigurationError, match="base_url"):
            local("127.0.0.1:8080")
        with pytest.raises(ConfigurationError, match="model"):
            local("http://x", model="")
        with pytest.raises(ConfigurationError, match="api_key"):
            local("http://x", api_key="two words")

    def test_capabilities_are_those_of_the_model_or_given(self) -> None:
        assert Bedrock(MODEL, region="eu-west-1").capabilities == Capabilities(images=True)
        assert Bedrock(ARN, region="eu-west-1").capabilities == Capabilities()
        given = Capabilities(native_schema=True)
        assert Bedrock(MODEL, region="eu-west-1", capabilities=given).capabilities is given

    def test_there_is_no_seed(self) -> None:
        provider = Bedrock(MODEL, region="eu-west-1")
        assert provider.unsupported_settings == {"seed"}
        with pytest.raises(ConfigurationError, match="seed"):
            provider.stream(ModelRequest(ASK.messages, settings=ModelSettings(seed=1)))

    def test_it_is_what_an_agent_takes(self) -> None:
        provider = Bedrock(MODEL, region="eu-west-1")
        assert isinstance(provider, Provider)
        assert isinstance(provider, StreamingProvider)

    def test_nothing_of_the_key_or_the_address_is_shown(self) -> None:
        assert repr(local(f"http://me:{KEY}@x", api_key=KEY)) == f"Bedrock({MODEL!r})"


@pytest.mark.anyio
class TestCalls:
    async def test_a_stream(self) -> None:
        async with serving(ANSWER) as server, local(server.url, api_key=KEY) as provider:
            assert [event async for event in provider.stream(ASK)] == EXPECTED
        (request,) = server.requests
        assert request.target == "/v1/model/amazon.nova-pro-v1%3A0/converse-stream"
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert request.headers["accept"].startswith("application/vnd.amazon.eventstream")
        assert request.headers["content-type"] == "application/json"
        assert request.json() == {"messages": [{"role": "user", "content": [{"text": "hi"}]}]}

    async def test_a_whole_reply(self) -> None:
        async with serving(document(WHOLE)) as server, local(server.url, model=ARN, api_key=KEY) as provider:
            assert await provider.complete(ASK) == ModelResponse("Hello", usage=Usage(1, 0, 2, 0, 3))
        (request,) = server.requests
        assert request.target == f"/v1/model/{ARN.replace(':', '%3A').replace('/', '%2F')}/converse"
        assert request.headers["accept"] == "application/json"

    @pytest.mark.parametrize("model", [MODEL, ARN])
    async def test_it_asks_where_the_vendor_s_client_asks(self, model: str) -> None:
        theirs: list[str] = []

        def sent(request: Any, **_: Any) -> None:
            theirs.append(request.url)
            raise ConnectionAbortedError

        client = part_of_botocore("session").Session().create_client("bedrock-runtime", "eu-west-1")
        client.meta.events.register("before-send", sent)
        with pytest.raises(ConnectionAbortedError):
            client.converse(modelId=model)
        ours: list[httpx2.URL] = []

        def reply(request: httpx2.Request) -> httpx2.Response:
            ours.append(request.url)
            return httpx2.Response(200, json=WHOLE)

        async with httpx2.AsyncClient(transport=httpx2.MockTransport(reply)) as own:
            await Bedrock(model, region="eu-west-1", http_client=own).complete(ASK)
        assert [str(url) for url in ours] == theirs

    async def test_each_may_come_in_the_other_s_form(self) -> None:
        async with serving(document(WHOLE), ANSWER) as server, local(server.url, api_key=KEY) as provider:
            assert [event async for event in provider.stream(ASK)] == [TextDelta("Hello"), EXPECTED[-1]]
            assert (await provider.complete(ASK)).content == "Hello"

    async def test_what_the_model_takes_beyond_the_api(self) -> None:
        async with serving(ANSWER) as server, local(server.url, api_key=KEY, fields={"top_k": 5}) as provider:
            await provider.complete(ASK)
        assert server.requests[0].json()["additionalModelRequestFields"] == {"top_k": 5}

    @pytest.mark.parametrize("module", [httpx, httpx2])
    async def test_the_user_s_own_client(self, module: Any) -> None:
        async with serving(ANSWER) as server, module.AsyncClient(headers={"X-Own": "1"}) as client:
            provider = local(server.url, http_client=client)
            assert (await provider.complete(ASK)).content == "Hello"
        (request,) = server.requests
        assert request.headers["x-own"] == "1"
        assert is_signed(request.target, request.headers, request.body, KEY)

    async def test_closing_it_frees_the_connection(self) -> None:
        begun = head(200, "application/vnd.amazon.eventstream") + chunk(START + text(0, "Hel"))
        async with serving([begun, HOLD]) as server, local(server.url, api_key=KEY) as provider:
            events = provider.stream(ASK)
            assert await anext(events) == TextDelta("Hel")
            await events.aclose()
            await server.until(lambda: server.open == 0)


@pytest.mark.anyio
class TestAccess:
    @pytest.mark.parametrize("model", [MODEL, ARN])
    @pytest.mark.parametrize("token", [None, "token-SENTINEL"])
    async def test_a_request_is_signed(
        self, model: str, token: str | None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if token is not None:
            monkeypatch.setenv("AWS_SESSION_TOKEN", token)
        async with serving(ANSWER) as server, local(f"{server.url}?a=1&b=", model=model) as provider:
            assert [event async for event in provider.stream(ASK)] == EXPECTED
        (request,) = server.requests
        assert request.headers.get("x-amz-security-token") == token
        assert scope(request.headers) == ("AKIDEXAMPLE", "eu-west-1", "bedrock")
        assert is_signed(request.target, request.headers, request.body, KEY)

    async def test_anew_for_each_attempt(self, monkeypatch: pytest.MonkeyPatch) -> None:
        times = iter([datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), datetime(2026, 1, 2, 3, 14, 5, tzinfo=UTC)])
        monkeypatch.setattr(part_of_botocore("auth"), "get_current_datetime", lambda: next(times))
        busy = refusal("slow down", 429, "ThrottlingException")
        async with serving(busy, ANSWER) as server, local(server.url) as provider:
            assert [event async for event in provider.stream(ASK)] == EXPECTED
        first, second = server.requests
        assert first.headers["x-amz-date"] == "20260102T030405Z"
        assert second.headers["x-amz-date"] == "20260102T031405Z"
        for request in (first, second):
            assert is_signed(request.target, request.headers, request.body, KEY)

    async def test_with_the_credentials_of_the_session_that_is_given(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "bearer")
        session = part_of_botocore("session").Session()
        session.set_config_variable("region", "ap-south-1")
        session.set_credentials("AKIDOTHER", "other")
        async with (
            serving(ANSWER) as server,
            Bedrock(MODEL, base_url=server.url, aws_session=session) as provider,
        ):
            await provider.complete(ASK)
        (request,) = server.requests
        assert scope(request.headers) == ("AKIDOTHER", "ap-south-1", "bedrock")
        assert is_signed(request.target, request.headers, request.body, "other")

    async def test_not_where_the_client_authenticates(self) -> None:
        async with serving(ANSWER) as server, httpx2.AsyncClient(verify=False, auth=("a", "b")) as client:
            await local(server.url, http_client=client).complete(ASK)
        assert server.requests[0].headers["authorization"].startswith("Basic ")

    async def test_a_key_goes_before_credentials_but_not_to_another_server(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "bearer-SENTINEL")
        seen: list[httpx2.Request] = []

        def reply(request: httpx2.Request) -> httpx2.Response:
            seen.append(request)
            return httpx2.Response(200, json=WHOLE)

        async with httpx2.AsyncClient(transport=httpx2.MockTransport(reply)) as client:
            await Bedrock(MODEL, region="eu-west-1", http_client=client).complete(ASK)
            await local("http://other.example", http_client=client).complete(ASK)
        first, second = seen
        assert (
            first.url
            == f"https://bedrock-runtime.eu-west-1.amazonaws.com/model/{MODEL.replace(':', '%3A')}/converse"
        )
        assert first.headers["authorization"] == "Bearer bearer-SENTINEL"
        assert second.headers["authorization"].startswith("AWS4-HMAC-SHA256 ")

    async def test_without_credentials_nothing_is_asked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        async with serving(ANSWER) as server, local(server.url) as provider:
            with pytest.raises(ConfigurationError, match="AWS_ACCESS_KEY_ID"):
                await provider.complete(ASK)
        assert server.requests == []


@pytest.mark.anyio
class TestErrors:
    @pytest.mark.parametrize("token", [None, "token-SENTINEL"])
    async def test_what_a_refusal_says_is_only_in_its_detail_and_no_secret_is(
        self, token: str | None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG, "finalturn")
        if token is not None:
            monkeypatch.setenv("AWS_SESSION_TOKEN", token)
        secret = token or KEY
        async with (
            serving(refusal(f"The canonical string is {secret}", 403, "InvalidSignatureException")) as server,
            local(server.url) as provider,
        ):
            with pytest.raises(ProviderError) as caught:
                await provider.complete(ASK)
        error = caught.value
        assert (error.status, error.code, error.retryable) == (403, "InvalidSignatureException", False)
        assert error.detail == "The canonical string is [key]"
        shown = [str(error), repr(error), "".join(traceback.format_exception(error)), str(vars(error))]
        shown += [record.getMessage() for record in caplog.records]
        assert not [words for words in shown if "SENTINEL" in words]

    async def test_an_exception_in_a_stream_is_asked_again_while_nothing_is_given_out(self) -> None:
        failed = stream(START + exception("modelStreamErrorException", message="x"))
        async with serving(failed, ANSWER) as server, local(server.url) as provider:
            assert [event async for event in provider.stream(ASK)] == EXPECTED

    async def test_an_exception_after_something_was_given_out_is_not_asked_again(self) -> None:
        failed = stream(START + text(0, "Hel") + exception("throttlingException", message="x"))
        async with serving(failed, ANSWER) as server, local(server.url) as provider:
            with pytest.raises(ProviderError) as caught:
                await provider.complete(ASK)
        assert (caught.value.code, caught.value.status) == ("throttlingException", 429)
        assert len(server.requests) == 1

    async def test_a_stream_that_arrives_damaged_is_asked_for_again(self) -> None:
        damaged = stream(START + text(0, "Hello").replace(b"Hello", b"Jello") + finish())
        async with serving(damaged, ANSWER) as server, local(server.url) as provider:
            assert [event async for event in provider.stream(ASK)] == EXPECTED
