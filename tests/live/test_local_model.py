"""The real small model in the three formats that its server speaks.

What it says is its own affair; the shape of it is promised.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator

import pytest
from anyio import fail_after
from jsonschema import validate
from pydantic import TypeAdapter

from finalturn import StructuredOutputConfig
from finalturn._core.messages import Message
from finalturn._core.model import ModelEnd, ModelRequest, ModelSettings, OutputSchema
from finalturn._providers.http.provider import HttpProvider
from finalturn.local import LocalModel
from finalturn.providers import Anthropic, OpenAIChat, OpenAIResponses
from tests.live._asking import WEATHER, Report, collected, question, turn, watch

pytestmark = [pytest.mark.live, pytest.mark.anyio]

SECONDS = 60.0
ASK = "What is the capital of France?"
CALL = "What is the weather in Paris? Use the tool."
ONE_LINE = ModelSettings(max_tokens=60, temperature=0.0)
CUT = ModelSettings(max_tokens=4)


@pytest.fixture
def anyio_backend() -> str:
    # The mock servers are asked on both event loops; this one takes its time.
    return "asyncio"


@pytest.fixture(params=["chat", "responses", "anthropic"])
async def provider(request: pytest.FixtureRequest, model: LocalModel) -> AsyncGenerator[HttpProvider]:
    url, name = model.url, model.model
    made: dict[str, HttpProvider] = {
        "chat": OpenAIChat(name, base_url=url, profile="llamacpp", read_timeout=SECONDS),
        "responses": OpenAIResponses(name, base_url=url, read_timeout=SECONDS),
        "anthropic": Anthropic(name, base_url=url, read_timeout=SECONDS),
    }
    async with made[request.param] as found:
        yield found


async def test_text_streams_in_pieces_and_is_the_whole_reply(provider: HttpProvider) -> None:
    asked = question(ASK, settings=ONE_LINE)
    with fail_after(SECONDS):
        seen = await watch(provider, asked)
    with fail_after(SECONDS):
        whole = await provider.complete(asked)
    assert seen.failure is None
    assert len(seen.events) > 2
    assert seen.text == whole.content and seen.text.strip()
    end = seen.events[-1]
    assert isinstance(end, ModelEnd)
    assert end.finish_reason == whole.finish_reason
    for usage in (end.usage, whole.usage):
        assert usage is not None
        assert usage.input_tokens > 0 and usage.output_tokens > 0


async def test_an_answer_ends_at_its_limit(provider: HttpProvider) -> None:
    # In the Responses format this server calls every answer completed.
    cut = "stop" if isinstance(provider, OpenAIResponses) else "length"
    with fail_after(SECONDS):
        whole = await provider.complete(question("Tell me a long story.", settings=CUT))
    with fail_after(SECONDS):
        seen = await watch(provider, question("Tell me a long story.", settings=CUT))
    end = seen.events[-1]
    assert isinstance(end, ModelEnd)
    assert whole.finish_reason == end.finish_reason == cut
    assert whole.usage is not None and whole.usage.output_tokens == 4


async def test_a_tool_call(provider: HttpProvider) -> None:
    with fail_after(SECONDS):
        streamed = await collected(provider, CALL)
    with fail_after(SECONDS):
        whole = await provider.complete(question(CALL, WEATHER))
    for response in (streamed, whole):
        call = response.tool_calls[0]
        assert (call.name, call.error) == ("get_weather", None)
        assert [type(value) for value in call.arguments.values()] == [str]
        assert response.finish_reason == "tool_calls"


async def test_a_whole_turn_with_a_tool(provider: HttpProvider) -> None:
    with fail_after(SECONDS):
        shown, cities, result = await turn(provider, CALL, settings=ONE_LINE)
    assert cities and all(cities)
    assert shown == result.text
    assert result.model_calls >= 2
    assert result.usage.unreported_calls == 0


async def test_a_schema_shapes_an_answer_in_the_format_that_has_schemas(model: LocalModel) -> None:
    schema = TypeAdapter(Report).json_schema()
    asked = ModelRequest(
        [Message.user("How is the weather in Paris?")], output=OutputSchema("report", schema)
    )
    async with OpenAIChat(model.model, base_url=model.url, profile="llamacpp") as provider:
        with fail_after(SECONDS):
            seen = await watch(provider, asked)
        with fail_after(SECONDS):
            whole = await provider.complete(asked)
    assert seen.text == whole.content
    validate(json.loads(whole.content), schema)


async def test_a_turn_that_is_to_end_in_an_object(provider: HttpProvider) -> None:
    config = StructuredOutputConfig(final_turn_only=True, hold_json=True)
    with fail_after(SECONDS):
        shown, _, result = await turn(provider, CALL, config, settings=ONE_LINE)
    assert shown == result.text
    if isinstance(provider, OpenAIChat):
        assert isinstance(result.unwrap(), Report)
    else:
        # The schema is told in words, and so small a model may not keep to it.
        assert result.structured_status in ("ok", "validation_failed")
        assert isinstance(result.parsed, Report) is (result.structured_status == "ok")


async def test_a_conversation_that_is_too_long_is_refused(provider: HttpProvider) -> None:
    with fail_after(SECONDS):
        seen = await watch(provider, question("word " * 5000))
    assert seen.events == []
    assert seen.failure is not None
    assert (seen.failure.status, seen.failure.retryable) == (400, False)
