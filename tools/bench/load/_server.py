"""``python -m tools.bench.load._server PAUSE RESUME BUFFER DATABASE DESCRIPTORS``: the server.

It runs until its input ends, as ``finalturn serve`` runs it, with so many descriptors; 0 for all it can have.

It prints its port, and then, every second, how it is: one line of JSON.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import resource
import socket
import sys
import time

from finalturn._cli.serve.connection import Patience
from finalturn._cli.serve.descriptors import connections_for
from finalturn._cli.serve.server import Limits, Server, ServerHooks, settings
from finalturn.serve import ServeConfig, create_app
from finalturn.sessions import SQLSessions
from tools.bench.load._limits import raise_limits
from tools.bench.load._model import agent

TICK = 0.02
"""Seconds; how much longer the loop takes for them is its lag."""


async def main(pause: float, resume: float, buffer: int, database: str, descriptors: int) -> None:
    """Serve on a free port, and say which."""
    if descriptors:
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
    else:
        descriptors = raise_limits()
    # That models fail is part of the load.
    logging.getLogger("finalturn.serve").setLevel(logging.ERROR)
    config = ServeConfig(max_runs=100_000, buffer=buffer, resume_for=resume, heartbeat=5.0, drain_timeout=5.0)
    app = create_app(agent(pause), sessions=SQLSessions(database), config=config)
    # With the protocol named, asyncio sends small pieces at once (TCP_NODELAY).
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(4096)
    runs = app.state.finalturn.runs
    limits = Limits(
        connections=connections_for(descriptors, config.max_connections),
        patience=Patience(5.0, config.stall_timeout),
        drain=config.drain_timeout,
    )
    hooks = ServerHooks(start=_nothing, ready=lambda: None, drain=runs.drain, stop=_nothing)
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
            lags.append(time.perf_counter() - start - TICK)
        now = {"memory": _memory(), "lags": [round(lag, 6) for lag in lags], "objects": len(gc.get_objects())}
        print(json.dumps(now), flush=True)


def _memory() -> int:
    """Bytes that the process holds in memory."""
    with open("/proc/self/status", encoding="ascii") as status:
        line = next(line for line in status if line.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    pause, resume, buffer, database, descriptors = sys.argv[1:]
    asyncio.run(main(float(pause), float(resume), int(buffer), database, int(descriptors)))
