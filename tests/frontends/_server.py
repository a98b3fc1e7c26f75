"""A real server, in a thread of its own."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.requests import Request
from starlette.responses import Response

from finalturn import Agent, SessionStore
from finalturn.serve import ApiKeys, ServeConfig, create_app

SECONDS = 30.0


class Gate:
    """Where a model waits until the page has been seen.

    Attributes:
        stopped: the turn was stopped while its model waited.
    """

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self._open = asyncio.Semaphore(0)

    async def wait(self) -> None:
        """Wait; an item of a script."""
        try:
            await self._open.acquire()
        except asyncio.CancelledError:
            self.stopped.set()
            raise

    async def release(self, request: Request) -> Response:
        """Let the model go on once; an endpoint."""
        self._open.release()
        return Response(status_code=204)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_up = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_up.set()


@contextmanager
def serving(
    agent: Agent[Any],
    *,
    gate: Gate | None = None,
    keys: ApiKeys | None = None,
    sessions: SessionStore | None = None,
    config: ServeConfig = ServeConfig(),  # noqa: B008  # immutable
) -> Generator[str]:
    """The address at which an agent is served.

    Args:
        agent: runs the turns.
        gate: opened by a POST to ``/release``.
        keys: who may use it.
        sessions: where conversations are kept.
        config: limits of the server.
    """
    app = create_app(agent, keys=keys, sessions=sessions, config=config)
    if gate is not None:
        app.add_route("/release", gate.release, methods=["POST"])
    with serving_app(app) as url:
        yield url


@contextmanager
def serving_app(app: Any) -> Generator[str]:
    """The address at which an ASGI application is served."""
    server = _Server(uvicorn.Config(app, log_level="critical", ws="none", lifespan="on"))
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            assert server.is_up.wait(SECONDS), "the server does not start"
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(SECONDS)
