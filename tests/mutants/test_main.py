"""The run as a whole, with processes that are not there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from tools.contractdocs._evidence_cases import Case
from tools.mutants import __main__ as main
from tools.mutants._mutant import Mutant
from tools.mutants._run import Recorded
from tools.mutants._table import mutants_of
from tools.mutants._verdict import Task

from tests.mutants._tables import PLACES, TABLE


def test() -> None: ...


CASES = [Case(test, "tests/contract/test_x.py", 5, ("answer-call-known", "result-is-last"), {})]
MUTANTS = list(mutants_of(TABLE, PLACES))
ALL_SITES = frozenset(f"rule {rule.name}" for rule in TABLE)


class Workers:
    """Every case ends as it is told to."""

    def __init__(self, failure: str | None = None, survivors: Sequence[str] = ()) -> None:
        self._failure = failure
        self._survivors = survivors

    def record(self, count: int) -> list[Recorded]:
        return [Recorded(self._failure, ALL_SITES, 0.1)] * count

    def kill(self, tasks: Sequence[Task]) -> list[int | None]:
        return [
            None if MUTANTS[place].name in self._survivors or not candidates else candidates[0][0]
            for place, candidates in tasks
        ]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> object:
    def run(
        workers: Workers | None = None,
        *,
        mutants: list[Mutant] = MUTANTS,
        cases: list[Case] = CASES,
        excuses: str = "",
    ) -> tuple[int, list[str]]:
        @contextmanager
        def fake() -> Iterator[Workers]:
            yield workers or Workers()

        monkeypatch.setattr(main, "workers", fake)
        monkeypatch.setattr(main, "all_mutants", lambda: (mutants, []))
        monkeypatch.setattr(main, "cases", lambda: cases)
        monkeypatch.setattr(main, "excuses_file", lambda: excuses)
        code = main.main()
        return code, capsys.readouterr().out.splitlines()

    return run
