"""A history that began with one vendor goes on with another, and then with the first again."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import anyio
import pytest

from finalturn import Agent, Message, ReasoningDelta, TextDelta, tool
from finalturn._providers.bedrock.families import family_of
from finalturn._providers.openai_chat.profiles import PROFILES
from finalturn._testing.conformance.answers import calls, says
from finalturn.providers import Anthropic, Bedrock, Gemini, OpenAIChat, OpenAIResponses
from finalturn.testing import ScriptedAnswer
from tests.providers import _history_rules_anthropic as anthropic_rules
from tests.providers import _history_rules_bedrock as bedrock_rules
from tests.providers import _history_rules_chat as chat_rules
from tests.providers import _history_rules_gemini as gemini_rules
from tests.providers import _history_rules_responses as responses_rules
from tests.providers.conformance import _anthropic_fake as anthropic_fake
from tests.providers.conformance import _bedrock_fake as bedrock_fake
from tests.providers.conformance import _gemini_fake as gemini_fake
from tests.providers.conformance import _responses_fake as responses_fake
from tests.providers.conformance._deepseek_fake import DeepSeekWire
from tests.providers.conformance._llamacpp_fake import LlamaCppWire
from tests.providers.conformance._mistral_fake import MistralWire
from tests.providers.conformance._vendor import Vendor, Wire

pytest.importorskip("botocore")

CLAUDE = "anthropic.claude-sonnet-4-5-20250929-v1:0"
THOUGHT = "Let me think."
KEY = "key"


class Side(NamedTuple):
    """A vendor.

    Attributes:
        mark: what it wants back with its own calls, and nobody else; ``""`` for nothing.
    """

    wire: Wire
    connect: Callable[[str], Any]
    problems: Callable[[dict[str, Any]], Any]
    mark: str = ""


def _chat(profile: Any, url: str) -> OpenAIChat:
    return OpenAIChat("any", base_url=f"{url}/v1", api_key=KEY, profile=profile, max_retries=0)


def _chat_side(profile: Any, wire: Wire) -> Side:
    rules = partial(chat_rules.problems, profile=PROFILES[profile])
    return Side(wire, partial(_chat, profile), rules)


def _responses(url: str) -> OpenAIResponses:
    return OpenAIResponses("gpt", base_url=f"{url}/v1", api_key=KEY, max_retries=0)


def _anthropic(url: str) -> Anthropic:
    return Anthropic("claude", base_url=f"{url}/v1", api_key=KEY, max_retries=0)


def _gemini(url: str) -> Gemini:
    return Gemini("gemini", base_url=f"{url}/v1beta", api_key=KEY, max_retries=0)


def _bedrock(url: str) -> Bedrock:
    return Bedrock(CLAUDE, region="eu-central-1", base_url=url, api_key=KEY, max_retries=0)


SIDES = {
    "mistral": _chat_side("mistral", MistralWire()),
    "deepseek": _chat_side("deepseek", DeepSeekWire()),
    "llamacpp": _chat_side("llamacpp", LlamaCppWire()),
    "responses": Side(
        responses_fake.ResponsesWire(),
        _responses,
        partial(responses_rules.problems, sealed=responses_fake.ENCRYPTED),
        responses_fake.ENCRYPTED,
    ),
    "anthropic": Side(
        anthropic_fake.AnthropicWire(),
        _anthropic,
        anthropic_rules.problems,
        anthropic_fake.SIGNATURE,
    ),
    "gemini": Side(
        gemini_fake.GeminiWire(ids=True),
        _gemini,
        gemini_rules.problems,
        gemini_fake.SIGNATURE,
    ),
    "bedrock": Side(
        bedrock_fake.BedrockWire(),
        _bedrock,
        partial(bedrock_rules.problems, family=family_of(CLAUDE)),
        bedrock_fake.SIGNATURE,
    ),
}
MARKS = {name: side.mark for name, side in SIDES.items() if side.mark}

# Ids are the same again in each turn, as some servers number them.
LOOKS = calls(("call_1", "look", '{"order": "A-1"}'), ("call_2", "look", '{"order": "B-2"}'))
THINKS = ScriptedAnswer((ReasoningDelta(THOUGHT), TextDelta("Wait. "), *LOOKS))
TURN = (THINKS, says("Seen."))


@tool
async def look(order: str) -> str:
    """Looks an order up."""
    if order == "B-2":
        raise ValueError("there is none")
    return f"{order} is sent"


async def play(agent: Agent[Any], history: list[Message]) -> list[Message]:
    result = await agent.arun([*history, Message.user("And now?")])
    assert (result.messages[-1].content, len(result.messages)) == ("Seen.", 5)
    return [*history, *result.messages]


@pytest.mark.parametrize("second", SIDES)
@pytest.mark.parametrize("first", SIDES)
def test_a_history_goes_on_with_anybody(first: str, second: str) -> None:
    one, two = SIDES[first], SIDES[second]

    async def main() -> None:
        with Vendor(one.wire, TURN * 2) as here, Vendor(two.wire, TURN) as there:
            async with one.connect(here.url) as begun, two.connect(there.url) as other:
                history: list[Message] = []
                for provider in (begun, other, begun):
                    history = await play(Agent(provider, tools=[look]), history)
        for side, vendor in ((one, here), (two, there)):
            for request in vendor.received:
                assert list(side.problems(json.loads(request.body))) == []
        if first != second:
            _expect_marks(first, [request.body for request in here.received])
            _expect_marks(second, [request.body for request in there.received])

    anyio.run(main)


def _expect_marks(name: str, bodies: list[str]) -> None:
    """What a vendor wants back comes back with its calls, and goes to nobody else."""
    for vendor, mark in MARKS.items():
        expected = [0, 1, 1, 2] if vendor == name else [0] * 4
        found = [body.count(mark) for body in bodies]
        assert found == expected[: len(bodies)], f"what goes to {name} of {vendor}: {found}"
