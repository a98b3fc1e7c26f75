"""``python -m tools.bench.load._server PAUSE RESUME BUFFER DATABASE DESCRIPTORS``: the server, and its model.

It runs until its input ends, as ``finalturn serve`` runs it, with so many descriptors; 0 for all it can have.
It prints its port, and then, every second, how it is: one line of JSON.
"""

from __future__ import annotations

import asyncio
import json
import logging
import resource
import socket
import sys
import time
from collections.abc import AsyncGenerator

from finalturn import (
    Agent,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    ProviderError,
    ReasoningDelta,
    Role,
    StructuredOutputConfig,
    TextDelta,
    ToolCallDelta,
    tool,
)
from finalturn._cli.serve.connection import Patience
from finalturn._cli.serve.descriptors import connections_for
from finalturn._cli.serve.server import Limits, Server, ServerHooks, settings
from finalturn.serve import ServeConfig, create_app
from finalturn.sessions import SQLSessions
from tools.bench._works import Ticket
from tools.bench.load._story import PREFIX, Story

TICK = 0.02
"""Seconds; how much longer the loop takes for them is its lag."""


@tool
async def look(number: str) -> str:
    """Look up an order."""
    return number


class Model:
    """Plays the story that the user asks for. It remembers nothing.

    Args:
        pause: seconds before each piece of text.
    """

    def __init__(self, pause: float) -> None:
        self._pause = pause

    def complete(self, request: ModelRequest) -> ModelResponse:
        raise AssertionError("this model streams")

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        # The synthesis prompt is of the user, too.
        texts = [message.content for message in request.messages if message.role is Role.USER]
        story = Story.of(next(text for text in reversed(texts) if text.startswith(PREFIX)))
        calls = 1 if story.path == "tool" else 0
        if request.call < calls:
            yield TextDelta(story.opening())
            yield ToolCallDelta(0, f"call_{story.seed}", look.name, json.dumps({"number": str(story.seed)}))
        elif request.call == calls:
            for piece in story.reasoning():
                yield ReasoningDelta(piece)
            for piece in story.prose():
                if story.path != "flood":
                    await asyncio.sleep(self._pause)
                yield TextDelta(piece)
            if story.path == "fail":
                raise ProviderError("the model broke off", retryable=False)
        else:
            yield TextDelta(json.dumps(story.answer))
        yield ModelEnd()


def raise_limits() -> int:
    """Let the process open more files; returns how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = min(65_536, hard) if hard != resource.RLIM_INFINITY else 65_536
    if soft == resource.RLIM_INFINITY or soft >= limit:
        return soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    return limit


async def main(pause: float, resume: float, buffer: int, database: str, descriptors: int) -> None:
    """Serve on a free port, and say which."""
    if descriptors:
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
    else:
        descriptors = raise_limits()
    # That models fail is part of the load.
    logging.getLogger("finalturn.serve").setLevel(logging.ERROR)
    final_turn = StructuredOutputConfig(final_turn_only=True)
    agent = Agent(Model(pause), tools=[look], response_format=Ticket, structured_output=final_turn)
    config = ServeConfig(max_runs=100_000, buffer=buffer, resume_for=resume, heartbeat=5.0, drain_timeout=5.0)
    app = create_app(agent, sessions=SQLSessions(database), config=config)
    # With the protocol named, asyncio sends small pieces at once (TCP_NODELAY).
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(4096)
    limits = Limits(
        connections=connections_for(descriptors, config.max_connections),
        patience=Patience(5.0, config.stall_timeout),
        drain=config.drain_timeout,
    )
    drain = app.state.finalturn.runs.drain
    hooks = ServerHooks(start=_nothing, ready=lambda: None, drain=drain, stop=_nothing)
    server = Server(settings(app), hooks, limits)
    served = asyncio.create_task(server.serve(sockets=[listener]))
    print(listener.getsockname()[1], flush=True)
    telling = asyncio.create_task(_tell())
    # A parent that is gone, however it went, has closed this.
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    telling.cancel()
    server.should_exit = True
    await served


async def _nothing() -> None:
    """There is nothing to be done."""


async def _tell() -> None:
    while True:
        lags: list[float] = []
        until = time.perf_counter() + 1.0
        while (start := time.perf_counter()) < until:
            await asyncio.sleep(TICK)
            lags.append(round(time.perf_counter() - start - TICK, 6))
        with open("/proc/self/status", encoding="ascii") as status:
            line = next(line for line in status if line.startswith("VmRSS:"))
        print(json.dumps({"memory": int(line.split()[1]) * 1024, "lags": lags}), flush=True)


if __name__ == "__main__":
    pause, resume, buffer, database, descriptors = sys.argv[1:]
    asyncio.run(main(float(pause), float(resume), int(buffer), database, int(descriptors)))
