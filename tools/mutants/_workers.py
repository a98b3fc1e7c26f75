"""Runs cases in processes of their own, two at a time."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from tools.contractdocs.evidence.cases import Case
from tools.mutants._all import all_mutants
from tools.mutants._cases import cases
from tools.mutants._mutant import Mutant
from tools.mutants._record import Recorder
from tools.mutants._run import Recorded, Runner

LIMIT = 3600.0
"""Seconds for all of them: each case has a limit, and yet a process may be lost."""

Task = tuple[int, Sequence[tuple[int, float]]]
"""A mutant by its place, and the cases to run on it: each by its place, and how long it takes."""


@dataclass
class _Process:
    """What a process works with."""

    mutants: list[Mutant]
    runner: Runner


_process: list[_Process] = []


class Workers:
    """Processes that have the same mutants and cases, in the same order."""

    def __init__(self, pool: ProcessPoolExecutor) -> None:
        self._pool = pool

    def record(self, count: int) -> list[Recorded]:
        """Run that many cases as they are."""
        return list(self._pool.map(_record, range(count), chunksize=16, timeout=LIMIT))

    def kill(self, tasks: Sequence[Task]) -> list[int | None]:
        """For each task the case that fails on its mutant."""
        return list(self._pool.map(_kill, tasks, chunksize=8, timeout=LIMIT))


@contextmanager
def workers() -> Iterator[Workers]:
    """As many as there are processors, and two at most."""
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(2, os.cpu_count() or 1), context, _begin)
    try:
        yield Workers(pool)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        # A thread that a mutant has left behind must not keep the process.
        for process in multiprocessing.active_children():
            process.kill()


def everything() -> tuple[list[Mutant], list[Case]]:
    """The mutants and the cases, in the order in which tasks name them."""
    return all_mutants()[0], cases()


def _begin() -> None:
    mutants, found = everything()
    recorder = Recorder(one for mutant in mutants for one in mutant.units)
    _process.append(_Process(mutants, Runner(found, recorder)))


def _record(place: int) -> Recorded:
    return _process[0].runner.record(place)


def _kill(task: Task) -> int | None:
    mutant, candidates = task
    return _process[0].runner.kill(_process[0].mutants[mutant], candidates)
