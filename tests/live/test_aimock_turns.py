"""Whole turns of an agent against aimock, with each provider."""

from __future__ import annotations

import pytest

from finalturn import StructuredOutputConfig
from finalturn._core.errors import ProviderError
from finalturn._core.model import Capabilities
from tests.live._asking import Report, turn
from tests.live._formats import OF_AIMOCK, Make, each

pytestmark = [pytest.mark.live, pytest.mark.anyio]

AT_THE_END = StructuredOutputConfig(final_turn_only=True, hold_json=True)
WET = "Rain in Oslo, and it will last until the evening."
OSLO = Report(city="Oslo", mild=True)


@each(OF_AIMOCK)
async def test_a_tool_is_run_and_its_result_becomes_prose(aimock_url: str, make: Make) -> None:
    async with make(aimock_url) as provider:
        shown, cities, result = await turn(provider, "weather")
    assert cities == ["Oslo"]
    assert shown == result.text == WET
    assert (result.model_calls, result.stop_reason) == (2, "completed")


@each(OF_AIMOCK)
async def test_two_calls_of_one_answer_are_run(aimock_url: str, make: Make) -> None:
    async with make(aimock_url) as provider:
        shown, cities, result = await turn(provider, "compare")
    assert sorted(cities) == ["Oslo", "Quito"]
    assert shown == result.text == "Both of them, then.Both are wet."
    assert result.model_calls == 2


@each(OF_AIMOCK)
@pytest.mark.parametrize("native", [True, False])
async def test_prose_and_then_the_object(aimock_url: str, make: Make, native: bool) -> None:
    can = Capabilities(native_schema=native)
    async with make(aimock_url, capabilities=can) as provider:
        shown, cities, result = await turn(provider, "weather", AT_THE_END)
    assert cities == ["Oslo"]
    assert shown == result.text == WET
    assert result.unwrap() == OSLO
    assert result.model_calls == 3


@each(OF_AIMOCK)
async def test_an_answer_that_is_the_object_already(aimock_url: str, make: Make) -> None:
    async with make(aimock_url) as provider:
        shown, cities, result = await turn(provider, "object", AT_THE_END)
    assert (shown, cities) == ("", [])
    assert result.unwrap() == OSLO
    assert result.model_calls == 1


@each(OF_AIMOCK)
async def test_thoughts_are_no_prose(aimock_url: str, make: Make) -> None:
    async with make(aimock_url) as provider:
        shown, _, result = await turn(provider, "think")
    assert shown == result.text == "Water the roses in the morning."


@each(OF_AIMOCK)
@pytest.mark.parametrize("asked", ["busy", "cut"])
async def test_a_failure_ends_the_turn(aimock_url: str, make: Make, asked: str) -> None:
    async with make(aimock_url, max_retries=0) as provider:
        with pytest.raises(ProviderError) as caught:
            await turn(provider, asked)
    assert caught.value.retryable
    assert caught.value.usage is not None
