"""What a script comes to on one surface, with one kind of provider: others are compared with it."""

from __future__ import annotations

import functools
from typing import Any

from finalturn import StructuredOutputConfig
from finalturn._agent import driver as _driver
from finalturn.providers import Scripted
from tests.contract._observed import Observed
from tests.contract._path import SPENT
from tests.contract._play import Play
from tests.contract._scenes import ANSWER, FINAL, HOLD, INVALID, LOOKUP, NO_REUSE, PROSE, Ticket, lookup

SCRIPTS: dict[str, tuple[Any, ...]] = {
    "synthesis": (["Look. ", LOOKUP], [Scripted.reasoning("hm"), *PROSE], [INVALID], [ANSWER]),
    "reuse": ([LOOKUP, LOOKUP], Scripted.pieces(ANSWER, 6)),
    "held": ([*PROSE, f"\n```json\n{ANSWER}\n```\nBye"], [ANSWER]),
    "failed": (PROSE, ["no"], ["no"], ["no"]),
}
CONFIGS: dict[str, StructuredOutputConfig | None] = {
    "final": FINAL,
    "hold": HOLD,
    "no-reuse": NO_REUSE,
    "default": None,
}


def play_script(play: Play, name: str, config: str) -> Observed:
    """Play a script with a configuration; each call costs the same."""
    calls = [[SPENT, *call] for call in (*SCRIPTS[name], [ANSWER], [ANSWER])]
    return play(*calls, response_format=Ticket, config=CONFIGS[config], tools=[lookup])


def reference(kind: str, name: str, config: str) -> Observed:
    """The same on an asynchronous stream, played once for each machine."""
    return _reference(kind, name, config, getattr(_driver, "Machine"))  # noqa: B009


@functools.lru_cache(maxsize=512)
def _reference(kind: str, name: str, config: str, machine: object) -> Observed:
    return play_script(Play("astream-asyncio", kind, sockets=False), name, config)
