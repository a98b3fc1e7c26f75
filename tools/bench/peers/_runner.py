"""``python -m tools.bench.peers._runner NAME``: does what its input asks, line by line, each of them JSON."""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import sys
import time
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any

from tools.bench.peers._library import QUESTION, Library, Prose

Run = Callable[[], Awaitable[tuple[float, Any]]]
"""The work once: CPU seconds, and what came of it."""


def prepared(library: Library, work: str, url: str, given: dict[str, Any]) -> Run:
    """The work, with what can be done before done."""
    if work == "turn":
        return _timed(library.turn(url), given["times"])
    messages = given.get("messages") or [{"role": "user", "content": QUESTION}]
    prose = library.prose(url, messages, given.get("tools", 0))
    if work == "first":
        return lambda: _until_first(prose, given["times"])
    if work == "streams":
        return _timed(lambda: _together(prose, given["streams"]), 1)
    return _timed(lambda: _read(prose), given["times"])


def _timed(work: Callable[[], Awaitable[Any]], times: int) -> Run:
    async def run() -> tuple[float, Any]:
        gc.collect()
        gc.freeze()
        start = time.process_time()
        found = [await work() for _ in range(times)]
        seconds = time.process_time() - start
        gc.unfreeze()
        assert all(one == found[0] for one in found)
        return seconds, found[0]

    return run


async def _until_first(prose: Prose, times: int) -> tuple[float, Any]:
    seconds = 0.0
    gc.collect()
    gc.freeze()
    for _ in range(times):
        start, waiting = time.process_time(), True
        async for text in prose():
            if waiting and text:
                seconds += time.process_time() - start
                waiting = False
        assert not waiting
    gc.unfreeze()
    return seconds, None


async def _read(prose: Prose) -> str:
    return "".join([text async for text in prose()])


async def _together(prose: Prose, count: int) -> str:
    texts = await asyncio.gather(*(_read(prose) for _ in range(count)))
    assert len(set(texts)) == 1
    return texts[0]


async def main(name: str) -> None:
    """Answer line by line, until there are no more."""
    module = importlib.import_module(f"tools.bench.peers.{name}")
    library: Library = module.LIBRARY
    _say({"name": f"{library.package} {version(library.package)}"})
    known: dict[str, Run] = {}
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        if line not in known:
            asked = json.loads(line)
            known[line] = prepared(library, asked["work"], asked["url"], asked["given"])
        try:
            seconds, result = await known[line]()
        except Exception as error:
            _say({"error": f"{type(error).__name__}: {error}"[:500]})
        else:
            _say({"seconds": seconds, "result": result})


def _say(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
