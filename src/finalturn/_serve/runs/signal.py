"""Tells waiting tasks that something has changed."""

from __future__ import annotations

import asyncio

__all__ = ["Signal"]


class Signal:
    """Whoever waits is woken by the next `notify`. Unlike an ``asyncio.Event``, it need not be cleared."""

    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[None]] = []

    def notify(self) -> None:
        """Wake all who wait now."""
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            for one in waiting:
                if not one.done():
                    one.set_result(None)

    async def wait(self) -> None:
        """Wait for the next `notify`."""
        one = asyncio.get_running_loop().create_future()
        self._waiting.append(one)
        try:
            await one
        finally:
            if one in self._waiting:
                self._waiting.remove(one)
