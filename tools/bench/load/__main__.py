"""``python -m tools.bench.load [--streams N] [--seconds N] [--mix steady|rough|all]``.

Many streams at once on one ``finalturn serve``: is each complete and right, and does memory stay flat?
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from finalturn._cli.serve.descriptors import raise_descriptors
from tools.bench._site import started
from tools.bench.load._client import Found, Load, Mix

RESUME = 15
"""Seconds for which the server of a rough mix keeps runs."""

BUFFER = 64 * 1024
"""Bytes of a run that wait for a slow reader; then the turn waits."""

WARM, WINDOW = 1 / 3, 1 / 6
"""Of the time: how much passes before memory counts, and over how much it is looked at."""

SLACK, SHARE = 16 * 1024 * 1024, 0.10
"""What memory may grow by: bytes, since an allocator keeps no whole number of turns; and a share of it."""

WHO = {"steady": "all read as it comes", "rough": "some read slowly, some leave and come back"}


def main(arguments: Sequence[str]) -> int:
    """Run the load, and print what was found; 1 when a stream was wrong, or memory has grown."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.load", description=__doc__)
    parser.add_argument("--streams", type=int, default=500, help="at the same time (500)")
    parser.add_argument("--seconds", type=float, default=60.0, help="for so long turns begin (60)")
    parser.add_argument("--pieces", type=int, default=40, help="of text in a turn (40)")
    parser.add_argument("--pause", type=float, default=0.1, help="seconds before each piece (0.1)")
    parser.add_argument("--mix", choices=[*WHO, "all"], default="all")
    given = parser.parse_args(arguments)
    raise_descriptors()
    bad = False
    for mix in WHO if given.mix == "all" else (given.mix,):
        print(
            f"\n{given.streams} streams for {given.seconds:.0f} s, {given.pieces} pieces of text each,"
            f" one every {given.pause * 1000:.0f} ms; every third in a session; {WHO[mix]}",
            flush=True,
        )
        found = measured(Mix(given.streams, given.seconds, given.pieces, given.pause, mix == "rough"))
        print(report(found), flush=True)
        if grows(found):
            print("memory grows: from {:.1f} to {:.1f} MB".format(*(size / 1e6 for size in growth(found))))
        bad = bad or bool(found.wrong) or grows(found)
    return 1 if bad else 0


def measured(mix: Mix) -> Found:
    """One server and its clients."""
    with TemporaryDirectory() as folder, Path(folder, "log").open("w+", encoding="utf-8") as log:
        options = {
            "port": 0,
            "sessions": Path(folder) / "sessions.db",
            "max-runs": 100_000,
            "buffer": BUFFER,
            "resume-for": RESUME if mix.rough else 0,
            "heartbeat": 5,
            "request-timeout": 5,
            "drain-timeout": 5,
        }
        given = [f"--{name}={value}" for name, value in options.items()]
        command = [sys.executable, "-m", "finalturn", "serve", "tools.bench.load._story:AGENT", *given]
        # That models fail is part of the load, and is logged.
        with started(command, log=log) as process:
            assert process.stdout is not None
            address = process.stdout.readline()
            if not address:
                log.seek(0)
                raise RuntimeError(f"the server did not start: {log.read()}")
            return asyncio.run(Load(address.split()[-1], mix, process.pid).run())


def growth(found: Found) -> tuple[int, int]:
    """Bytes of memory after warming up, and in the end: each the median of some seconds."""
    some = max(1, round(len(found.memory) * WINDOW))
    warm = found.memory[round(len(found.memory) * WARM) :] or found.memory
    return int(statistics.median(warm[:some])), int(statistics.median(warm[-some:]))


def grows(found: Found) -> bool:
    """Whether memory has grown by more than it may."""
    early, late = growth(found)
    return late - early > SLACK + SHARE * early


def report(found: Found) -> str:
    """What was seen, as text."""
    each = ", ".join(f"{count} {path}" for path, count in sorted(found.streams.items()))
    memory = dict(list(enumerate(found.memory))[:: max(1, len(found.memory) // 4)])
    lines = {
        "streams": f"{found.streams.total()} ended, at most {found.most} at once: {each}",
        "records": f"{found.records}, {found.records / found.seconds:.0f}/s",
        "resumed": found.resumed,
        "sessions": f"{found.sessions} read back, whole and in order",
        "memory, MB": ", ".join(f"{size / 1e6:.1f} at {after} s" for after, size in memory.items()),
        "wrong": len(found.wrong),
    }
    return "\n".join(
        [*(f"{name:<18} {value}" for name, value in lines.items()), *(f"  {one}" for one in found.wrong[:10])]
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
