"""What a run of the contract's tests and of the documents' examples came to."""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from tests.contract._exemptions import Exemption
from tools.contractdocs.findings import frames, place_of, relative

Outcome: TypeAlias = Literal["passed", "failed", "skipped"]

# Written out here, and not taken from the tests: there, dropping one would drop its proofs unseen.
CHUNK_DRIVERS = ("stream", "astream-asyncio", "astream-trio")
TOKEN_DRIVERS = ("run", "arun-asyncio", "arun-trio")
HTTP_DRIVERS = ("http-stream", "http-chat", "ag-ui", "ai-sdk")
EVERY_DRIVER = (*CHUNK_DRIVERS, *TOKEN_DRIVERS, *HTTP_DRIVERS)
PROVIDERS = ("streaming", "whole-reply", "sync-whole-reply", "sync-stream", "http")

DRIVERS = {
    "chunks": CHUNK_DRIVERS,
    "tokens": TOKEN_DRIVERS,
    "result": (*CHUNK_DRIVERS, *TOKEN_DRIVERS),
    # A turn that is asked for over HTTP is saved, and asks a provider, as any other.
    "history": EVERY_DRIVER,
    "request": EVERY_DRIVER,
    "http": HTTP_DRIVERS,
}
"""By surface, the ways to drive a turn with which a clause has to be proved on it."""


@dataclass(frozen=True)
class Proof:
    """One case of one test.

    Attributes:
        clauses: the ids that it proves.
        test: the function's name.
        file: where it is, from the root.
        line: of its ``def``.
        driver: how the turn was driven, such as ``astream-trio``.
        kind: of provider, such as ``whole-reply``.
        read: the surfaces whose showing the test looked at: values of `Surface`.
        outcome: how it ended.
        detail: why it failed or was skipped, on one line.
    """

    clauses: tuple[str, ...]
    test: str
    file: str
    line: int
    driver: str
    kind: str
    read: frozenset[str]
    outcome: Outcome
    detail: str = ""


@dataclass(frozen=True)
class Example:
    """One Python fence of a document, its line, how it ended, and why it failed or was skipped."""

    file: str
    line: int
    outcome: Outcome
    detail: str = ""


@dataclass(frozen=True)
class Broken:
    """What kept tests from being run, such as a module that cannot be imported: where, and in words."""

    file: str
    line: int
    what: str


@dataclass(frozen=True)
class Evidence:
    """The whole run.

    Attributes:
        proofs: every case of every test in tests/contract that proves a clause.
        examples: every Python fence.
        broken: what could not be run.
        exempt: combinations that need no proof.
    """

    proofs: tuple[Proof, ...] = ()
    examples: tuple[Example, ...] = ()
    broken: tuple[Broken, ...] = ()
    exempt: tuple[Exemption, ...] = ()


def broken_by(error: BaseException, path: Path, what: str) -> Broken:
    """What kept a file from being used: the last place of ours that the error came through."""
    file, line = place_of(error, path) or (relative(path), 1)
    return Broken(file, line, f"{relative(path)} {what}: {one_line(error)}")


def one_line(error: BaseException) -> str:
    """An error as a few words; an assertion without any, as its source text."""
    words = " ".join(str(error).split())
    if not words and isinstance(error, AssertionError):
        name, number = frames(error)[-1]
        words = f"{linecache.getline(name, number).strip()} ({relative(Path(name))}:{number})"
    return f"{type(error).__name__}: {words[:300]}" if words else type(error).__name__
