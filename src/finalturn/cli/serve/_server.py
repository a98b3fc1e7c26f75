"""uvicorn, set up for long streams, and stopped without cutting one off."""

from __future__ import annotations

import signal
import socket
from collections.abc import Awaitable, Callable
from types import FrameType
from typing import NoReturn

import uvicorn
from starlette.types import ASGIApp

__all__ = ["Hooks", "Server", "settings"]

from finalturn._logger import logger

_log = logger("finalturn.serve")

_LARGEST_HEAD = 64 * 1024
# Longer than a proxy keeps an idle connection (nginx: 60 seconds): none is closed as a request arrives.
_KEEP_ALIVE = 75
# Runs have ended by then: what is left is the last record, on its way to a client that reads slowly.
_LAST_RECORDS = 5

Hook = Callable[[], Awaitable[None]]


class Hooks:
    """What happens beside serving.

    Args:
        start: before the first request.
        ready: once requests are taken.
        drain: when a signal asks to stop, while requests are still taken.
        stop: after the last request.
    """

    def __init__(self, *, start: Hook, ready: Callable[[], None], drain: Hook, stop: Hook) -> None:
        self.start = start
        self.ready = ready
        self.drain = drain
        self.stop = stop


def settings(app: ASGIApp) -> uvicorn.Config:
    """How uvicorn serves: on one process, with h11, whose limits hold for every request.

    It logs no requests, as addresses may hold what is nobody's business, and believes no header about where a
    request comes from.
    """
    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=_LARGEST_HEAD,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_LAST_RECORDS,
    )


class Server(uvicorn.Server):
    """A server that a first SIGINT or SIGTERM stops gently, and a second Ctrl-C at once.

    Args:
        config: how to serve.
        hooks: what else happens.
    """

    def __init__(self, config: uvicorn.Config, hooks: Hooks) -> None:
        super().__init__(config)
        self._hooks = hooks

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve."""
        await self._hooks.start()
        await super().startup(sockets)
        self._hooks.ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let the turns end, with the doors open: who asks is told that the server drains."""
        _log.info("draining; press Ctrl-C again to stop at once")
        await self._hooks.drain()
        await super().shutdown(sockets)
        await self._hooks.stop()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal has come. This runs between any two instructions: it only takes note."""
        if self.should_exit and sig == signal.SIGINT:
            _die_of(sig)
        self.should_exit = True


def _die_of(sig: int) -> NoReturn:
    """End as a process does that has no handler, so that whoever has started it can tell."""
    signal.signal(sig, signal.SIG_DFL)
    signal.raise_signal(sig)
    raise SystemExit(128 + sig)
