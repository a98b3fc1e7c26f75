"""What a turn with more than one call needs: schemas that are refused, thoughts that go back, an agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import BaseModel

from finalturn import Agent, StructuredOutputConfig, tool
from finalturn._core.errors import ProviderError
from finalturn._core.messages import Message, Role
from finalturn._core.model import ModelRequest, OutputSchema, ToolSpec
from finalturn._core.result import Usage
from finalturn.providers import Bedrock
from tests.providers._bedrock_asking import (
    ANSWER,
    ASK,
    EXPECTED,
    MODEL,
    TOKENS,
    local,
    refusal,
    stream,
    without_aws,
)
from tests.providers._bedrock_wire import START, call, finish, text, thought
from tests.providers._server import Reply, serving

SCHEMA = OutputSchema(
    "Answer", {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
)


@pytest.fixture(autouse=True)
def _no_aws(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without_aws(monkeypatch, tmp_path)


@pytest.mark.anyio
class TestSchemas:
    ASK = ModelRequest(ASK.messages, output=SCHEMA)
    REFUSED = refusal(
        "The model returned the following errors: output_config.format: Extra inputs are not permitted"
    )

    async def test_one_that_the_service_does_not_enforce_is_told_and_that_is_remembered(self) -> None:
        async with serving(self.REFUSED, ANSWER) as server, local(server.url, max_retries=0) as provider:
            for _ in range(2):
                assert [event async for event in provider.stream(self.ASK)] == EXPECTED
        bodies = [request.json() for request in server.requests]
        assert ["outputConfig" in body for body in bodies] == [True, False, False]
        assert ["JSON Schema" in str(body.get("system")) for body in bodies] == [False, True, True]

    @pytest.mark.parametrize(
        ("ask", "reply"),
        [(ASK, refusal("maxTokens is too large")), (ASK, refusal("schema", 500)), (None, REFUSED)],
    )
    async def test_any_other_refusal_is_one(self, ask: ModelRequest | None, reply: Reply) -> None:
        async with serving(reply) as server, local(server.url, max_retries=0) as provider:
            with pytest.raises(ProviderError):
                await provider.complete(ask or ASK)
        assert len(server.requests) == 1


THINKS = stream(START + thought(0, "hm") + call(1, "a", "look", "{}") + finish("tool_use"))
SIGNED = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "sig"}}}
LOOK = ToolSpec("look", "Look.", {})


@pytest.mark.anyio
class TestThoughts:
    async def conversation(self, provider: Bedrock) -> ModelRequest:
        """A turn in which the model has thought and called."""
        asked = await provider.complete(ModelRequest(ASK.messages, tools=[LOOK]))
        seen = Message(Role.TOOL, "ok", tool_name="look", tool_call_id="a", tool_result="ok")
        said = Message.assistant(asked.content, tool_calls=asked.tool_calls)
        return ModelRequest([*ASK.messages, said, seen], tools=[LOOK])

    async def test_they_go_back(self) -> None:
        async with serving(THINKS, ANSWER) as server, local(server.url) as provider:
            await provider.complete(await self.conversation(provider))
        content = server.requests[1].json()["messages"][1]["content"]
        assert content == [SIGNED, {"toolUse": {"toolUseId": "a", "name": "look", "input": {}}}]

    @pytest.mark.parametrize(("model", "path"), [("amazon.nova-lite-v1:0", ""), (MODEL, "/other")])
    async def test_not_to_another_model_or_place(self, model: str, path: str) -> None:
        async with (
            serving(THINKS, ANSWER) as server,
            local(server.url) as one,
            local(server.url + path, model=model) as other,
        ):
            await other.complete(await self.conversation(one))
        assert "reasoningContent" not in str(server.requests[1].json())

    @pytest.mark.parametrize(
        "words",
        [
            "messages.1.content.0: Invalid `signature` in `thinking` block",
            "reasoningContent is not supported",
        ],
    )
    async def test_where_they_are_refused_it_is_asked_without(self, words: str) -> None:
        async with (
            serving(THINKS, refusal(words), ANSWER) as server,
            local(server.url, max_retries=0) as provider,
        ):
            request = await self.conversation(provider)
            assert (await provider.complete(request)).content == "Hello"
        assert ["reasoningContent" in str(request.json()) for request in server.requests[1:]] == [True, False]


class Answer(BaseModel):
    a: int


def test_an_agent_thinks_calls_and_answers_in_a_typed_object() -> None:
    looked: list[str] = []

    @tool
    def look(where: str) -> str:
        """Look."""
        looked.append(where)
        return "seen"

    replies = [
        START
        + thought(0, "hm")
        + call(1, "a", "look", '{"where":', '"there"}')
        + finish("tool_use")
        + TOKENS,
        START + text(0, "I have looked.") + finish() + TOKENS,
        START + text(0, '{"a": 1}') + finish() + TOKENS,
    ]
    bodies: list[Any] = []

    def reply(request: httpx2.Request) -> httpx2.Response:
        bodies.append(request.content.decode())
        return httpx2.Response(200, content=replies[len(bodies) - 1])

    client = httpx2.AsyncClient(transport=httpx2.MockTransport(reply))
    agent = Agent(
        Bedrock(MODEL, region="eu-west-1", http_client=client),
        tools=[look],
        response_format=Answer,
        structured_output=StructuredOutputConfig(final_turn_only=True),
    )
    result = agent.run("Look there.")
    assert result.unwrap() == Answer(a=1)
    assert looked == ["there"]
    assert result.usage == Usage(3, 0, 6, 0, 9)
    assert "reasoningContent" in bodies[1]
    assert "toolConfig" not in bodies[2]
    assert "the tool look was called" in bodies[2]
