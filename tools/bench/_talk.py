"""A long conversation, turn after turn, in one process."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

from finalturn import Agent, Message
from finalturn.providers import OpenAIChat
from tools.bench._figure import Bound, Figure, Section, ratio, times
from tools.bench._raw import read_text
from tools.bench._rounds import Cpu, Plan
from tools.bench._site import Site
from tools.bench._wire import prose
from tools.bench._work import AGAIN, AGENT, RAW

Turn: TypeAlias = Callable[[], Awaitable[None]]
"""The next turn of a conversation."""

_DELTAS = 40
_TIME = Bound(1.0, work="a conversation of 500 turns, growth of a turn's time over the body's")
_MEMORY = Bound(0.05, work="a conversation of 500 turns, memory beyond the history's, each turn")


async def measure(plan: Plan, site: Site) -> Section:
    """Each turn sends all turns before it."""
    url = site.url("prose", _DELTAS)
    agent = Agent(OpenAIChat("bench", base_url=url))
    question = "And how long does that take, from " + "".join(prose(30)) + "?"

    async def by_agent() -> Turn:
        history: list[Message] = []

        async def turn() -> None:
            history.append(Message.user(question))
            history.extend((await agent.arun(history)).messages[1:])

        return turn

    await (await by_agent())()
    [body] = await site.bodies("prose", _DELTAS)

    async def by_hand() -> Turn:
        messages: list[dict[str, Any]] = []

        async def turn() -> None:
            messages.append({"role": "user", "content": question})
            text = await read_text(site.client, url, {**body, "messages": messages})
            messages.append({"role": "assistant", "content": text})

        return turn

    ways = {RAW: by_hand, AGAIN: by_hand, AGENT: by_agent}
    found = [await _talk([await start() for start in ways.values()], plan.talk) for _ in range(plan.talks)]
    growth: dict[str, tuple[float, ...]] = {}
    figures: list[Figure] = []
    for at, name in enumerate(ways):
        first, last = (tuple(round_[at][end] for round_ in found) for end in (0, 1))
        growth[name] = tuple(after - before for before, after in zip(first, last, strict=True))
        figures += [
            times(f"the first turns, {name}", first, "ms"),
            times(f"the last turns, {name}", last, "ms"),
        ]
    left = (await _left(by_agent, plan.talk) / 1024,)
    figures += [
        ratio(f"growth, {AGAIN} / raw", growth[AGAIN], growth[RAW]),
        ratio(f"growth, {AGENT} / raw", growth[AGENT], growth[RAW], _TIME),
        Figure("memory beyond the history, each turn", left, "KB", _MEMORY),
    ]
    note = f"{plan.talk} turns, each with the history of those before; the first and last twentieth of them."
    return Section("talk", "A long conversation", note, tuple(figures))


async def _talk(turns: Sequence[Turn], count: int) -> list[tuple[float, float]]:
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


async def _left(start: Callable[[], Awaitable[Turn]], count: int) -> float:
    """Bytes for each turn that a conversation leaves behind once its history is gone."""
    await _talk([await start()], count)
    tracemalloc.start()
    try:
        await _talk([await start()], 2)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        await _talk([await start()], count)
        gc.collect()
        return max(tracemalloc.get_traced_memory()[0] - before, 0) / count
    finally:
        tracemalloc.stop()
