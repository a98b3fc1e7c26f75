"""Errors of every vendor, as HTTP errors and in the midst of an answer, and what comes of them."""

from __future__ import annotations

import json
from collections.abc import Callable

import anyio
import pytest

from finalturn import Agent
from finalturn._core.errors import ProviderError
from finalturn._core.messages import Message
from finalturn._core.model import ModelEnd, ModelEvent, ModelRequest, ModelResponse, TextDelta
from finalturn._providers.answers import ending as _ending
from finalturn._providers.http import transport as _transport
from finalturn.providers import Anthropic, OpenAIChat, OpenAIResponses
from tests.providers import _anthropic_wire as anthropic
from tests.providers import _bedrock_asking as bedrock
from tests.providers import _bedrock_wire as bedrock_wire
from tests.providers import _responses_wire as responses
from tests.providers._asking import ask_provider
from tests.providers._failing import KEY, VENDORS, Error, Vendor
from tests.providers._server import END, HOLD, Reply, chunk, document, head, serving, stream
from tests.providers._wire import DONE, delta, event, usage

ASK = ModelRequest([Message.user("hi")])

FILTERED: Error = {
    "message": "The response was filtered.",
    "code": "content_filter",
    "innererror": {"code": "ResponsibleAIPolicyViolation"},
}
UNREADABLE: Error = {"message": "Failed to call a function.", "type": "x", "failed_generation": "{"}
UPSTREAM: Error = {"code": 502, "message": "upstream"}


@pytest.fixture(autouse=True)
def _no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_transport, "FIRST_DELAY", 0.0)


@pytest.fixture(params=VENDORS)
def vendor(request: pytest.FixtureRequest) -> Vendor:
    return VENDORS[request.param]


