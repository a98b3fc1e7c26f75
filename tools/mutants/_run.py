"""Runs cases on mutants."""

from __future__ import annotations

import functools
import gc
import logging
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from unittest import mock

from finalturn.core.turn import Machine
from tests._limited import limited
from tests.contract import _walk
from tests.contract._paths import PATHS
from tests.contract._play import Play
from tools.contractdocs.evidence.cases import Case
from tools.contractdocs.evidence.model import one_line
from tools.mutants._cases import PLAYS
from tools.mutants._mutant import Mutant
from tools.mutants._record import Recorder

RECENT = 8
"""How many cases are tried first, because they failed on other mutants."""

LIMIT = 20.0
"""Seconds that a case may take without any mutation."""


@dataclass(frozen=True)
class Recorded:
    """A case's run without any mutation.

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
        self._of_paths = {name: self._reached_by_path(name) for name in PATHS}

    def record(self, place: int) -> Recorded:
        """Run one case as it is."""
        with self._recorder.installed():
            self._recorder.reached.clear()
            began = perf_counter()
            error = _failure(self._cases[place], LIMIT)
            seconds = perf_counter() - began
        failure = None if error is None else one_line(error)
        return Recorded(failure, frozenset(self._recorder.reached), seconds)

    def kill(self, mutant: Mutant, candidates: Iterable[tuple[int, float]]) -> int | None:
        """The first of these cases that fails on the mutant.

        Args:
            mutant: what is put in place.
            candidates: cases by their place, and how long each takes.
        """
        paths = [name for name, reached in self._of_paths.items() if mutant.concerns(reached)]
        with (
            mock.patch.object(_walk, "only", paths),
            # Another machine, so that no path is taken from a run before.
            mock.patch("finalturn.agent._driver.Machine", functools.partial(Machine)),
            mutant.install(),
        ):
            for place, seconds in self._likely_first(mutant, candidates):
                if _failure(self._cases[place], 1 + 20 * seconds) is not None:
                    self._killers[mutant.file].insert(0, place)
                    return place
        return None

    def _likely_first(
        self, mutant: Mutant, candidates: Iterable[tuple[int, float]]
    ) -> list[tuple[int, float]]:
        """Cases that failed on the last mutants of the same file are tried first."""
        recent = list(dict.fromkeys(self._killers[mutant.file]))[:RECENT]
        return sorted(candidates, key=lambda one: recent.index(one[0]) if one[0] in recent else RECENT)

    def _reached_by_path(self, name: str) -> frozenset[str]:
        """What a path reaches, whatever plays it."""
        with self._recorder.installed():
            self._recorder.reached.clear()
            for driver, kind in PLAYS:
                PATHS[name].play(Play(driver, kind))
        return frozenset(self._recorder.reached)


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
