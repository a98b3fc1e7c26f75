"""Measuring: CPU time, in rounds in which every case has its turn."""

from __future__ import annotations

import gc
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self, TypeAlias

GC_SETTINGS = (
    "on, with Python's own thresholds; before each measurement it collects, and freezes what is left"
)

Case: TypeAlias = Callable[[], Awaitable[float]]
"""Does the work once, and gives the CPU seconds of one unit of it."""


@dataclass(frozen=True)
class Plan:
    """How much to measure.

    Attributes:
        rounds: how often each case is measured.
        slow_rounds: likewise, where a case takes long.
        deltas: of a long stream.
        paced: deltas of a stream that comes piece by piece.
        turns: whole turns in one measurement.
        history: the longest history, in messages.
        tools: how many tools an agent has.
        streams: streams at once, and the deltas of each.
        talk: turns of a long conversation.
        talks: how many such conversations.
    """

    rounds: int = 21
    slow_rounds: int = 11
    deltas: int = 2000
    paced: int = 100
    turns: int = 10
    history: int = 5000
    tools: int = 100
    streams: tuple[int, int] = (200, 200)
    talk: int = 500
    talks: int = 3


QUICK = Plan(
    rounds=1, slow_rounds=1, deltas=60, paced=5, turns=1, history=50, tools=3, streams=(3, 10), talk=6
)
"""Enough to see that everything runs."""


WITH_PEERS = Plan(rounds=7, slow_rounds=3)
"""Other libraries take up to hundreds of times as long."""


class Cpu:
    """The CPU seconds that this process spends in the block, in all its threads.

    The garbage of what went before is not counted, nor is what is still alive gone through again.
    """

    seconds = 0.0

    def __enter__(self) -> Self:
        gc.collect()
        gc.freeze()
        self._start = time.process_time()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.seconds = time.process_time() - self._start
        gc.unfreeze()


async def in_rounds(cases: Mapping[str, Case], rounds: int) -> dict[str, tuple[float, ...]]:
    """Measure each case once a round. One round more goes first and is not counted.

    Every round begins with another case, so that none gains from what precedes it.
    """
    names = list(cases)
    found: dict[str, list[float]] = {name: [] for name in names}
    for name in names:
        await cases[name]()
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            found[name].append(await cases[name]())
    return {name: tuple(seconds) for name, seconds in found.items()}
