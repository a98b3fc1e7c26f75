"""The routes for liveness and readiness: whether the server runs, and whether it can take a turn."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from finalturn._agent.stores import load_history
from finalturn._core.errors import FinalturnError
from finalturn._serve.logs.reasons import reasons_of
from finalturn._serve.logs.requests import HEALTH_PATHS
from finalturn._serve.served import Served
from finalturn._support.logger import logger

__all__ = ["HealthRoutes"]

_log = logger("finalturn.serve")

# No owner's session is called so, and no client's: neither has two colons.
_PROBE = "finalturn:ready:probe"

# Seconds. Whoever asks waits so long at most, and an answer is good for so long.
_PATIENCE = 3.0
_GOOD_FOR = 1.0


class HealthRoutes:
    """The endpoints, which alone answer everybody.

    Args:
        served: what is served.
    """

    def __init__(self, served: Served) -> None:
        self._served = served
        self._probe: asyncio.Task[bool] | None = None
        self._asked_at = 0.0
        self._failed = False

    def add_to(self, router: APIRouter) -> None:
        """Add the routes."""
        for path, endpoint in zip(HEALTH_PATHS, (self.health, self.live), strict=True):
            router.add_api_route(path, endpoint)
            # Load balancers ask so.
            router.add_api_route(path, endpoint, methods=["HEAD"], include_in_schema=False)

    async def health(self) -> Response:
        """Say whether a turn can be taken now; it needs no key."""
        if self._served.runs.draining:
            return JSONResponse({"status": "draining"}, 503)
        if not await self._store_answers():
            return JSONResponse({"status": "session_unavailable"}, 503)
        return JSONResponse({"status": "ok"})

    async def live(self) -> Response:
        """Say that the process lives: where this does not answer, it is to be restarted."""
        return JSONResponse({"status": "ok"})

    async def _store_answers(self) -> bool:
        """Whether the store answers. However many ask, it is asked once at a time."""
        if self._served.store is None:
            return True
        now = asyncio.get_running_loop().time()
        probe = self._probe
        if probe is None or (probe.done() and now - self._asked_at > _GOOD_FOR):
            self._asked_at = now
            probe = self._probe = asyncio.create_task(self._ask())
        left = self._asked_at + _PATIENCE - now
        await asyncio.wait({probe}, timeout=max(left, 0))
        return probe.done() and not probe.cancelled() and probe.result()

    async def _ask(self) -> bool:
        assert self._served.store is not None
        try:
            await load_history(self._served.store, _PROBE)
        except FinalturnError as error:
            if not self._failed:
                # Once: it is asked every few seconds, for as long as it lasts.
                facts = {"error": type(error).__name__, **reasons_of(error)}
                _log.warning("the sessions do not answer", extra=facts)
            self._failed = True
            return False
        if self._failed:
            _log.info("the sessions answer again")
        self._failed = False
        return True
