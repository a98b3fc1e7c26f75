"""A point at which turns that run at the same time wait for each other."""

from __future__ import annotations

import threading
from collections.abc import Callable

import anyio

from tests.contract._play import Play


class Gathering:
    """A point of an answer at which each turn waits until all are there."""

    def __init__(self, play: Play, count: int) -> None:
        self._count = count
        self._barrier = threading.Barrier(count)
        self._arrived = 0
        self._everyone: anyio.Event | None = None
        self.item: Callable[[], object] = self._block if play.waits_in_a_thread else self._wait

    def _block(self) -> None:
        self._barrier.wait(20)

    async def _wait(self) -> None:
        if self._everyone is None:
            self._everyone = anyio.Event()
        self._arrived += 1
        if self._arrived == self._count:
            self._everyone.set()
        with anyio.fail_after(20):
            await self._everyone.wait()