@pytest.fixture(params=["over HTTP", "in the stream"])
def fails(request: pytest.FixtureRequest, vendor: Vendor) -> Callable[[int, Error], Reply]:
    """An answer that is an error."""

    def reply(status: int, error: Error) -> Reply:
        if request.param == "over HTTP":
            return document({"error": {"code": status, **error}}, status)
        kind = "application/vnd.amazon.eventstream" if vendor is VENDORS["bedrock"] else "text/event-stream"
        return [head(kind=kind) + chunk(vendor.told({"code": status, **error})) + b"0\r\n\r\n"]

    return reply


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long is waited before asking again, instead of waiting."""
    found: list[float] = []

    async def note(seconds: float, failure: ProviderError) -> None:
        found.append(seconds)

    monkeypatch.setattr(_transport, "_pause", note)
    return found


def text_of(events: list[ModelEvent]) -> str:
    return "".join(item.text for item in events if isinstance(item, TextDelta))


def retry_info(delay: object) -> Error:
    return {
        "message": "x",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}],
    }


# What an error says is read alike on every event loop, and the delays are not waited for.
on_asyncio = pytest.mark.parametrize("anyio_backend", ["asyncio"])


@pytest.mark.anyio
@on_asyncio
class TestComingBack:
    async def test_it_is_waited_as_long_as_the_record_says(
        self, vendor: Vendor, fails: Callable[[int, Error], Reply], pauses: list[float]
    ) -> None:
        for error, seconds in (
            (retry_info("2.5s"), 2.5),
            (retry_info({"seconds": "3", "nanos": 250000000}), 3.25),
            ({"message": "Please try again in 1.25s."}, 1.25),
        ):
            async with serving(fails(429, error), vendor.answer) as server:
                events, failure = await ask_provider(vendor.make(server.url))
            assert (text_of(events), failure) == ("ok", None)
            assert pauses.pop() == seconds
            assert pauses == []

    @pytest.mark.parametrize(
        ("error", "retryable", "seconds"),
        [
            (retry_info("61s"), True, 61.0),
            ({"message": "Please try again in 9m38s."}, True, 578.0),
            (
                {
                    "message": "x",
                    "details": [
                        {
                            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
                            "violations": [{"quotaId": "GenerateRequestsPerDayPerProject-FreeTier"}],
                        },
                        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "36s"},
                    ],
                },
                False,
                36.0,
            ),
        ],
    )
    async def test_it_is_not_waited_for_long(
        self,
        vendor: Vendor,
        fails: Callable[[int, Error], Reply],
        pauses: list[float],
        error: Error,
        retryable: bool,
        seconds: float,
    ) -> None:
        async with serving(fails(429, error)) as server:
            events, failure = await ask_provider(vendor.make(server.url))
            assert len(server.requests) == 1
        assert failure is not None
        assert (events, pauses) == ([], [])
        assert (failure.status, failure.retryable, failure.retry_after) == (429, retryable, seconds)

    async def test_a_header_comes_first(self, vendor: Vendor, pauses: list[float]) -> None:
        busy = document({"error": retry_info("9s")}, 429, "Retry-After: 4")
        async with serving(busy, vendor.answer) as server:
            await ask_provider(vendor.make(server.url))
        assert pauses == [4.0]


@pytest.mark.anyio
@on_asyncio
class TestRefusals:
    async def test_a_safety_filter_ends_the_answer(
        self, vendor: Vendor, fails: Callable[[int, Error], Reply]
    ) -> None:
        async with serving(fails(400, FILTERED)) as server:
            events, failure = await ask_provider(vendor.make(server.url))
            assert len(server.requests) == 1
            async with vendor.make(server.url) as provider:
                whole: ModelResponse = await provider.complete(ASK)
        assert (events, failure) == ([ModelEnd("refusal")], None)
        assert (whole.content, whole.finish_reason) == ("", "refusal")

    async def test_what_was_said_stays(self, vendor: Vendor) -> None:
        if vendor is VENDORS["bedrock"]:
            body = bedrock.stream(vendor.said + bedrock_wire.exception("validationException", **FILTERED))
        else:
            body = stream(vendor.said + vendor.told(FILTERED))
        async with serving(body) as server:
            events, failure = await ask_provider(vendor.make(server.url))
        assert failure is None
        assert text_of(events) == "par"
        assert isinstance(events[-1], ModelEnd) and events[-1].finish_reason == "refusal"

    async def test_the_turn_says_so(self, vendor: Vendor, fails: Callable[[int, Error], Reply]) -> None:
        async with serving(fails(400, FILTERED)) as server, vendor.make(server.url) as provider:
            result = await Agent(provider).arun("hi")
        assert result.stop_reason == "refused"
        assert result.text == ""


@pytest.mark.anyio
@on_asyncio
class TestWhatTheModelWrote:
    async def test_it_is_asked_again(
        self, vendor: Vendor, fails: Callable[[int, Error], Reply], pauses: list[float]
    ) -> None:
        async with serving(fails(400, UNREADABLE), fails(400, UNREADABLE), vendor.answer) as server:
            events, failure = await ask_provider(vendor.make(server.url))
        assert (text_of(events), failure, len(pauses)) == ("ok", None, 2)

    async def test_it_is_not_asked_for_ever(
        self, vendor: Vendor, fails: Callable[[int, Error], Reply]
    ) -> None:
        async with serving(fails(400, UNREADABLE)) as server:
            events, failure = await ask_provider(vendor.make(server.url))
            assert len(server.requests) == 3
        assert events == []
        assert failure is not None and failure.retryable
        assert "the model wrote" in str(failure)

    async def test_it_is_not_asked_again_once_something_was_shown(self, vendor: Vendor) -> None:
        told = vendor.told({"code": 400, **UNREADABLE})
        body = (
            bedrock.stream(vendor.said + told) if vendor is VENDORS["bedrock"] else stream(vendor.said + told)
        )
        async with serving(body) as server:
            events, failure = await ask_provider(vendor.make(server.url))
            assert len(server.requests) == 1
        assert text_of(events) == "par"
        assert failure is not None and failure.status == 400


@pytest.mark.anyio
@pytest.mark.parametrize(
    "reason",
    ["function_call_filter: MALFORMED_FUNCTION_CALL", "malformed_function_call", "malformed_tool_use"],
)
async def test_a_gateway_that_says_so_by_the_reason(reason: str) -> None:
    async with serving(stream(delta(None, reason) + DONE), VENDORS["chat"].answer) as server:
        assert text_of((await ask_provider(OpenAIChat("m", base_url=server.url, api_key=KEY)))[0]) == "ok"


@pytest.mark.anyio
class TestInTheMidst:
    """An error and the reason of a failure: in one record, in two, and in the other order."""

    @on_asyncio
    @pytest.mark.parametrize(
        "pieces",
        [
            event(
                {
                    "error": UPSTREAM,
                    "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}],
                }
            ),
            delta(None, "error") + event({"error": UPSTREAM}),
            delta(None, "error") + usage(prompt_tokens=3) + event({"error": UPSTREAM, "choices": []}),
            event({"error": UPSTREAM}) + delta(None, "error"),
            event({"choices": [{"index": 0, "delta": {}, "finish_reason": "error", "error": UPSTREAM}]}),
            event({"error": {**UPSTREAM, "code": "502"}}),
            event({"error": {"message": "upstream", "status": "502"}}),
            event([{"error": UPSTREAM}]),
            event({"code": 502, "message": "upstream", "object": "error"}),
            event(UPSTREAM),
            b"event: error\n" + event(UPSTREAM),
        ],
    )
    async def test_chat_completions(self, pieces: bytes) -> None:
        async with serving(stream(delta("par") + pieces + DONE)) as server:
            events, failure = await ask_provider(OpenAIChat("m", base_url=server.url, api_key=KEY))
        assert text_of(events) == "par"
        assert failure is not None
        assert (failure.status, failure.detail, failure.retryable) == (502, "upstream", True)

    async def test_the_reason_alone_is_a_failure_too(self) -> None:
        tokens = usage(prompt_tokens=3, completion_tokens=1)
        async with serving(stream(delta("par", "error") + tokens + DONE)) as server:
            _, failure = await ask_provider(OpenAIChat("m", base_url=server.url, api_key=KEY))
        assert failure is not None
        assert (failure.status, failure.retryable) == (None, True)
        assert failure.usage is not None and failure.usage.total_tokens == 4

    async def test_a_server_that_says_no_more_is_not_waited_for(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(_ending, "AFTER_MARK", 0.01)
        async with serving([head() + chunk(delta("par", "error")), HOLD]) as server:
            _, failure = await ask_provider(OpenAIChat("m", base_url=server.url, api_key=KEY))
        assert failure is not None and failure.retryable

    async def test_a_server_that_goes_on_talking_is_not_waited_for(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(_ending, "AFTER_MARK", 0.0)
        more = [chunk(delta("more"))] * 1000
        async with serving([head() + chunk(delta("par", "error")), *more, HOLD]) as server:
            _, failure = await ask_provider(OpenAIChat("m", base_url=server.url, api_key=KEY))
            await server.until(lambda: server.open == 0)
        assert failure is not None and failure.retryable

    async def test_a_server_that_says_why_is_not_read_on(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # The test would wait for ever, if it were.
        monkeypatch.setattr(_ending, "AFTER_MARK", float("inf"))
        why = chunk(delta("par", "error")) + chunk(event({"error": UPSTREAM}) + delta("more"))
        async with serving([head() + why, HOLD]) as server:
            with anyio.fail_after(20):
                events, failure = await ask_provider(OpenAIChat("m", base_url=server.url, api_key=KEY))
        assert text_of(events) == "par"
        assert failure is not None and failure.status == 502

    async def test_usage_and_the_reason_may_come_late(self) -> None:
        late = anyio.Event()
        rest = chunk(usage(prompt_tokens=3, completion_tokens=1) + event({"error": UPSTREAM})) + END
        async with (
            serving([head() + chunk(delta("par", "error")), late, rest]) as server,
            OpenAIChat("m", base_url=server.url, api_key=KEY) as provider,
        ):
            events = provider.stream(ASK)
            assert await anext(events) == TextDelta("par")
            late.set()
            with pytest.raises(ProviderError, match="502") as failed:
                await anext(events)
        assert failed.value.usage is not None and failed.value.usage.total_tokens == 4

    async def test_anthropic(self) -> None:
        error = anthropic.event({"type": "error", "error": {"type": "overloaded_error", "message": "x"}})
        stopped = anthropic.event({"type": "message_delta", "delta": {"stop_reason": "error"}})
        for pieces in (stopped + error, error + stopped):
            async with serving(stream(anthropic.start() + anthropic.text(0, "par") + pieces)) as server:
                _, failure = await ask_provider(Anthropic("m", base_url=server.url, api_key=KEY))
            assert failure is not None
            assert (failure.status, failure.code, failure.detail) == (529, "overloaded_error", "x")

    async def test_responses(self) -> None:
        failed = responses.event("response.failed", response={"status": "failed"})
        error = responses.event("error", code="rate_limit_exceeded", message="Please try again in 1s.")
        both = responses.event("response.output_text.delta", delta="", error={"code": 429, "message": "x"})
        for pieces in (error + failed, both):
            said = responses.event("response.output_text.delta", delta="par", item_id="i")
            async with serving(stream(said + pieces)) as server:
                _, failure = await ask_provider(OpenAIResponses("m", base_url=server.url, api_key=KEY))
            assert failure is not None and failure.status == 429

    async def test_bedrock(self) -> None:
        stopped = bedrock_wire.event("messageStop", {"stopReason": "malformed_tool_use"})
        error = bedrock_wire.exception("serviceUnavailableException", message="x")
        said = bedrock_wire.START + bedrock_wire.text(0, "par")
        for pieces in (stopped + error, error + stopped):
            async with serving(bedrock.stream(said + pieces)) as server:
                _, failure = await ask_provider(VENDORS["bedrock"].make(server.url))
            assert failure is not None
            assert (failure.status, failure.code) == (503, "serviceUnavailableException")

    async def test_a_document_that_is_an_error(self, vendor: Vendor) -> None:
        for record in ({"error": UPSTREAM}, [{"error": UPSTREAM}], {**UPSTREAM, "code": "502"}):
            if vendor is VENDORS["bedrock"] and isinstance(record, dict):
                continue  # Its documents have another form.
            async with serving(document(record)) as server:
                events, failure = await ask_provider(vendor.make(server.url))
            assert events == []
            assert failure is not None
            assert (failure.status, failure.detail) == (502, "upstream"), json.dumps(record)
