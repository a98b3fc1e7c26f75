"""Runs proofs of the contract on mutants, in processes of their own, two at a time."""

from __future__ import annotations

import ast
import copy
import functools
import gc
import logging
import multiprocessing
import os
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from types import CodeType
from typing import TypeAlias
from unittest import mock

from finalturn._agent.spec import OBSERVERS_OF_ALL
from finalturn._core.turn import TABLE
from finalturn.observers import ObservedTurn, RuleFired, TurnEvent
from tests._limited import TooLong, limited
from tests.contract import _walk
from tests.contract._observed import Observed
from tests.contract._paths import PATHS
from tests.contract._play import Play
from tools.contractdocs.evidence.cases import Case, collect
from tools.contractdocs.evidence.model import one_line
from tools.mutants._code import Mutant, Unit, rule_site, site, statements, swapped
from tools.mutants._functions import mutants_of_functions
from tools.mutants._table import machine_of, mutants_of_table
from tools.mutants.handwritten import HANDWRITTEN

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
"""The plays for what is the same under every driver and kind of provider."""

RECENT = 8
"""How many cases are tried first, because they failed on other mutants."""

CASE_LIMIT = 20.0
"""Seconds that a case may take without any mutation."""

LEAST = 1.0
"""Seconds that a case may take on a mutant, however quick it is without any."""

LIMIT = 3600.0
"""Seconds for all of them: each case has a limit, and yet a process may be lost."""

Task: TypeAlias = tuple[int, Sequence[tuple[int, float]]]
"""A mutant by its place, and the cases to run on it: each by its place, and how long it takes."""


@functools.cache
def all_mutants() -> Sequence[Mutant]:
    """Of the table, of the functions around it, and those written by hand.

    Raises:
        LookupError: a function is no longer where a mutant written by hand looks for it.
    """
    by_hand = (mutant for wrong in HANDWRITTEN for mutant in wrong.mutants())
    return [*mutants_of_table(TABLE), *mutants_of_functions(TABLE), *by_hand]


@functools.cache
def all_cases() -> Sequence[Case]:
    """The contract's tests, each with each of its parameters, under `PLAYS`; else under its first play."""
    runnable = [case for case in collect()[0] if case.clauses and case.fault is None and case.skip is None]
    plays: dict[object, dict[tuple[str, str], None]] = {}
    for case in runnable:
        plays.setdefault(case.test, {})[play_of(case)] = None
    chosen = {
        test: [play for play in found if play in PLAYS] or [*found][:1] for test, found in plays.items()
    }
    return [case for case in runnable if play_of(case) in chosen[case.test]]


def play_of(case: Case) -> tuple[str, str]:
    """The driver and the kind of provider; two empty texts where it has none."""
    return case.driver, case.kind


class Recorder:
    """Notes which rules of the table and which statements of functions are reached while it is installed.

    Attributes:
        reached: the sites since it was last cleared.
    """

    NOTE = "__finalturn_mutants_reached__"

    def __init__(self, watched: Iterable[Unit]) -> None:
        self.reached: set[str] = set()
        self._units = tuple(dict.fromkeys(watched))

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Note what is reached, in every thread."""
        reached = self.reached
        reached.clear()
        _walk.fired.clear()

        for unit in self._units:
            # It stays there: a thread may still run such code when the case is over.
            unit.function.__globals__[self.NOTE] = reached
        observer = _RuleNotes(reached)
        OBSERVERS_OF_ALL.append(observer)
        try:
            with swapped([(unit, _noting(unit)) for unit in self._units]), machine_of(TABLE):
                yield
        finally:
            reached |= {rule_site(rule) for rule in _walk.fired}
            OBSERVERS_OF_ALL.remove(observer)


class _RuleNotes:
    """Observes every turn, and notes which rules fire."""

    def __init__(self, reached: set[str]) -> None:
        self._reached = reached

    def observe(self, turn: ObservedTurn, /) -> _RuleNotes:
        return self

    def on_event(self, event: TurnEvent, /) -> None:
        if isinstance(event, RuleFired):
            self._reached.add(rule_site(event.rule))


@functools.cache
def _noting(unit: Unit) -> CodeType:
    """The function's code, with a note before each statement."""
    memo: dict[int, object] = {}
    top = copy.deepcopy(unit.top, memo)
    notes = {
        id(memo[id(old)]): ast.parse(f"{Recorder.NOTE}.add({site(unit, old)!r})").body[0]
        for old in statements(unit.node)
    }
    for node in ast.walk(top):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                noted = ((notes[id(old)], old) if id(old) in notes else (old,) for old in block)
                setattr(node, field, [part for parts in noted for part in parts])
    return unit.compiled(top)


