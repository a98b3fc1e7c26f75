"""What lasts: many streams at once, and a long conversation; their time, and the memory they leave behind."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import httpx2

from finalturn import Agent, Message
from finalturn.providers import OpenAIChat
from tools.bench._measure import Bound, Cpu, Figure, Plan, Section, ratio, times
from tools.bench._server import prose
from tools.bench._site import Site, read_by_hand
from tools.bench._works import AGENT, DELTAS, RAW, prose_agent, prose_of, text
from tools.bench.peers import run_of

Work: TypeAlias = Callable[[], Awaitable[Any]]


async def streams(plan: Plan, site: Site) -> Section:
    """All streams are open at once, and each is written record by record."""
    count, deltas = plan.streams
    note = f"{count} streams of {deltas} deltas, over the deltas of all."
    section = Section("streams", "Many streams at once", note, ())
    at_once = "{} concurrent streams of {} deltas".format(*Plan().streams)
    bound = Bound(0.8, f"{at_once}, throughput", "at least")
    work: dict[str, Any] = {"script": "woven", "deltas": deltas, "streams": count, "unit": "µs"}
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=count)
    async with httpx2.AsyncClient(limits=limits, timeout=60) as client:
        wide = replace(site, client=client)
        section = await text(wide, section, bound, prose_agent, rounds=plan.slow_rounds, **work)
    # The first batches fill what is kept for good.
    batch = run_of("streams", prose_of(prose_agent(site.url("woven", deltas))), streams=count)
    kept = await _left_behind(batch, warm=3, count=2) / count / 1024
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

    ways = {RAW: by_hand, AGENT: by_agent}
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
