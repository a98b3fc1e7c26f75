"""Each provider against aimock: one call of each kind, streamed and whole."""

from __future__ import annotations

import pytest

from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelEnd, ReasoningDelta
from tests.live._asking import WEATHER, collected, question, watch
from tests.live._formats import KEY, OF_AIMOCK, Make, each

pytestmark = [pytest.mark.live, pytest.mark.anyio]

# It says what the fixtures tell it to say.
HELLO = "Good morning, and what a fine day for it."
OBJECT = '{"city": "Oslo", "mild": true}'


@each(OF_AIMOCK)
@pytest.mark.parametrize(("asked", "said"), [("hello", HELLO), ("object", OBJECT)])
async def test_text(aimock_url: str, make: Make, asked: str, said: str) -> None:
    async with make(aimock_url) as provider:
        seen = await watch(provider, question(asked))
        whole = await provider.complete(question(asked))
    assert seen.failure is None
    assert seen.text == whole.content == said
    assert len(seen.events) > 2
    end = seen.events[-1]
    assert isinstance(end, ModelEnd)
    assert end.finish_reason == whole.finish_reason == "stop"
    assert whole.tool_calls == ()


@each(OF_AIMOCK)
async def test_a_tool_call(aimock_url: str, make: Make) -> None:
    async with make(aimock_url) as provider:
        streamed = await collected(provider, "weather")
        whole = await provider.complete(question("weather", WEATHER))
    for response in (streamed, whole):
        assert response.content == ""
        (call,) = response.tool_calls
        assert (call.name, call.arguments, call.error) == ("get_weather", {"city": "Oslo"}, None)
        assert response.finish_reason == "tool_calls"


@each(OF_AIMOCK)
async def test_calls_beside_text(aimock_url: str, make: Make) -> None:
    async with make(aimock_url) as provider:
        streamed = await collected(provider, "compare")
        whole = await provider.complete(question("compare", WEATHER))
    for response in (streamed, whole):
        assert response.content == "Both of them, then."
        assert [call.arguments for call in response.tool_calls] == [{"city": "Oslo"}, {"city": "Quito"}]
        assert len({call.id for call in response.tool_calls}) == 2


@each(OF_AIMOCK)
async def test_thoughts(aimock_url: str, make: Make) -> None:
    async with make(aimock_url) as provider:
        seen = await watch(provider, question("think"))
        whole = await provider.complete(question("think"))
    thoughts = "".join(event.text for event in seen.events if isinstance(event, ReasoningDelta))
    assert thoughts == whole.reasoning == "Rivers first, then the sea."
    assert seen.text == whole.content == "Water the roses in the morning."


@each(OF_AIMOCK)
async def test_an_error(aimock_url: str, make: Make) -> None:
    async with make(aimock_url, max_retries=0) as provider:
        seen = await watch(provider, question("busy"))
        with pytest.raises(ProviderError) as caught:
            await provider.complete(question("busy"))
    assert seen.events == []
    for failure in (seen.failure, caught.value):
        assert failure is not None
        assert (failure.status, failure.retryable) == (429, True)
        assert failure.detail == "Come back after lunch"
        assert "lunch" not in str(failure)
        assert KEY not in str(failure)


@each(OF_AIMOCK)
async def test_a_stream_that_is_cut_after_text_was_shown(aimock_url: str, make: Make) -> None:
    async with make(aimock_url) as provider:
        seen = await watch(provider, question("cut"))
        whole = await provider.complete(question("cut"))
    assert seen.failure is not None and seen.failure.retryable
    assert seen.text and seen.text != whole.content
    assert whole.content.startswith(seen.text)
    assert not any(isinstance(event, ModelEnd) for event in seen.events)
    # It cuts streams alone.
    assert whole.finish_reason == "stop"
