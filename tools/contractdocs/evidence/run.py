"""One part of the run of the contract's tests and the documents' examples, in its own process."""

from __future__ import annotations

import gc
import logging
import os
import pickle
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests._limited import TooLong, limited
from tools.contractdocs.evidence import examples
from tools.contractdocs.evidence.cases import Case, collect
from tools.contractdocs.evidence.model import Outcome, Proof, broken_by, one_line

LIMIT = 10
"""Seconds that a case may take."""


class Ended(NamedTuple):
    """How a case ended: the surfaces that it looked at, and why it did not pass."""

    read: frozenset[str]
    outcome: Outcome
    detail: str = ""


NOTHING: frozenset[str] = frozenset()
NOT_BEGUN = Ended(NOTHING, "failed", "not run, as another case had to be stopped")


def main(part: int, parts: int) -> None:
    """Run a part, and write all that it comes to at its end."""
    with open(os.dup(1), "wb") as out:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a test prints is nobody's to read
        warnings.simplefilter("error")
        logging.lastResort = None
        try:
            items = list(run(part, parts))
        except Exception as error:
            items = [broken_by(error, Path(__file__), "could not go on")]
        pickle.dump(items, out)
    # A thread that a test has left behind must not keep the process.
    os._exit(0)


def run(part: int, parts: int) -> Iterator[object]:
    """Run every ``parts``-th driver with a kind of provider, and example.

    Yields:
        What each came to, and what is broken.
    """
    cases, broken = collect()
    # What is imported stays: the collector need not look at it again and again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 50)
    if part == 0:
        yield from broken
    plays = list(dict.fromkeys((case.driver, case.kind) for case in cases))
    mine = plays[part::parts]
    stopped = False
    for case in cases:
        if (case.driver, case.kind) in mine:
            name = case.test.__name__
            ended = NOT_BEGUN if stopped else play(case)  # the others would have to be waited for as well
            stopped = stopped or ended.detail.startswith(TooLong.__name__)
            yield Proof(case.clauses, name, case.file, case.line, case.driver, case.kind, *ended)
    yield from examples.run(examples.find()[part::parts])


def play(case: Case) -> Ended:
    """Run one case."""
    from tests.contract._reads import forget, noted

    if case.fault is not None:
        return Ended(NOTHING, "failed", f"cannot be run: {case.fault}")
    if case.skip is not None:
        return Ended(NOTHING, "skipped", case.skip)
    forget()
    try:
        with limited(LIMIT):
            case.test(**case.values)
    except (pytest.skip.Exception, pytest.xfail.Exception) as skipped:
        return Ended(NOTHING, "skipped", str(skipped))
    except BaseException as error:
        return Ended(NOTHING, "failed", one_line(error))
    return Ended(frozenset(surface.value for surface in noted(case.driver, case.kind)), "passed")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
