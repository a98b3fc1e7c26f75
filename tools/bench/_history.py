"""What a long history costs a turn."""

from __future__ import annotations

from collections.abc import Sequence

import httpx2

from finalturn import Agent, Message, Role, ToolCall
from finalturn.providers import OpenAIChat, Scripted
from tools.bench._figure import Section, ratio, times
from tools.bench._raw import read_text
from tools.bench._rounds import Case, Cpu, Plan, in_rounds
from tools.bench._serving import sent
from tools.bench._wire import prose

AIM = 1.5

_CONTENT = "".join(prose(45))
_EXCHANGE = (
    *(Message.user(_CONTENT), Message.assistant(_CONTENT)) * 3,
    Message.user(_CONTENT),
    Message.assistant("", tool_calls=[ToolCall("lookup_order", {"order_id": "A-1042"}, "call_1")]),
    Message(
        Role.TOOL, '{"status":"shipped"}', tool_name="lookup_order", tool_call_id="call_1", tool_result="{}"
    ),
    Message.assistant(_CONTENT),
)
_QUESTION = Message.user("And when will it be here?")


def conversation(length: int) -> tuple[Message, ...]:
    """So many messages, each an object of its own, and then a question."""
    history = [Message.from_dict(_EXCHANGE[at % len(_EXCHANGE)].to_dict()) for at in range(length)]
    return (*history, _QUESTION)


async def measure(plan: Plan, server: str, client: httpx2.AsyncClient) -> Section:
    """A turn with a long history over HTTP."""
    url = f"{server}/prose/1"
    agent = Agent(OpenAIChat("bench", base_url=url))
    messages = conversation(plan.history)
    wanted = (await agent.arun(messages)).content
    [body] = await sent(client, url)

    async def raw_case() -> float:
        with Cpu() as cpu:
            text = await read_text(client, url, body)
        assert text == wanted, "the answer by hand is another"
        return cpu.seconds

    async def agent_case() -> float:
        with Cpu() as cpu:
            result = await agent.arun(messages)
        assert result.content == wanted, "the answer is another"
        return cpu.seconds

    found = await in_rounds({"raw": raw_case, "again": raw_case, "agent": agent_case}, plan.rounds)
    raw, again, own = found["raw"], found["again"], found["agent"]
    note = (
        f"{plan.history} messages of some {len(_CONTENT)} characters before the question, and a short answer."
        " The raw loop encodes and sends the same body, from plain dicts."
    )
    figures = (
        times("raw httpx2", raw, "ms"),
        times("agent", own, "ms"),
        ratio("the same raw loop again (noise) / raw", again, raw),
        ratio("agent / raw", own, raw, aim=AIM),
    )
    return Section("history", "A turn with a long history", note, figures)


async def measure_own(plan: Plan) -> Section:
    """A turn with a history that no provider encodes: what the library itself does with it."""
    shortest, longest = 10, plan.history
    lengths = (shortest, max(longest // 5, shortest), longest)
    found = await in_rounds(
        {f"{length}": _turn_case(conversation(length), plan) for length in lengths}, plan.rounds
    )
    copying = await in_rounds({"copy": _copy_case(conversation(longest))}, plan.rounds)
    first, last = found[f"{shortest}"], found[f"{longest}"]
    growth = tuple((most - least) / (longest - shortest) for most, least in zip(last, first, strict=True))
    figures = (
        *(times(f"{length} messages", seconds, "µs") for length, seconds in found.items()),
        times("each further message", growth, "ns"),
        times("copying a list, for each message", copying["copy"], "ns"),
    )
    note = "A scripted provider, and one delta: reading the input, the machine, building the request."
    return Section("own", "The library's own cost of a turn, by the length of its history", note, figures)


def _turn_case(messages: Sequence[Message], plan: Plan) -> Case:
    agent = Agent(Scripted(then="Tomorrow."))

    async def case() -> float:
        with Cpu() as cpu:
            for _ in range(plan.turns):
                await agent.arun(messages)
        return cpu.seconds / plan.turns

    return case


def _copy_case(messages: Sequence[Message]) -> Case:
    async def case() -> float:
        with Cpu() as cpu:
            for _ in range(100):
                list(messages)
        return cpu.seconds / 100 / len(messages)

    return case
