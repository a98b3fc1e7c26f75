"""What is measured: pieces of work by hand, by the agent, and by whoever else can do them."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from pydantic_core import from_json, to_json

import finalturn
from finalturn import Agent, AgentResult, AgentStream, Message, Role, StructuredOutputConfig, Tool, ToolCall
from finalturn.providers import OpenAIChat
from tools.bench import peers
from tools.bench._measure import Bound, Case, Cpu, Plan, Section, Unit, in_rounds, ratio, times
from tools.bench._server import prose
from tools.bench._site import Site, read_by_hand
from tools.bench.peers import QUESTION, SYSTEM, Ticket

Work: TypeAlias = Callable[[], Awaitable[Any]]

RAW = "raw httpx2, its lines, JSON"
AGENT = "agent"
DELTAS = 40


lookup_order = finalturn.tool(peers.lookup_order)


def prose_agent(url: str) -> Agent[Ticket]:
    """An agent whose turn is one model call: it is never asked for the object."""
    config = StructuredOutputConfig(
        final_turn_only=True, hold_json=True, should_finalize=lambda messages, text: False
    )
    return Agent(OpenAIChat("bench", base_url=url), structured_output=config, response_format=Ticket)


async def read(stream: AgentStream[Ticket]) -> tuple[str, AgentResult[Ticket]]:
    """Read a turn as a program would that shows its text."""
    texts: list[str] = []
    async for item in stream:
        if isinstance(item, AgentResult):
            return "".join(texts), item
        if item.content:
            texts.append(item.content)
    raise AssertionError("a stream ends with its result")


def timed(work: Work, wanted: Any, *, count: int = 1, units: int = 1) -> Case:
    """Do the work so many times, see that it came to what is wanted, and divide the time by the units."""

    async def case() -> float:
        with Cpu() as cpu:
            results = [await work() for _ in range(count)]
        assert results == [wanted] * count, "the work came to something else"
        return cpu.seconds / units

    return case


async def beside_raw(
    section: Section,
    unit: Unit,
    raw: Case,
    agent: Case,
    others: dict[str, Case],
    bound: Bound,
    rounds: int,
) -> Section:
    """Measure the agent, the same by hand, and the other libraries: times first, then ratios."""
    found = await in_rounds({RAW: raw, AGENT: agent, **others}, rounds)
    figures = [times(name, seconds, unit) for name, seconds in found.items()]
    for name, seconds in found.items():
        more, less = (seconds, found[RAW]) if bound.side == "at most" else (found[RAW], seconds)
        what = f"{name} / raw" if bound.side == "at most" else f"raw / {name}"
        if name != RAW:
            figures.append(ratio(what, more, less, bound if name == AGENT else None))
    return replace(section, figures=tuple(figures))


# --- one model call ---------------------------------------------------------------------------------------


async def _text(
    site: Site,
    section: Section,
    bound: Bound,
    agent_of: Callable[[str], Agent[Any]],
    *,
    script: str = "prose",
    deltas: int = DELTAS,
    given: str | Sequence[Message] = QUESTION,
    count: int = 1,
    unit: Unit = "ms",
    rounds: int,
    **of_peers: Any,
) -> Section:
    """A turn that is one answer of text. Its time is over its turns, or over its deltas where in µs."""
    url = site.url(script, deltas)
    agent, wanted = agent_of(url), "".join(prose(deltas))
    units = deltas if unit == "µs" else count

    async def by_agent() -> str:
        return (await read(agent.astream(given)))[0]

    await by_agent()
    [body] = await site.bodies(url)

    async def by_hand() -> str:
        texts: list[str] = []
        await read_by_hand(site.client, url, body, texts.append)
        return "".join(texts)

    raw, own = (timed(work, wanted, count=count, units=units) for work in (by_hand, by_agent))
    if "messages" in of_peers:
        of_peers["messages"] = body["messages"]
    others = site.of_peers(section.slug, script, deltas, wanted, units=units, times=count, **of_peers)
    return await beside_raw(section, unit, raw, own, dict(others), bound, rounds)


async def burst(plan: Plan, site: Site) -> Section:
    """A text delta of a stream that the server writes at once."""
    note = (
        "The server writes the whole answer at once, each record as an HTTP chunk of its own; the kernel"
        f" hands it over in reads of up to 64 KiB. A whole turn of {plan.deltas} deltas, over its deltas."
    )
    section = Section("delta", "A text delta through the whole agent, in a burst", note, ())
    bound = Bound(1.1, "a text delta, in a burst, final_turn_only and hold_json")
    return await _text(site, section, bound, prose_agent, deltas=plan.deltas, unit="µs", rounds=plan.rounds)


async def paced(plan: Plan, site: Site) -> Section:
    """A text delta of a stream that comes as a model gives it."""
    note = (
        "The server writes a record every millisecond or so, and each is read on its own, as from a model."
        f" A whole turn of {plan.paced} deltas, over its deltas."
    )
    section = Section("paced", "A text delta through the whole agent, one by one", note, ())
    bound = Bound(1.1, "a text delta, one by one, final_turn_only and hold_json")
    more: dict[str, Any] = {"script": "paced", "deltas": plan.paced, "unit": "µs", "rounds": plan.rounds}
    return await _text(site, section, bound, prose_agent, **more)


async def history(plan: Plan, site: Site) -> Section:
    """A turn with a long history over HTTP."""
    note = (
        f"{plan.history} messages before the question, and a short answer. The raw loop encodes and sends the"
        " same body, from plain dicts."
    )
    section = Section("history", "A turn with a long history", note, ())
    bound = Bound(1.5, f"a turn on a history of {Plan().history:,} messages")
    given = conversation(plan.history)
    plain = lambda url: Agent(OpenAIChat("bench", base_url=url))  # noqa: E731
    return await _text(site, section, bound, plain, deltas=1, given=given, rounds=plan.rounds, messages=())


def conversation(length: int) -> list[Message]:
    """So many messages, each an object of its own, and then a question."""
    content = "".join(prose(45))
    call = ToolCall("lookup_order", {"order_id": "A-1042"}, "call_1")
    exchange = (
        *(Message.user(content), Message.assistant(content)) * 3,
        Message.user(content),
        Message.assistant("", tool_calls=[call]),
        Message(Role.TOOL, "{}", tool_name=call.name, tool_call_id=call.id, tool_result="{}"),
        Message.assistant(content),
    )
    earlier = [Message.from_dict(exchange[at % len(exchange)].to_dict()) for at in range(length)]
    return [*earlier, Message.user("And when will it be here?")]


async def tools(plan: Plan, site: Site) -> Section:
    """A turn whose request declares many tools."""
    note = f"{plan.tools} tools with four arguments each, and an answer of {DELTAS} deltas that calls none."
    section = Section("tools", "A turn with many tools", note, ())
    names = peers.many(plan.tools)
    many = [Tool(peers.search, name=name, description=text) for name, text in names]
    agent_of = lambda url: Agent(OpenAIChat("bench", base_url=url), tools=many)  # noqa: E731
    bound = Bound(1.3, f"a turn with {Plan().tools} tools")
    more: dict[str, Any] = {"count": plan.turns, "rounds": plan.rounds, "tools": plan.tools}
    return await _text(site, section, bound, agent_of, **more)


class _FirstText:
    """Is given each piece of text, and says how long the first one took."""

    seconds = 0.0

    def __init__(self) -> None:
        self._start = time.process_time()

    def __call__(self, text: str) -> None:
        self.seconds = self.seconds or time.process_time() - self._start


async def first(plan: Plan, site: Site) -> Section:
    """From the call to the first text; what follows is read, and not counted."""
    url = site.url("prose", DELTAS)
    agent = prose_agent(url)
    await agent.arun(QUESTION)
    [body] = await site.bodies(url)

    async def by_hand(show: Callable[[str], None]) -> None:
        await read_by_hand(site.client, url, body, show)

    async def by_agent(show: Callable[[str], None]) -> None:
        async for item in agent.astream(QUESTION):
            if item.content:
                show(item.content)

    def case(work: Callable[[Callable[[str], None]], Awaitable[None]]) -> Case:
        async def until_first() -> float:
            total = 0.0
            with Cpu():
                for _ in range(plan.turns):
                    clock = _FirstText()
                    await work(clock)
                    total += clock.seconds
            return total / plan.turns

        return until_first

    note = f"CPU time until the first text of an answer of {DELTAS} deltas, over a connection that stands."
    section = Section("first", "The first shown delta", note, ())
    bound = Bound(1.2, "time to the first shown delta")
    others = dict(site.of_peers("first", "prose", DELTAS, None, times=plan.turns, units=plan.turns))
    return await beside_raw(section, "ms", case(by_hand), case(by_agent), others, bound, plan.rounds)


# --- three model calls ------------------------------------------------------------------------------------


async def turn(plan: Plan, site: Site) -> Section:
    """Whole turns, one after the other."""
    url = site.url("turn", DELTAS)
    agent = Agent(
        OpenAIChat("bench", base_url=url),
        system_prompt=SYSTEM,
        tools=[lookup_order],
        structured_output=StructuredOutputConfig(final_turn_only=True, hold_json=True),
        response_format=Ticket,
    )

    async def by_agent() -> Ticket:
        return (await read(agent.astream(QUESTION)))[1].unwrap()

    wanted = await by_agent()
    bodies = await site.bodies(url)

    async def by_hand() -> Ticket:
        texts: list[list[str]] = [[], [], []]
        arguments: list[str] = []
        await read_by_hand(site.client, url, bodies[0], texts[0].append, arguments.append)
        to_json(await lookup_order(**from_json("".join(arguments))))
        for body, shown in zip(bodies[1:], texts[1:], strict=True):
            await read_by_hand(site.client, url, body, shown.append, arguments.append)
        return Ticket.model_validate_json("".join(texts[2]))

    note = (
        f"Three model calls: an async tool, {DELTAS} deltas of text, the object; final_turn_only, hold_json."
        f" {plan.turns} turns in a measurement."
    )
    section = Section("turn", "A whole turn", note, ())
    bound = Bound(1.5, "a whole turn: tool call, 40 deltas, structured answer")
    raw, own = (timed(work, wanted, count=plan.turns, units=plan.turns) for work in (by_hand, by_agent))
    others = site.of_peers("turn", "turn", DELTAS, wanted.model_dump(), times=plan.turns, units=plan.turns)
    return await beside_raw(section, "ms", raw, own, dict(others), bound, plan.rounds)
