"""``python -m tools.bench.load [--streams N] [--seconds N] [--mix steady|rough|crowd|all]``."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

from tools.bench.load._client import Load, Mix
from tools.bench.load._crowd import Crowd
from tools.bench.load._figures import Found, Health, report
from tools.bench.load._limits import raise_limits

RESUME = 15.0
"""Seconds for which the server of a rough mix keeps runs."""

BUFFER = 64 * 1024
"""Bytes of a run that wait for a slow reader; then the turn waits."""


DESCRIPTORS = 1024
"""How many files the server of a crowd may have open."""

CROWDED_STREAMS = 200
"""How many good clients there are in a crowd."""

WHO = {
    "steady": "all read as it comes",
    "rough": "some read slowly, some leave and come back",
    "crowd": f"among silent and slow clients, on a server with {DESCRIPTORS} descriptors",
}


def main(arguments: list[str]) -> int:
    """Run the load, and print what was found; 1 when a stream was wrong, or memory has grown."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.load", description=__doc__)
    parser.add_argument("--streams", type=int, default=500, help="at the same time (500)")
    parser.add_argument("--seconds", type=float, default=60.0, help="for so long turns begin (60)")
    parser.add_argument("--pieces", type=int, default=40, help="of text in a turn (40)")
    parser.add_argument("--pause", type=float, default=0.1, help="seconds before each piece (0.1)")
    parser.add_argument("--mix", choices=["steady", "rough", "crowd", "all"], default="all")
    parser.add_argument("--crowd", type=int, default=DESCRIPTORS, help=f"bad clients ({DESCRIPTORS})")
    given = parser.parse_args(arguments)
    raise_limits()
    bad = False
    for mix in ("steady", "rough", "crowd") if given.mix == "all" else (given.mix,):
        rough, crowded = mix == "rough", mix == "crowd"
        # More of them than the server takes connections would not all run at the same time.
        streams = min(given.streams, CROWDED_STREAMS) if crowded else given.streams
        print(
            f"\n{streams} streams for {given.seconds:.0f} s, {given.pieces} pieces of text each,"
            f" one every {given.pause * 1000:.0f} ms; every third in a session; {WHO[mix]}",
            flush=True,
        )
        load = Mix(streams, given.seconds, given.pieces, rough, given.crowd if crowded else 0)
        found = asyncio.run(measured(load, given.pause))
        print(report(found), flush=True)
        early, late = found.growth()
        if found.grows():
            print(f"memory grows: from {early / 1e6:.1f} to {late / 1e6:.1f} MB")
        bad = bad or bool(found.wrong) or found.grows()
    return 1 if bad else 0


async def measured(mix: Mix, pause: float) -> Found:
    """One server, and its clients."""
    with tempfile.TemporaryDirectory() as folder:
        resume = RESUME if mix.rough else 0.0
        given = [pause, resume, BUFFER, Path(folder) / "sessions.db", DESCRIPTORS if mix.crowd else 0]
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tools.bench.load._server",
            *map(str, given),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=1 << 20,
        )
        assert process.stdin is not None and process.stdout is not None
        try:
            port = int(await process.stdout.readline() or b"0")
            if not port:
                raise RuntimeError("the server did not start")
            load = Load(port, mix)
            listening = asyncio.create_task(_listen(process.stdout, load.found))
            crowd = asyncio.create_task(Crowd(port, mix.crowd).run())
            found = await load.run()
            crowd.cancel()
            await asyncio.gather(crowd, return_exceptions=True)
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
