"""What hides in the text of a server's answer, from the bytes to the turn."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from finalturn import Agent, AgentResult, StreamChunk, tool
from finalturn._core.markup import EVERY_TAG
from finalturn._core.messages import Message, Role
from finalturn._core.model import (
    Capabilities,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ModelSettings,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
    ToolSpec,
)
from finalturn._providers.openai_chat.answer import OpenAIChatAnswer, splitter_for
from finalturn._providers.openai_chat.profile import Profile
from finalturn._providers.openai_chat.profiles import ANY_SERVER, PROFILES, ProfileName
from finalturn.providers import Fallback, OpenAIChat, Scripted
from tests.providers._server import document, serving, stream
from tests.providers._wire import DONE, STOP, call, delta

LOOKUP = ToolSpec("lookup", "Look.", {"type": "object", "properties": {"order": {"type": "string"}}})
ASK = ModelRequest([Message.user("hi")], tools=[LOOKUP])
OWN: list[ProfileName | None] = [None, "llamacpp", "lmstudio", "ollama", "vllm"]
HERMES = '<tool_call>\n{"name": "lookup", "arguments": {"order": "17"}}\n</tool_call>'
QWEN = "<tool_call>\n<function=lookup>\n<parameter=order>\n17\n</parameter>\n</function>\n</tool_call>"
HARMONY = '<|channel|>commentary to=functions.lookup <|constrain|>json<|message|>{"order": "17"}<|call|>'
MISTRAL = '[TOOL_CALLS][{"name": "lookup", "arguments": {"order": "17"}}]'


@tool
def lookup(order: str) -> str:
    """Look an order up."""
    return f"order {order!r} is on its way"


def said(text: str, size: int = 3, finish: str = "stop") -> Sequence[Any]:
    """A stream that says the text in pieces."""
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return stream(b"".join(map(delta, pieces)) + delta(None, finish) + DONE)


@asynccontextmanager
async def asking(*replies: Sequence[Any], **options: Any) -> AsyncGenerator[tuple[Any, OpenAIChat], None]:
    """A server that says this, and a provider that asks it."""
    async with serving(*replies) as server, OpenAIChat("m", base_url=server.url, **options) as provider:
        yield server, provider


def bodies(server: Any) -> list[Any]:
    return [request.json() for request in server.requests]


@pytest.mark.anyio
class TestTurns:
    @pytest.mark.parametrize("profile", OWN)
    @pytest.mark.parametrize(
        "markup", [HERMES, QWEN, HARMONY, MISTRAL], ids=["hermes", "qwen", "gpt", "mistral"]
    )
    async def test_a_call_in_the_text_runs_and_is_not_shown(
        self, profile: ProfileName | None, markup: str
    ) -> None:
        async with asking(said(f"Let me look.\n{markup}"), said("It is on its way."), profile=profile) as (
            server,
            provider,
        ):
            agent = Agent(provider, tools=[lookup])
            items = [item async for item in agent.astream("Where is it?")]
        shown = "".join(item.content for item in items if isinstance(item, StreamChunk))
        assert shown.split() == ["Let", "me", "look.", "It", "is", "on", "its", "way."]
        result = items[-1]
        assert isinstance(result, AgentResult)
        (made,) = result.tool_calls
        assert (made.name, made.arguments, made.id, made.error) == ("lookup", {"order": "17"}, None, None)
        asked, told = [one for one in result.messages if one.tool_calls or one.role is Role.TOOL]
        assert (asked.content.strip(), told.tool_call_id) == ("Let me look.", None)
        assert told.tool_result == "order '17' is on its way"
        # It goes back as a native call, with an id that its result shares.
        messages = bodies(server)[1]["messages"]
        (sent,) = [message for message in messages if message.get("tool_calls")]
        (answer,) = [message for message in messages if message["role"] == "tool"]
        assert sent["tool_calls"][0]["function"]["name"] == "lookup"
        assert json.loads(sent["tool_calls"][0]["function"]["arguments"]) == {"order": "17"}
        assert sent["tool_calls"][0]["id"] == answer["tool_call_id"] != ""

    async def test_several_calls_are_paired_with_their_results_in_order(self) -> None:
        both = HERMES + HERMES.replace("17", "18")
        async with asking(said(both), said("Both.")) as (server, provider):
            agent = Agent(provider, tools=[lookup])
            result = await agent.arun("Where are they?")
        assert [one.tool_result for one in result.messages if one.role is Role.TOOL] == [
            *("order '17' is on its way", "order '18' is on its way")
        ]  # fmt: skip
        messages = bodies(server)[1]["messages"]
        ids = [call["id"] for message in messages for call in message.get("tool_calls", ())]
        assert [message["tool_call_id"] for message in messages if message["role"] == "tool"] == ids
        assert len(set(ids)) == 2

    async def test_one_that_cannot_run_is_an_error_for_the_model_and_nothing_for_a_person(self) -> None:
        broken = '<tool_call>{"name": "lookup", "arguments": SECRET}</tool_call>'
        unknown = '<tool_call>{"name": "nothing", "arguments": {}}</tool_call>'
        async with asking(said(broken), said(unknown), said("<tool_call>{"), said("Sorry.")) as (
            _server,
            provider,
        ):
            agent = Agent(provider, tools=[lookup])
            result = await agent.arun("Where is it?")
        assert result.text == "Sorry."
        told = [one for one in result.messages if one.role is Role.TOOL]
        assert [one.tool_result for one in told] == [None] * 3
        assert "malformed" in told[0].content and "nothing" in told[1].content and "cut" in told[2].content
        assert all("SECRET" not in one.content for one in told)

    async def test_quoted_code_is_shown_and_nothing_in_it_runs(self) -> None:
        text = f"A call looks so:\n```xml\n{HERMES}\n```\nand `{MISTRAL}` so."
        async with asking(said(text)) as (_server, provider):
            result = await Agent(provider, tools=[lookup]).arun("How?")
        assert (result.text, result.tool_calls) == (text, ())

    @pytest.mark.parametrize("profile", ["openai", "mistral", "deepseek", "openrouter"])
    async def test_a_vendor_s_text_is_prose(self, profile: ProfileName) -> None:
        text = f"Write <think> and {HERMES} so."
        async with asking(said(text), api_key="k", profile=profile) as (_server, provider):
            result = await Agent(provider, tools=[lookup]).arun("How?")
        assert (result.text, result.tool_calls) == (text, ())

    @pytest.mark.parametrize("profile", [*OWN, "groq", "together"])
    async def test_reasoning_is_apart_wherever_it_stands(self, profile: ProfileName | None) -> None:
        text = "<think>one</think>Yes.\n\n<think>\ntwo\n</think>\n\nIt is `<think>`.<think>three"
        async with asking(said(text), api_key="k", profile=profile) as (_server, provider):
            items = [item async for item in Agent(provider).astream("Is it?")]
        chunks = [item for item in items if isinstance(item, StreamChunk)]
        assert "".join(chunk.content for chunk in chunks) == "Yes.\n\nIt is `<think>`."
        assert "".join(chunk.reasoning for chunk in chunks) == "onetwo\nthree"

    @pytest.mark.parametrize("tag", EVERY_TAG, ids=[tag.open for tag in EVERY_TAG])
    async def test_every_tag_of_a_model(self, tag: Any) -> None:
        async with asking(said(f"{tag.open}hm{tag.closes[0]}Yes.")) as (_server, provider):
            response = await provider.complete(ModelRequest([Message.user("hi")]))
        assert (response.content, response.reasoning) == ("Yes.", "hm")

    @pytest.mark.parametrize("profile", [*OWN, "openai"])
    async def test_a_template_may_have_opened_the_tag(self, profile: ProfileName | None) -> None:
        async with asking(
            said("hm\n</think>\n\nYes."),
            said("<think>hm</think>Yes."),
            said("hm"),
            api_key="k",
            profile=profile,
            starts_in_reasoning=True,
        ) as (_server, provider):
            answers = [await provider.complete(ASK) for _ in range(3)]
        assert [(one.content, one.reasoning) for one in answers] == [
            ("Yes.", "hm\n"),
            ("Yes.", "hm"),
            ("", "hm"),
        ]

    async def test_unless_the_server_reads_reasoning_itself(self) -> None:
        answer = stream(delta(None, None, reasoning_content="hm") + delta("Yes.") + STOP + DONE)
        async with asking(answer, starts_in_reasoning=True) as (_server, provider):
            response = await provider.complete(ASK)
        assert (response.content, response.reasoning) == ("Yes.", "hm")

    async def test_calls_that_are_taught_are_read_whole_by_whoever_taught_them(self) -> None:
        block = '<tool_call>{"name": "lookup", "arguments": {"order": "<think>17</think>"}}</tool_call>'
        async with asking(
            said(f"<think>{block}</think>Look: {block}"),
            said("Done."),
            capabilities=Capabilities(native_tools=False),
        ) as (server, provider):
            result = await Agent(provider, tools=[lookup]).arun("Where is it?")
        assert [call.arguments for call in result.tool_calls] == [{"order": "<think>17</think>"}]
        assert "tools" not in bodies(server)[0]

    async def test_behind_a_fallback_each_provider_has_its_own_ways(self) -> None:
        async with asking(said(HERMES), said("Done.")) as (_server, provider):
            agent = Agent(Fallback(provider, Scripted()), tools=[lookup])
            result = await agent.arun("Where is it?")
        assert [call.id for call in result.tool_calls] == [None]
        agent = Agent(Fallback(Scripted(HERMES), provider), tools=[lookup])
        assert (await agent.arun("How?")).text == HERMES


@pytest.mark.anyio
class TestEvents:
    async def test_a_whole_reply_is_read_the_same(self) -> None:
        whole = {"choices": [{"message": {"content": f"Look. {HERMES}"}, "finish_reason": "stop"}]}
        async with asking(document(whole)) as (_server, provider):
            response = await provider.complete(ASK)
        assert response.content == "Look. "
        assert [(call.name, call.id) for call in response.tool_calls] == [("lookup", None)]

    async def test_it_is_one_event_that_says_where_it_is_from(self) -> None:
        async with asking(said(HERMES)) as (_server, provider):
            events = [event async for event in provider.stream(ASK)]
        made, end = events
        assert isinstance(made, ToolCallDelta) and isinstance(end, ModelEnd)
        assert made.from_text is not None
        assert (made.name, made.arguments) == ("lookup", '{"order": "17"}')

    async def test_a_native_call_beside_one_has_its_id(self) -> None:
        answer = stream(delta(HERMES) + call(0, "n1", "lookup", "{}") + delta(None, "tool_calls") + DONE)
        async with asking(answer) as (_server, provider):
            response = await provider.complete(ASK)
        assert [call.id for call in response.tool_calls] == [None, "n1"]

    async def test_what_was_thought_before_a_call_goes_back_with_the_first(self) -> None:
        both = f"<think>hm</think>{HERMES}{HERMES.replace('17', '18')}"
        async with asking(said(both), said("Done."), profile="llamacpp") as (server, provider):
            await Agent(provider, tools=[lookup]).arun("Where are they?")
        (asked,) = [one for one in bodies(server)[1]["messages"] if one.get("tool_calls")]
        assert asked["reasoning_content"] == "hm"
        assert len(asked["tool_calls"]) == 2

    async def test_without_tools_a_call_is_text(self) -> None:
        for request in (
            ModelRequest([Message.user("hi")]),
            ModelRequest([Message.user("hi")], tools=[LOOKUP], settings=ModelSettings(tool_choice="none")),
        ):
            async with asking(said(HERMES)) as (_server, provider):
                assert (await provider.complete(request)).content == HERMES


def test_prose_of_a_vendor_is_not_looked_at() -> None:
    for name in ("openai", "azure", "mistral", "deepseek", "openrouter"):
        assert splitter_for(ASK, PROFILES[name], native_tools=True, starts_inside=False) is None
        assert splitter_for(ASK, PROFILES[name], native_tools=False, starts_inside=False) is None


def test_a_profile_may_know_of_calls_and_of_no_tags() -> None:
    splitter = splitter_for(ASK, Profile(text_calls=True), native_tools=True, starts_inside=False)
    assert splitter is not None
    assert splitter.feed("<think>") == [TextDelta("<think>")]


def test_any_server_may_write_both() -> None:
    splitter = splitter_for(ASK, ANY_SERVER, native_tools=True, starts_inside=False)
    assert splitter is not None
    parts = splitter.feed(f"<think>hm</think>{HERMES}")
    assert [type(part).__name__ for part in parts] == ["ReasoningDelta", "ToolCall"]
    assert parts[0] == ReasoningDelta("hm")


@pytest.mark.parametrize("cut", [1, 3, 1000])
def test_what_is_taken_out_of_the_text_is_counted_once(cut: int) -> None:
    text = f"a<think>hm</think>b{HERMES}c"
    splitter = splitter_for(ASK, ANY_SERVER, native_tools=True, starts_inside=False)
    answer, events = OpenAIChatAnswer(ANY_SERVER, None, "m", splitter), list[ModelEvent]()
    for at in range(0, len(text), cut):
        piece = text[at : at + cut]
        before = answer.size
        answer.take({"choices": [{"index": 0, "delta": {"content": piece}}]}, events)
        assert answer.size == before + len(piece)
    events += answer.end()
    assert answer.size == len(text)
    assert [item.from_text is not None for item in events if isinstance(item, ToolCallDelta)] == [True]
