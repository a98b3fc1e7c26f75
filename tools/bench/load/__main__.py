"""``python -m tools.bench.load [--streams N] [--seconds N] [--mix steady|rough|crowd|all]``.

Many streams at once on one server: is each of them complete and right, and does memory stay flat?
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tools.bench.load._client import Found, Health, Load, Mix, crowd
from tools.bench.load._server import raise_limits

RESUME = 15.0
"""Seconds for which the server of a rough mix keeps runs."""

BUFFER = 64 * 1024
"""Bytes of a run that wait for a slow reader; then the turn waits."""

DESCRIPTORS = 1024
"""How many files the server of a crowd may have open."""

CROWDED_STREAMS = 200
"""How many good clients there are in a crowd: more than the server has room for would not run at once."""

WARM, WINDOW = 1 / 3, 1 / 6
"""Of the time: how much passes before memory counts, and over how much it is looked at."""

SLACK, SHARE = 16 * 1024 * 1024, 0.10
"""What memory may grow by: bytes, since an allocator keeps no whole number of turns; and a share of it."""

WHO = {
    "steady": "all read as it comes",
    "rough": "some read slowly, some leave and come back",
    "crowd": f"among silent and slow clients, on a server with {DESCRIPTORS} descriptors",
}


def main(arguments: Sequence[str]) -> int:
    """Run the load, and print what was found; 1 when a stream was wrong, or memory has grown."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.load", description=__doc__)
    parser.add_argument("--streams", type=int, default=500, help="at the same time (500)")
    parser.add_argument("--seconds", type=float, default=60.0, help="for so long turns begin (60)")
    parser.add_argument("--pieces", type=int, default=40, help="of text in a turn (40)")
    parser.add_argument("--pause", type=float, default=0.1, help="seconds before each piece (0.1)")
    parser.add_argument("--mix", choices=[*WHO, "all"], default="all")
    parser.add_argument("--crowd", type=int, default=DESCRIPTORS, help=f"bad clients ({DESCRIPTORS})")
    given = parser.parse_args(arguments)
    raise_limits()
    bad = False
    for mix in WHO if given.mix == "all" else (given.mix,):
        crowded = mix == "crowd"
        streams = min(given.streams, CROWDED_STREAMS) if crowded else given.streams
        print(
            f"\n{streams} streams for {given.seconds:.0f} s, {given.pieces} pieces of text each,"
            f" one every {given.pause * 1000:.0f} ms; every third in a session; {WHO[mix]}",
            flush=True,
        )
        load = Mix(streams, given.seconds, given.pieces, mix == "rough", given.crowd if crowded else 0)
        found = asyncio.run(measured(load, given.pause))
        print(report(found), flush=True)
        if grows(found):
            print("memory grows: from {:.1f} to {:.1f} MB".format(*(size / 1e6 for size in growth(found))))
        bad = bad or bool(found.wrong) or grows(found)
    return 1 if bad else 0


async def measured(mix: Mix, pause: float) -> Found:
    """One server, and its clients."""
    with tempfile.TemporaryDirectory() as folder:
        descriptors = DESCRIPTORS if mix.crowd else 0
        given = (pause, RESUME if mix.rough else 0.0, BUFFER, Path(folder) / "sessions.db", descriptors)
        command = (sys.executable, "-m", "tools.bench.load._server", *map(str, given))
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=1 << 20)
        assert process.stdin is not None and process.stdout is not None
        try:
            port = int(await process.stdout.readline() or b"0")
            if not port:
                raise RuntimeError("the server did not start")
            load = Load(port, mix)
            listening = asyncio.create_task(_listen(process.stdout, load.found))
            bad_clients = asyncio.create_task(crowd(port, mix.crowd))
            found = await load.run()
            bad_clients.cancel()
            await asyncio.gather(bad_clients, return_exceptions=True)
        finally:
            process.stdin.close()
            await process.wait()
        await listening
        return found


async def _listen(lines: asyncio.StreamReader, found: Found) -> None:
    start = time.perf_counter()
    async for line in lines:
        now = json.loads(line)
        if found.seconds == 0.0:
            found.health.append(Health(time.perf_counter() - start, now["memory"], now["lags"]))


def growth(found: Found) -> tuple[int, int]:
    """Bytes of memory after warming up, and in the end: each the median of some seconds."""
    memory = [one.memory for one in found.health]
    some = max(1, round(len(memory) * WINDOW))
    warm = memory[round(len(memory) * WARM) :] or memory
    return int(statistics.median(warm[:some])), int(statistics.median(warm[-some:]))


def grows(found: Found) -> bool:
    """Whether memory has grown by more than it may."""
    early, late = growth(found)
    return late - early > SLACK + SHARE * early


def spread(seconds: Sequence[float]) -> str:
    """Median, 95th and 99th percentile and maximum, in ms."""
    if not seconds:
        return "none"
    ordered = sorted(seconds)
    at = [ordered[min(int(len(ordered) * share), len(ordered) - 1)] for share in (0.5, 0.95, 0.99, 1.0)]
    named = zip(("median", "p95", "p99", "max"), at, strict=True)
    return "  ".join(f"{name} {value * 1000:8.1f}" for name, value in named)


def report(found: Found) -> str:
    """The figures, as text."""
    each = ", ".join(f"{count} {path}" for path, count in sorted(found.streams.items()))
    marks = [next((one for one in found.health if one.after >= mark), None) for mark in (10.0, 30.0, 60.0)]
    known = {one.after: one.memory for one in (*marks, found.health[-1]) if one is not None}
    lines = {
        "streams": f"{found.streams.total()} ended, at most {found.most} at once: {each}",
        "records": f"{found.records}, {found.records / found.seconds:.0f}/s",
        "resumed": found.resumed,
        "told to come back": found.refused,
        "sessions": f"{found.sessions} read back, whole and in order",
        "first record, ms": spread(found.first),
        "between reads, ms": spread(found.gaps),
        "whole turn, ms": spread(found.turns),
        **{f"result, {name}, ms": spread(times) for name, times in found.ends.items()},
        "loop lag, ms": spread([lag for one in found.health for lag in one.lags]),
        "memory, MB": ", ".join(f"{memory / 1e6:.1f} at {after:.0f} s" for after, memory in known.items()),
        "wrong": len(found.wrong),
    }
    return "\n".join(
        [*(f"{name:<18} {value}" for name, value in lines.items()), *(f"  {one}" for one in found.wrong[:10])]
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
