"""``python -m tools.bench [--quick] [--json FILE] [--peers FOLDER]``."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import nullcontext
from pathlib import Path

import httpx2

from tools.bench import (
    _delta,
    _first,
    _history,
    _import,
    _layers,
    _machine,
    _streams,
    _talk,
    _tools,
    _turn,
)
from tools.bench._figure import Section
from tools.bench._peers import peers
from tools.bench._report import as_json, heading, summary, table
from tools.bench._rounds import QUICK, WITH_PEERS, Plan
from tools.bench._serving import serving
from tools.bench._site import Site

_OVER_HTTP = (
    _delta.measure,
    _delta.measure_paced,
    _layers.measure,
    _turn.measure,
    _history.measure,
    _tools.measure,
    _first.measure,
    _streams.measure,
    _talk.measure,
)


def main(arguments: list[str]) -> int:
    """Measure everything, print it, and write it to a file if asked to."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one small round: shows only that it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the figures")
    parser.add_argument(
        "--peers",
        type=Path,
        metavar="FOLDER",
        help="measure other libraries too, in their environments there",
    )
    given = parser.parse_args(arguments)
    plan = QUICK if given.quick else Plan() if given.peers is None else WITH_PEERS
    others: list[str] = []
    sections = asyncio.run(_measured(plan, given.peers, others))
    if given.json is not None:
        given.json.write_text(json.dumps(as_json(plan, sections, others), indent=1) + "\n")
    return 0


async def _measured(plan: Plan, folder: Path | None, others: list[str]) -> list[Section]:
    print(heading(plan), flush=True)
    sections: list[Section] = []
    async for section in _sections(plan, folder, others):
        print(table(section), flush=True)
        sections.append(section)
    print(summary(sections), flush=True)
    return sections


async def _sections(plan: Plan, folder: Path | None, others: list[str]) -> AsyncIterator[Section]:
    yield await _import.measure(plan)
    yield await _machine.measure(plan)
    with serving() as server, nullcontext(()) if folder is None else peers(folder) as found:
        others += [peer.name for peer in found]
        async with httpx2.AsyncClient() as client:
            site = Site(server, client, found)
            for measure in _OVER_HTTP:
                yield await measure(plan, site)
    yield await _history.measure_own(plan)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
