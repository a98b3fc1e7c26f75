"""What is measured: pieces of work by hand, by the agent, and by whoever else can do them."""

from __future__ import annotations

import asyncio
import gc
import time
import tracemalloc
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any, TypeAlias

import httpx2
from pydantic import BaseModel, Field
from pydantic_core import from_json, to_json

import finalturn
from finalturn import Agent, AgentResult, AgentStream, Message, Role, StructuredOutputConfig, Tool, ToolCall
from finalturn.providers import OpenAIChat
from tools.bench._measure import Bound, Case, Cpu, Figure, Plan, Section, Unit, in_rounds, ratio, times
from tools.bench._server import prose
from tools.bench._site import Site, read_by_hand

Work: TypeAlias = Callable[[], Awaitable[Any]]

RAW = "raw httpx2, its lines, JSON"
AGAIN = "the same raw loop again (noise)"
AGENT = "agent"
QUESTION = "Where is my order A-1042?"
DELTAS = 40


class Ticket(BaseModel):
    """What a turn ends with."""

    topic: str
    urgent: bool
    days: int


@finalturn.tool
async def lookup_order(order_id: str) -> dict[str, object]:
    """Look up an order."""
    return {"order_id": order_id, "status": "shipped", "weight": 3.2}


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
    """Measure the agent, the same by hand, twice, and the other libraries: times first, then ratios."""
    found = await in_rounds({RAW: raw, AGAIN: raw, AGENT: agent, **others}, rounds)
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


async def search(
    query: Annotated[str, Field(description="What to look for, in a few words.")],
    limit: Annotated[int, Field(description="The most results.", ge=1, le=50)] = 10,
    regions: Annotated[list[str] | None, Field(description="Only in these regions.")] = None,
    exact: bool = False,
) -> list[dict[str, Any]]:
    """Search a part of the shop.

    Args:
        query: what to look for.
        limit: the most results.
        regions: only in these regions.
        exact: take the words as they are.
    """
    return []


async def tools(plan: Plan, site: Site) -> Section:
    """A turn whose request declares many tools."""
    note = f"{plan.tools} tools with four arguments each, and an answer of {DELTAS} deltas that calls none."
    section = Section("tools", "A turn with many tools", note, ())
    names = [(f"search_{at}", f"Search part {at} of the shop, newest first.") for at in range(plan.tools)]
    many = [Tool(search, name=name, description=text) for name, text in names]
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


# --- whole turns, many streams, a long conversation -------------------------------------------------------


async def turn(plan: Plan, site: Site) -> Section:
    """Whole turns, one after the other."""
    url = site.url("turn", DELTAS)
    agent = Agent(
        OpenAIChat("bench", base_url=url),
        system_prompt="You are the support desk of a shop. Be brief and kind.",
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


async def streams(plan: Plan, site: Site) -> Section:
    """All streams are open at once, and each is written record by record."""
    count, deltas = plan.streams
    url, wanted, units = site.url("woven", deltas), "".join(prose(deltas)), count * deltas
    agent = prose_agent(url)

    async def by_agent() -> str:
        return (await read(agent.astream(QUESTION)))[0]

    await by_agent()
    [body] = await site.bodies(url)
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=count)
    async with httpx2.AsyncClient(limits=limits, timeout=60) as client:

        async def by_hand() -> str:
            texts: list[str] = []
            await read_by_hand(client, url, body, texts.append)
            return "".join(texts)

        def case(work: Callable[[], Awaitable[str]]) -> Case:
            return timed(
                lambda: asyncio.gather(*(work() for _ in range(count))), [wanted] * count, units=units
            )

        own = case(by_agent)
        others = dict(site.of_peers("streams", "woven", deltas, wanted, units=units, streams=count))
        note = f"{count} streams of {deltas} deltas, over the deltas of all."
        section = Section("streams", "Many streams at once", note, ())
        at_once = "{} concurrent streams of {} deltas".format(*Plan().streams)
        bound = Bound(0.8, f"{at_once}, throughput", "at least")
        section = await beside_raw(section, "µs", case(by_hand), own, others, bound, plan.slow_rounds)
    # The first batches fill what is kept for good.
    kept = await _left_behind(own, warm=3, count=2) / count / 1024
    bound = Bound(0.1, f"{at_once}, memory kept for each")
    memory = Figure("memory kept, each stream, agent", (kept,), "KB", bound)
    return replace(section, figures=(*section.figures, memory))


