"""Each provider against llmock: calls of each kind, streamed and whole, and whole turns."""

from __future__ import annotations

import pytest

from finalturn import StructuredOutputConfig
from finalturn._core.errors import ProviderError
from finalturn._core.model import Capabilities, ModelEnd
from tests.live._asking import WEATHER, Report, collected, question, turn, watch
from tests.live._formats import KEY, OF_LLMOCK, Make, each, name_of
from tests.live._judge import Judge

pytestmark = [pytest.mark.live, pytest.mark.anyio]

AT_THE_END = StructuredOutputConfig(final_turn_only=True, hold_json=True)


def reports_nothing(make: Make) -> bool:
    """It reports the tokens of a stream only where it is asked to, and the real Mistral cannot be asked."""
    return name_of(make) == "chat-mistral"


@each(OF_LLMOCK)
async def test_text(judge: Judge, make: Make) -> None:
    judge.reply("Two words and more.").reply("Two words and more.")
    async with make(judge.url) as provider:
        seen = await watch(provider, question("hello"))
        whole = await provider.complete(question("hello"))
    assert seen.text == whole.content == "Two words and more."
    assert len(seen.events) > 2
    end = seen.events[-1]
    assert isinstance(end, ModelEnd)
    assert end.finish_reason == whole.finish_reason == "stop"
    for usage in (end.usage, whole.usage):
        if usage is None and reports_nothing(make):
            continue
        assert usage is not None
        assert usage.input_tokens > 0 and usage.output_tokens > 0
        assert usage.total_tokens == usage.input_tokens + usage.output_tokens
    judge.assert_resilient(strict=True)


@each(OF_LLMOCK)
async def test_a_tool_call(judge: Judge, make: Make) -> None:
    async with make(judge.url) as provider:
        streamed = await collected(provider, "What is the weather in Oslo? Use get_weather.")
        whole = await provider.complete(question("What is the weather? Use get_weather.", WEATHER))
    for response in (streamed, whole):
        assert response.content == ""
        (call,) = response.tool_calls
        assert (call.name, call.error) == ("get_weather", None)
        assert [type(value) for value in call.arguments.values()] == [str]
        # Gemini has no reason of its own for it.
        assert response.finish_reason in ("tool_calls", "stop")
    judge.assert_resilient(strict=True)


@each(OF_LLMOCK)
async def test_an_error(judge: Judge, make: Make) -> None:
    judge.fail(429, times=2, message="Come back after lunch")
    async with make(judge.url, max_retries=0) as provider:
        seen = await watch(provider, question("hello"))
        with pytest.raises(ProviderError) as caught:
            await provider.complete(question("hello"))
    assert seen.events == []
    for failure in (seen.failure, caught.value):
        assert failure is not None
        assert (failure.status, failure.retryable) == (429, True)
        assert failure.detail == "Come back after lunch"
        assert "lunch" not in str(failure)
        assert KEY not in str(failure)


@each(OF_LLMOCK)
async def test_a_conversation_that_is_too_long_is_not_asked_again(judge: Judge, make: Make) -> None:
    judge.context_overflow()
    async with make(judge.url) as provider:
        with pytest.raises(ProviderError) as caught:
            await turn(provider, "hello")
    assert (caught.value.status, caught.value.retryable) == (400, False)
    assert len(judge.requests) == 1
    judge.assert_resilient(strict=True)


@each(OF_LLMOCK)
async def test_a_turn_with_a_tool(judge: Judge, make: Make) -> None:
    async with make(judge.url) as provider:
        shown, cities, result = await turn(provider, "What is the weather in Oslo? Use get_weather.")
    assert len(cities) == 1
    assert shown == result.text and shown
    assert (result.model_calls, result.stop_reason) == (2, "completed")
    assert (result.usage.unreported_calls == 0) is not reports_nothing(make)
    judge.assert_resilient(strict=True)


@each({name: make for name, make in OF_LLMOCK.items() if name != "anthropic"})
async def test_an_object_that_the_server_made_of_the_schema(judge: Judge, make: Make) -> None:
    # Of Anthropic, it knows only the former name of the field.
    can = Capabilities(native_schema=True)
    async with make(judge.url, capabilities=can) as provider:
        _, cities, result = await turn(provider, "What is the weather? Use get_weather.", AT_THE_END)
    assert len(cities) == 1
    assert isinstance(result.unwrap(), Report)
    assert result.model_calls == 3
    judge.assert_resilient(strict=True)


@each(OF_LLMOCK)
async def test_a_tool_and_prose_and_an_object(judge: Judge, make: Make) -> None:
    judge.call_tool("get_weather", {"city": "Oslo"}).reply("It rains in Oslo.")
    judge.reply('{"city": "Oslo", "mild": false}')
    async with make(judge.url) as provider:
        shown, cities, result = await turn(provider, "weather", AT_THE_END)
    assert cities == ["Oslo"]
    assert shown == result.text == "It rains in Oslo."
    assert result.unwrap() == Report(city="Oslo", mild=False)
    judge.assert_resilient(strict=True)
