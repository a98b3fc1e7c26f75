"""Many streams at once."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from collections.abc import Awaitable, Callable

import httpx2

from tools.bench._agents import prose_agent, read
from tools.bench._figure import Bound, Figure, Section
from tools.bench._raw import read_text
from tools.bench._rounds import Case, Cpu, Plan
from tools.bench._site import Site
from tools.bench._wire import prose
from tools.bench._work import AGAIN, AGENT, RAW, Work, measured

_THROUGHPUT = Bound(0.8, "at least", "200 concurrent streams of 200 deltas, throughput")
_MEMORY = Bound(0.1, work="200 concurrent streams of 200 deltas, memory kept for each")


async def measure(plan: Plan, site: Site) -> Section:
    """All streams are open at once, and each is written record by record."""
    count, deltas = plan.streams
    url = site.url("woven", deltas)
    agent = prose_agent(url, hold=True)
    expected = "".join(prose(deltas))

    async def by_agent() -> str:
        text, _ = await read(agent.astream("hello"))
        return text

    await by_agent()
    [body] = await site.bodies("woven", deltas)
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=count)

    def case(one: Callable[[], Awaitable[str]]) -> Case:
        async def timed() -> float:
            with Cpu() as cpu:
                texts = await asyncio.gather(*(one() for _ in range(count)))
            assert texts == [expected] * count, "a stream was not read as it was written"
            return cpu.seconds / count / deltas

        return timed

    async with httpx2.AsyncClient(limits=limits, timeout=60) as client:
        raw, own = case(lambda: read_text(client, url, body)), case(by_agent)
        cases = {RAW: raw, AGAIN: raw, AGENT: own}
        units = count * deltas
        cases.update(site.of_peers("streams", "woven", deltas, expected, units=units, streams=count))
        note = f"{count} streams of {deltas} deltas, over the deltas of all."
        bounds = {AGENT: _THROUGHPUT}
        work = Work("streams", "Many streams at once", note, "µs", cases, bounds, throughput=True)
        section = await measured(work, plan.slow_rounds)
        kept = (await _kept(own) / count / 1024,)
    figures = (*section.figures, Figure("memory kept, each stream, agent", kept, "KB", _MEMORY))
    return Section(section.slug, section.title, section.note, figures)


async def _kept(case: Case) -> float:
    """Bytes that two more batches leave behind, once the first have filled what is kept for good."""
    for _ in range(2):
        await case()
    tracemalloc.start()
    try:
        await case()
        before = _traced()
        for _ in range(2):
            await case()
        return max(_traced() - before, 0) / 2
    finally:
        tracemalloc.stop()


def _traced() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]