@dataclass(frozen=True)
class Recorded:
    """A run of a case, or of a path, without any mutation.

    Attributes:
        failure: what it failed with, on one line; ``None`` when it passed.
        reached: the sites that it reached.
        seconds: how long it took.
    """

    failure: str | None
    reached: frozenset[str]
    seconds: float


class Runner:
    """Calls cases, with a limit of time: a mutant may wait for something that never comes."""

    def __init__(self, cases: Sequence[Case], recorder: Recorder) -> None:
        warnings.simplefilter("ignore")
        logging.getLogger().addHandler(logging.NullHandler())
        sys.unraisablehook = lambda unraisable: None
        gc.collect()
        gc.freeze()
        self._cases = cases
        self._killers: defaultdict[str, list[int]] = defaultdict(list)
        self._recorder = recorder
        self._walks: dict[tuple[str, Play], tuple[Observed, Recorded]] = {}
        self._walked: list[Recorded] = []
        self._of_paths = {name: self._reached_by_path(name) for name in PATHS}

    def record(self, place: int) -> Recorded:
        """Run one case as it is. A path that it walks is played once for all cases, and counts in each."""
        self._walked.clear()
        with self._recorder.installed(), mock.patch.object(_walk, "_play", self._walk_once):
            began = perf_counter()
            error = _failure(self._cases[place], CASE_LIMIT)
            seconds = perf_counter() - began
        failure = None if error is None else one_line(error)
        reached = self._recorder.reached.union(*(walk.reached for walk in self._walked))
        return Recorded(failure, frozenset(reached), seconds + sum(walk.seconds for walk in self._walked))

    def kill(self, mutant: Mutant, candidates: Iterable[tuple[int, float]]) -> int | None:
        """The first of these cases that fails on the mutant. What failed on others of its file goes first.

        Args:
            mutant: what is put in place.
            candidates: cases by their place, and how long each takes.
        """
        paths = [name for name, reached in self._of_paths.items() if mutant.concerns(reached)]
        killers = self._killers[mutant.file]
        recent = list(dict.fromkeys(killers))[:RECENT]
        likely = sorted(candidates, key=lambda case: recent.index(case[0]) if case[0] in recent else RECENT)
        with (
            mock.patch.object(_walk, "only", paths),
            machine_of(TABLE),
            mutant.install(),
        ):
            for place, seconds in likely:
                failure = _failure(self._cases[place], LEAST + 20 * seconds)
                if isinstance(failure, TooLong):
                    # The machine may have been busy.
                    failure = _failure(self._cases[place], LEAST + 20 * seconds)
                if failure is not None:
                    killers.insert(0, place)
                    return place
        return None

    def _reached_by_path(self, name: str) -> frozenset[str]:
        """What a path reaches, whatever plays it."""
        with self._recorder.installed():
            for driver, kind in PLAYS:
                self._walk_once(name, Play(driver, kind))
        return frozenset().union(*(self._walks[name, Play(*play)][1].reached for play in PLAYS))

    def _walk_once(self, name: str, play: Play, machine: object = None) -> Observed:
        """Play a path while the recorder is installed; the first time, note what that reaches."""
        if (name, play) not in self._walks:
            reached = self._recorder.reached
            before = set(reached)
            reached.clear()
            began = perf_counter()
            observed = PATHS[name].play(play)
            self._walks[name, play] = observed, Recorded(None, frozenset(reached), perf_counter() - began)
            reached |= before
        observed, recorded = self._walks[name, play]
        self._walked.append(recorded)
        return observed


def _failure(case: Case, limit: float) -> BaseException | None:
    try:
        with limited(limit):
            case.test(**case.values)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        # What pytest.raises and pytest.fail raise is not an Exception, and neither is what stops it.
        return error
    return None


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
    # A fork has the mutants and the cases already. Elsewhere than on Linux it is not safe.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    pool = ProcessPoolExecutor(min(2, os.cpu_count() or 1), context)
    try:
        yield Workers(pool)
    finally:
        # A thread that a mutant has left behind must not keep the process.
        for process in multiprocessing.active_children():
            process.kill()
        pool.shutdown(cancel_futures=True)


@functools.cache
def _runner() -> Runner:
    """That of this process."""
    return Runner(all_cases(), Recorder(unit for mutant in all_mutants() for unit in mutant.units))


def _record(place: int) -> Recorded:
    return _runner().record(place)


def _kill(task: Task) -> int | None:
    mutant, candidates = task
    return _runner().kill(all_mutants()[mutant], candidates)
