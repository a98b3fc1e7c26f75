"""``python -m tools.bench [--quick] [--json FILE] [--peers FOLDER]``: what a turn costs."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import httpx2

from tools.bench import _long, _parts, _works
from tools.bench._measure import QUICK, WITH_PEERS, Plan, Section, as_json, heading, shown, summary
from tools.bench._site import Peer, Site, peers, serving

OVER_HTTP = (
    _works.burst,
    _works.paced,
    _parts.layers,
    _works.turn,
    _works.history,
    _works.tools,
    _works.first,
    _long.streams,
    _long.talk,
)


def main(arguments: Sequence[str]) -> int:
    """Measure everything, print it, and write it to a file if asked to."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one small round: shows only that it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the figures")
    parser.add_argument(
        "--peers", type=Path, metavar="FOLDER", help="measure other libraries too, from there"
    )
    given = parser.parse_args(arguments)
    plan = QUICK if given.quick else Plan() if given.peers is None else WITH_PEERS
    with peers(given.peers) as others:
        sections = asyncio.run(measured(plan, others))
        if given.json is not None:
            document = as_json(plan, sections, [peer.name for peer in others])
            given.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


async def measured(plan: Plan, others: Sequence[Peer]) -> list[Section]:
    """Measure everything, and print each section once it is there."""
    print(heading(plan), flush=True)
    sections: list[Section] = []
    async for section in _sections(plan, others):
        print(shown(section), flush=True)
        sections.append(section)
    print(summary(sections), flush=True)
    return sections


async def _sections(plan: Plan, others: Sequence[Peer]) -> AsyncIterator[Section]:
    yield await _parts.imports(plan)
    with serving() as server:
        async with httpx2.AsyncClient() as client:
            for measure in OVER_HTTP:
                yield await measure(plan, Site(server, client, others))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
