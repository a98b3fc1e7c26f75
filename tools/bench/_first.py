"""How long until something is shown."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

from tools.bench._agents import prose_agent
from tools.bench._figure import Bound, Section
from tools.bench._raw import read_until_text
from tools.bench._rounds import Case, Cpu, Plan
from tools.bench._site import Site
from tools.bench._work import AGAIN, AGENT, RAW, Work, measured

_BOUND = Bound(1.2, work="time to the first shown delta")
_DELTAS = 40


async def measure(plan: Plan, site: Site) -> Section:
    """From the call to the first text; what follows is read, and not counted."""
    url = site.url("prose", _DELTAS)
    agent = prose_agent(url, hold=True)
    await agent.arun("hello")
    [body] = await site.bodies("prose", _DELTAS)

    async def by_hand(shown: Callable[[], None]) -> None:
        await read_until_text(site.client, url, body, shown)

    async def by_agent(shown: Callable[[], None]) -> None:
        waiting = True
        async for item in agent.astream("hello"):
            if waiting and item.content:
                shown()
                waiting = False

    def case(work: Callable[[Callable[[], None]], Awaitable[None]]) -> Case:
        async def timed() -> float:
            total = 0.0
            with Cpu():
                for _ in range(plan.turns):
                    seen: list[float] = []
                    start = time.process_time()
                    await work(lambda: seen.append(time.process_time()))  # noqa: B023
                    total += seen[0] - start
            return total / plan.turns

        return timed

    note = f"CPU time until the first text of an answer of {_DELTAS} deltas, over a connection that stands."
    cases = {
        RAW: case(by_hand),
        AGAIN: case(by_hand),
        AGENT: case(by_agent),
        **site.of_peers("first", "prose", _DELTAS, None, times=plan.turns, units=plan.turns),
    }
    return await measured(
        Work("first", "The first shown delta", note, "ms", cases, {AGENT: _BOUND}), plan.rounds
    )