async def talk(plan: Plan, site: Site) -> Section:
    """A conversation, each turn of which sends all turns before it."""
    url = site.url("prose", DELTAS)
    agent = Agent(OpenAIChat("bench", base_url=url))
    question = "And how long does that take, from " + "".join(prose(30)) + "?"
    await agent.arun(question)
    [body] = await site.bodies(url)

    def by_agent() -> Work:
        messages: list[Message] = []

        async def turn() -> None:
            messages.append(Message.user(question))
            messages.extend((await agent.arun(messages)).messages[1:])

        return turn

    def by_hand() -> Work:
        messages: list[dict[str, Any]] = []

        async def turn() -> None:
            messages.append({"role": "user", "content": question})
            texts: list[str] = []
            await read_by_hand(site.client, url, {**body, "messages": messages}, texts.append)
            messages.append({"role": "assistant", "content": "".join(texts)})

        return turn

    ways = {RAW: by_hand, AGAIN: by_hand, AGENT: by_agent}
    talks = [await _talk([start() for start in ways.values()], plan.talk) for _ in range(plan.talks)]
    figures: list[Figure] = []
    growth: dict[str, tuple[float, ...]] = {}
    for at, name in enumerate(ways):
        begun, ended = (tuple(ways_of_talk[at][end] for ways_of_talk in talks) for end in (0, 1))
        growth[name] = tuple(after - before for before, after in zip(begun, ended, strict=True))
        figures += [
            times(f"the first turns, {name}", begun, "ms"),
            times(f"the last turns, {name}", ended, "ms"),
        ]
    left = await _left_behind(lambda: _talk([by_agent()], plan.talk), warm=1, count=1) / plan.talk / 1024
    name = f"a conversation of {Plan().talk} turns"
    figures += [
        ratio(f"growth, {AGAIN} / raw", growth[AGAIN], growth[RAW]),
        ratio(
            f"growth, {AGENT} / raw",
            growth[AGENT],
            growth[RAW],
            Bound(1.0, f"{name}, growth of a turn's time over the body's"),
        ),
        Figure(
            "memory beyond the history, each turn",
            (left,),
            "KB",
            Bound(0.05, f"{name}, memory beyond the history's, each turn"),
        ),
    ]
    note = f"{plan.talk} turns, each with the history of those before; the first and last twentieth of them."
    return Section("talk", "A long conversation", note, tuple(figures))


async def _talk(turns: Sequence[Work], count: int) -> list[tuple[float, float]]:
    """The seconds of a turn at the beginning and at the end, in conversations that go on side by side.

    Each is the least of a twentieth of the turns: what else the machine does only ever adds to it.
    """
    seconds: list[list[float]] = [[] for _ in turns]
    with Cpu():
        for _ in range(count):
            for turn, taken in zip(turns, seconds, strict=True):
                start = time.process_time()
                await turn()
                taken.append(time.process_time() - start)
    some = max(count // 20, 1)
    return [(min(taken[:some]), min(taken[-some:])) for taken in seconds]


async def _left_behind(work: Work, *, warm: int, count: int) -> float:
    """Bytes that the work leaves behind each time, once it has been done a few times."""
    await work()
    tracemalloc.start()
    try:
        for _ in range(warm):
            await work()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(count):
            await work()
        gc.collect()
        return max(tracemalloc.get_traced_memory()[0] - before, 0) / count
    finally:
        tracemalloc.stop()
