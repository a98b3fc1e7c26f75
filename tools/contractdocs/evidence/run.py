"""``python -m tools.contractdocs.evidence.run PART PARTS FILE``: one part of the run, in its own process.

It writes one JSON value to a line: what begins, and what it came to.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests._limited import TooLong, limited
from tools.contractdocs.evidence.cases import Case, collect
from tools.contractdocs.evidence.model import Outcome, broken_by, one_line, relative

LIMIT = 10
"""Seconds that a case may take."""

MOST_STOPPED = 3
"""When as many tests have had to be stopped, no other is begun: they would all have to be waited for."""

Write = Callable[..., None]


class Ended(NamedTuple):
    """How a case ended: the surfaces that it looked at, and why it did not pass."""

    read: list[str]
    outcome: Outcome
    detail: str = ""


NOT_BEGUN = Ended([], "failed", "not run, as others had to be stopped")


def run(part: int, parts: int, write: Write) -> None:
    """Run one part: every ``parts``-th driver with a kind of provider, and example."""
    cases, broken = collect()
    # What is imported stays: the collector need not look at it again and again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 50)
    plays = list(dict.fromkeys((case.driver, case.kind) for case in cases))
    turn = {play: place % parts for place, play in enumerate(plays)}
    mine = [(place, case) for place, case in enumerate(cases) if turn[case.driver, case.kind] == part]
    if part == 0:
        without = [(case.file, case.line, case.test.__name__) for case in cases if not case.clauses]
        write(broken=[asdict(one) for one in broken], unclaimed=list(dict.fromkeys(without)))
    stopped: set[object] = set()
    for place, case in mine:
        if case.clauses:
            write(begun=[case.file, case.line, _name(case)])
            hopeless = case.test in stopped or len(stopped) == MOST_STOPPED
            ended = NOT_BEGUN if hopeless else play(case)
            if ended.detail.startswith(TooLong.__name__):
                stopped.add(case.test)
            write(case=_record(case, ended), place=place)
    _examples(part, parts, write)
    write(ended=True)


def play(case: Case) -> Ended:
    """Run one case."""
    from tests.contract._reads import forget, noted

    if case.fault is not None:
        return Ended([], "failed", f"cannot be run: {case.fault}")
    if case.skip is not None:
        return Ended([], "skipped", case.skip)
    forget()
    try:
        with limited(LIMIT):
            case.test(**case.values)
    except pytest.skip.Exception as skipped:
        return Ended([], "skipped", str(skipped))
    except pytest.xfail.Exception as failing:
        return Ended([], "skipped", f"xfail: {failing}")
    except BaseException as error:
        return Ended([], "failed", one_line(error))
    return Ended([surface.value for surface in sorted(noted(case.driver, case.kind))], "passed")


def _examples(part: int, parts: int, write: Write) -> None:
    try:
        from tools.contractdocs.evidence import examples as documents

        found = documents.find()[part::parts]
        for example in found:
            write(begun=[relative(example.path), example.start_line, "its example"])
            for done in documents.run([example]):
                write(example=asdict(done))
    except Exception as error:
        write(broken=[asdict(broken_by(error, Path(__file__).resolve(), "cannot run the examples"))])


def _record(case: Case, ended: Ended) -> dict[str, Any]:
    return {
        "clauses": case.clauses,
        "test": case.test.__name__,
        "file": case.file,
        "line": case.line,
        "driver": case.driver,
        "kind": case.kind,
        **ended._asdict(),
    }


def _name(case: Case) -> str:
    return f"{case.test.__name__}[{case.driver}-{case.kind}]"


def main(arguments: list[str]) -> None:
    """Run a part and write what it came to."""
    part, parts, name = int(arguments[0]), int(arguments[1]), arguments[2]
    warnings.simplefilter("error")
    logging.lastResort = None
    with open(name, "w", encoding="utf-8") as file:

        def write(**values: object) -> None:
            file.write(json.dumps(values) + "\n")
            file.flush()

        try:
            run(part, parts, write)
        except Exception as error:
            broken = broken_by(error, Path(__file__).resolve(), "could not go on")
            write(broken=[asdict(broken)], ended=True)
    # A thread that a test has left behind must not keep the process.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
