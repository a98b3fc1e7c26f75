"""A long conversation, turn after turn, in one process."""

from __future__ import annotations

import gc
import statistics
import time
import tracemalloc
from collections.abc import Awaitable, Callable
from typing import Any

from finalturn import Agent, Message
from finalturn.providers import OpenAIChat
from tools.bench._figure import Bound, Figure, Section, ratio, times
from tools.bench._raw import read_text
from tools.bench._rounds import Cpu, Plan, in_rounds
from tools.bench._site import Site
from tools.bench._wire import prose
from tools.bench._work import RAW

_DELTAS = 40
_TIME = Bound(1.0, work="a conversation of 500 turns, growth of a turn's time over the body's")
_MEMORY = Bound(0.05, work="a conversation of 500 turns, memory beyond the history's, each turn")


async def measure(plan: Plan, site: Site) -> Section:
    """Each turn sends all turns before it."""
    url = site.url("prose", _DELTAS)
    agent = Agent(OpenAIChat("bench", base_url=url))
    question = "And how long does that take, from " + "".join(prose(30)) + "?"

    async def by_agent() -> Callable[[], Awaitable[None]]:
        history: list[Message] = []

        async def turn() -> None:
            history.append(Message.user(question))
            history.extend((await agent.arun(history)).messages[1:])

        return turn

    await (await by_agent())()
    [body] = await site.bodies("prose", _DELTAS)

    async def by_hand() -> Callable[[], Awaitable[None]]:
        messages: list[dict[str, Any]] = []

        async def turn() -> None:
            messages.append({"role": "user", "content": question})
            text = await read_text(site.client, url, {**body, "messages": messages})
            messages.append({"role": "assistant", "content": text})

        return turn

    ends: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in (RAW, "again", "agent")}

    def case(name: str, start: Callable[[], Awaitable[Callable[[], Awaitable[None]]]]) -> Any:
        async def timed() -> float:
            first, last = await _talk(await start(), plan.talk)
            ends[name][0].append(first)
            ends[name][1].append(last)
            return last - first

        return timed

    cases = {RAW: case(RAW, by_hand), "again": case("again", by_hand), "agent": case("agent", by_agent)}
    found = await in_rounds(cases, max(plan.slow_rounds // 3, 1))
    left = (await _left(by_agent, plan.talk) / 1024,)
    figures = [
        *(times(f"the first turns, {name}", tuple(first[1:]), "ms") for name, (first, _) in ends.items()),
        *(times(f"the last turns, {name}", tuple(last[1:]), "ms") for name, (_, last) in ends.items()),
        ratio("growth, the same raw turns again (noise) / raw", found["again"], found[RAW]),
        ratio("growth, agent / raw", found["agent"], found[RAW], _TIME),
        Figure("memory beyond the history, each turn", left, "KB", _MEMORY),
    ]
    note = f"{plan.talk} turns, each with the history of those before; the first and last twentieth of them."
    return Section("talk", "A long conversation", note, tuple(figures))


async def _talk(turn: Callable[[], Awaitable[None]], count: int) -> tuple[float, float]:
    """The median seconds of a turn at the beginning and at the end."""
    seconds: list[float] = []
    with Cpu():
        for _ in range(count):
            start = time.process_time()
            await turn()
            seconds.append(time.process_time() - start)
    some = max(count // 20, 1)
    return statistics.median(seconds[:some]), statistics.median(seconds[-some:])


async def _left(start: Callable[[], Awaitable[Callable[[], Awaitable[None]]]], count: int) -> float:
    """Bytes for each turn that a conversation leaves behind once its history is gone."""
    await _talk(await start(), count)
    tracemalloc.start()
    try:
        await _talk(await start(), 2)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        await _talk(await start(), count)
        gc.collect()
        return max(tracemalloc.get_traced_memory()[0] - before, 0) / count
    finally:
        tracemalloc.stop()
