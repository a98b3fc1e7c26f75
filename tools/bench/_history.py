"""What a long history costs a turn."""

from __future__ import annotations

from collections.abc import Sequence

from finalturn import Agent, Message, Role, ToolCall
from finalturn.providers import OpenAIChat, Scripted
from tools.bench._figure import Bound, Section, times
from tools.bench._raw import read_text
from tools.bench._rounds import Case, Cpu, Plan, in_rounds
from tools.bench._site import Site
from tools.bench._wire import prose
from tools.bench._work import AGAIN, AGENT, RAW, Work, measured

_BOUND = Bound(1.5, work="a turn on a history of 5,000 messages")

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


async def measure(plan: Plan, site: Site) -> Section:
    """A turn with a long history over HTTP."""
    url = site.url("prose", 1)
    agent = Agent(OpenAIChat("bench", base_url=url))
    messages = conversation(plan.history)
    wanted = (await agent.arun(messages)).content
    [body] = await site.bodies("prose", 1)

    async def raw_case() -> float:
        with Cpu() as cpu:
            text = await read_text(site.client, url, body)
        assert text == wanted, "the answer by hand is another"
        return cpu.seconds

    async def agent_case() -> float:
        with Cpu() as cpu:
            result = await agent.arun(messages)
        assert result.content == wanted, "the answer is another"
        return cpu.seconds

    note = (
        f"{plan.history} messages of some {len(_CONTENT)} characters before the question, and a short answer."
        " The raw loop encodes and sends the same body, from plain dicts."
    )
    cases = {
        RAW: raw_case,
        AGAIN: raw_case,
        AGENT: agent_case,
        **site.of_peers("history", "prose", 1, wanted, times=1, units=1, messages=body["messages"]),
    }
    return await measured(
        Work("history", "A turn with a long history", note, "ms", cases, {AGENT: _BOUND}), plan.rounds
    )


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
