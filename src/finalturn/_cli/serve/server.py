"""uvicorn, set up for long streams, and stopped without cutting one off."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

import uvicorn
from starlette.types import ASGIApp

from finalturn._cli.serve.acceptor import Acceptor
from finalturn._cli.serve.connection import Patience, PatientConnection
from finalturn._cli.serve.ending import ProcessEnding
from finalturn._cli.serve.once_per_minute import OncePerMinute
from finalturn._serve.problems.failure import ProcessEnds

__all__ = ["Limits", "Server", "ServerHooks", "settings"]

from finalturn._support.logger import logger

_log = logger("finalturn.serve")

# Longer than a proxy keeps an idle connection (nginx: 60 seconds): none is closed as a request arrives.
_KEEP_ALIVE = 75
# Runs have ended by then: what is left is the last record, on its way to a client that reads slowly.
_LAST_RECORDS = 3
_TO_CLOSE_STORE = 1.0

Hook = Callable[[], Awaitable[None]]


class ServerHooks:
    """The callbacks of a server: when it starts, is ready, drains and stops.

    Args:
        start: before the first request.
        ready: once requests are taken.
        drain: when a signal asks to stop, while requests are still taken; it is told how many seconds turns
            may still go on.
        stop: after the last request.
    """

    def __init__(
        self, *, start: Hook, ready: Callable[[], None], drain: Callable[[float], Awaitable[None]], stop: Hook
    ) -> None:
        self.start = start
        self.ready = ready
        self.drain = drain
        self.stop = stop


class Limits:
    """The limits on clients: how many connections, and how much time.

    Args:
        connections: at the same time.
        patience: how long a client may take.
        drain: for so many seconds turns go on after the signal.
    """

    def __init__(self, *, connections: int, patience: Patience, drain: float) -> None:
        self.connections = connections
        self.patience = patience
        self.drain = drain


def settings(app: ASGIApp) -> uvicorn.Config:
    """How uvicorn serves: on one process, with h11, whose limits hold for every request.

    It logs no requests, as addresses may hold what is nobody's business, and believes no header about where a
    request comes from.
    """
    return uvicorn.Config(
        app,
        http=PatientConnection,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_LAST_RECORDS,
    )


class Server(uvicorn.Server):
    """A server that a first SIGINT or SIGTERM stops gently, and a second Ctrl-C at once.

    Before it takes requests, each of them stops it at once. Where it was started with SIGINT ignored, as a
    background job of a script is, it goes on ignoring it.

    Args:
        config: how to serve.
        hooks: what else happens.
        limits: what clients may take.
    """

    def __init__(self, config: uvicorn.Config, hooks: ServerHooks, limits: Limits) -> None:
        super().__init__(config)
        self._hooks = hooks
        self._limits = limits
        self._ending = ProcessEnding(limits.drain)
        self._acceptor: Acceptor | None = None
        self._ready = False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve."""
        await self._hooks.start()
        # Of what comes from outside, each is as good as the next.
        logging.getLogger("uvicorn.error").addFilter(
            OncePerMinute(
                "Invalid HTTP request received.",
                "Unsupported upgrade request.",
                "No supported WebSocket library detected. Please use \"pip install 'uvicorn[standard]'\", or"
                " install 'websockets' or 'wsproto' manually.",
                "ASGI callable returned without completing response.",
            )
        )
        # The acceptor below takes the place of asyncio's own server, which has no limit.
        await super().startup([])
        (listener,) = sockets or []
        self._acceptor = Acceptor(
            listener,
            self._connection,
            self.server_state,
            most=self._limits.connections,
            patience=self._limits.patience,
        )
        self._acceptor.open()
        self._ending.watch()
        self._ready = True
        self._hooks.ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let the turns end, and still accept connections: who asks is told that the server drains."""
        _log.info("draining; press Ctrl-C again to stop at once")
        await self._hooks.drain(self._ending.left)
        if self._acceptor is not None:
            await self._acceptor.close()
        await super().shutdown(sockets)
        try:
            async with asyncio.timeout(_TO_CLOSE_STORE):
                await self._hooks.stop()
        except Exception as error:
            _log.warning("the sessions could not be closed", extra={"error": type(error).__name__})
        self._ending.served()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Take the signals that it handles, while the block runs."""
        # A Ctrl-C at the terminal reaches the background jobs of a script too, and is not meant for them.
        ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        with super().capture_signals():
            if ignored:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            yield

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal has come. This runs between any two instructions: it only takes note."""
        if self._ending.unblocking:
            self._ending.unblocking = False
            raise ProcessEnds
        if not self._ready or (self.should_exit and sig == signal.SIGINT):
            _end_by_signal(sig)
        self._ending.ask()
        self.should_exit = True

    def _connection(self) -> PatientConnection:
        return PatientConnection(self.config, self.server_state, self.lifespan.state)


def _end_by_signal(sig: int) -> NoReturn:
    """End as a process does that has no handler, so that whoever has started it can tell."""
    signal.signal(sig, signal.SIG_DFL)
    signal.raise_signal(sig)
    raise SystemExit(128 + sig)
