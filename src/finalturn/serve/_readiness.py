"""Whether the store of conversations answers: what a load balancer wants to know before it sends anybody."""

from __future__ import annotations

import asyncio
from time import monotonic

from finalturn._asking._await import settle
from finalturn.core.protocols import SessionCatalog, SessionStore

__all__ = ["Readiness"]

_KNOWN_FOR = 5.0
_PATIENCE = 2.0
_GIVEN_UP = 10.0


class Readiness:
    """Asks a store for one session, now and then, however often it is asked itself.

    Args:
        store: is asked; a store that cannot list sessions is taken to be there.
    """

    def __init__(self, store: SessionStore | None) -> None:
        self._store = store
        self._asking: asyncio.Task[bool] | None = None
        self._asked_at = 0.0

    async def ready(self) -> bool:
        """Whether it answers, or has answered some seconds ago; it is waited for briefly."""
        if not isinstance(self._store, SessionCatalog):
            return True
        now = monotonic()
        task = self._asking
        if task is None or (task.done() and now - self._asked_at >= _KNOWN_FOR):
            task = self._asking = asyncio.create_task(_answers(self._store))
            self._asked_at = now
        patience = self._asked_at + _PATIENCE - now
        if not task.done() and patience > 0:
            await asyncio.wait([task], timeout=patience)
        return task.done() and not task.cancelled() and task.result()


async def _answers(store: SessionCatalog) -> bool:
    try:
        async with asyncio.timeout(_GIVEN_UP):
            await settle(store.list_sessions("", "", 1))
    except Exception:
        # The turns say in the log what is wrong.
        return False
    return True
