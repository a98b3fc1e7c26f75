"""Walks the paths, through one driver and with one kind of provider."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

from finalturn import Role
from finalturn._agent import driver as _driver
from tests.contract._observed import Observed
from tests.contract._paths import PATHS
from tests.contract._play import KINDS, WITH_EVERY_KIND, Play

OVER_SOCKETS = ("astream-trio", "run")
"""Drivers whose walks over HTTP have a network: one on each event loop. It takes most of their time."""


@functools.lru_cache(maxsize=4096)
def _play(name: str, play: Play, machine: object) -> Observed:
    return PATHS[name].play(play)


def walk(play: Play) -> Iterator[tuple[str, Observed]]:
    """Play the paths, each once for a driver, a kind of provider and a machine.

    All of them with every driver, and with every kind; with any other pair of the two, one path in four.
    """
    machine: object = getattr(_driver, "Machine")  # noqa: B009  # the one that is installed now
    every = play.kind == KINDS[0] or play.driver in WITH_EVERY_KIND
    for name in (PATHS if every else _part(play)) if only is None else only:
        yield name, _play(name, play.over_sockets if play.driver in OVER_SOCKETS else play, machine)


def _part(play: Play) -> list[str]:
    return list(PATHS)[sum(f"{play.driver} {play.kind}".encode()) % 4 :: 4]


fired: set[str] = set()
"""Rules of machines that tests step by hand, where no turn is observed. A run of mutants looks at them."""

only: Sequence[str] | None = None
"""The paths to walk. A run of mutants leaves those out that a mutant cannot change."""


def said(messages: Any) -> tuple[tuple[str, str | None], ...]:
    """Content and structured of each ASSISTANT message."""
    return tuple((m.content, m.structured) for m in messages if m.role is Role.ASSISTANT)


def is_expected_error(observed: Observed) -> bool:
    return observed.is_failed_by_provider and getattr(observed.error, "retryable", False) is True
