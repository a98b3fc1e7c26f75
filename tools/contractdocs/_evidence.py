"""What a run of the contract's tests and of the documents' examples came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Outcome: TypeAlias = Literal["passed", "failed", "skipped"]


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
    """One Python fence of a document.

    Attributes:
        file: the document, from the root.
        line: of the fence.
        outcome: how it ended.
        detail: what it printed and what the page says; why it failed; or its reason to be skipped.
    """

    file: str
    line: int
    outcome: Outcome
    detail: str = ""


@dataclass(frozen=True)
class Evidence:
    """The whole run.

    Attributes:
        proofs: every case of every test in tests/contract that proves a clause.
        examples: every Python fence.
        unclaimed: tests in tests/contract that prove no clause: file, line and name.
    """

    proofs: tuple[Proof, ...] = ()
    examples: tuple[Example, ...] = ()
    unclaimed: tuple[tuple[str, int, str], ...] = ()
