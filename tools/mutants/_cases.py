"""The contract's tests as cases to call: every test with each of its parameters, under some drivers."""

from __future__ import annotations

from tools.contractdocs.evidence.cases import Case, collect
from tools.contractdocs.evidence.model import Broken

PLAYS = (
    ("astream-asyncio", "streaming"),
    ("arun-asyncio", "streaming"),
    ("stream", "streaming"),
    ("run", "streaming"),
    ("astream-asyncio", "whole-reply"),
    ("arun-asyncio", "whole-reply"),
    ("astream-asyncio", "sync-stream"),
    ("astream-trio", "streaming"),
    ("astream-asyncio", "http"),
    ("http-stream", "streaming"),
    ("http-chat", "streaming"),
    ("ag-ui", "streaming"),
    ("ai-sdk", "streaming"),
)
"""Each driver and each kind of provider, but not each with each."""

TABLE_PLAYS = PLAYS[:2]
"""One for each surface: the machine is the same under every driver and kind of provider."""


def cases() -> list[Case]:
    """Every case under the drivers above; of a test that has none of them, those under its first."""
    runnable = [case for case in collect()[0] if case.clauses and case.fault is None and case.skip is None]
    plays: dict[object, dict[tuple[str, str], None]] = {}
    for case in runnable:
        plays.setdefault(case.test, {})[play_of(case)] = None
    chosen = {test: _chosen(list(found)) for test, found in plays.items()}
    return [case for case in runnable if play_of(case) in chosen[case.test]]


def unreadable() -> list[Broken]:
    """What of the contract's tests cannot be read, and so proves nothing."""
    return collect()[1]


def play_of(case: Case) -> tuple[str, str]:
    """The driver and the kind of provider; two empty texts where it has none."""
    return case.driver, case.kind


def is_blocking(case: Case) -> bool:
    """Whether it waits for a thread of its own, which cannot be stopped when it never ends."""
    return case.driver in ("run", "stream")


def _chosen(plays: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [play for play in plays if play in PLAYS] or plays[:1]
