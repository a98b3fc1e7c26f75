"""Cases run on mutants."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from finalturn.contract import CLAUSES
from tests.contract._play import Play
from tests.mutants._sample import Counter, positive, sizes
from tools.contractdocs.evidence.cases import Case
from tools.mutants import _run
from tools.mutants._code import Mutant, unit_at, units
from tools.mutants._functions import mutants_of_function
from tools.mutants._run import PLAYS, Recorder, all_cases, play_of

SAMPLE = "tests.mutants._sample"
MUTANTS = list(mutants_of_function(unit_at(f"{SAMPLE}:positive"), ("x",)))


def runner(monkeypatch: pytest.MonkeyPatch, *tests: Callable[[], None]) -> _run.Runner:
    monkeypatch.setattr(_run, "PATHS", {})
    cases = [Case(test, "tests/x.py", 1, ("x",), {}) for test in tests]
    return _run.Runner(cases, Recorder(one for mutant in MUTANTS for one in mutant.units))


def strict() -> None:
    assert positive(1)
    assert not positive(0)


def lax() -> None:
    assert positive(1)


def broken() -> None:
    assert positive(0), "zero is\npositive"


def failing() -> None:
    pytest.fail("never mind")


def named(what: str) -> Mutant:
    (found,) = [mutant for mutant in MUTANTS if mutant.name.endswith(what)]
    return found


def test_a_case_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    found = runner(monkeypatch, strict).record(0)
    assert found.failure is None
    assert found.reached == {"tests/mutants/_sample.py positive 0"}


def test_a_case_that_fails_is_told_on_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    run = runner(monkeypatch, broken, failing)
    first, second = run.record(0).failure, run.record(1).failure
    assert first is not None and first.startswith("AssertionError: zero is positive")
    assert second == "Failed: never mind"


def test_the_first_case_that_fails_kills(monkeypatch: pytest.MonkeyPatch) -> None:
    run = runner(monkeypatch, lax, strict)
    assert run.kill(named("number > 0 -> number >= 0"), [(0, 0.1), (1, 0.1)]) == 1
    assert run.kill(named("number > 0 -> False"), [(0, 0.1), (1, 0.1)]) in (0, 1)


def test_a_mutant_that_no_case_notices_survives(monkeypatch: pytest.MonkeyPatch) -> None:
    run = runner(monkeypatch, lax)
    assert run.kill(named("number > 0 -> number >= 0"), [(0, 0.1)]) is None
    assert not positive(0)


def test_a_mutant_for_which_nothing_ends_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    def waits() -> None:
        while positive(1):
            pass

    monkeypatch.setattr(_run, "LEAST", 0.05)
    run = runner(monkeypatch, waits)
    assert run.kill(named("number > 0 -> True"), [(0, 0.0)]) == 0


def test_a_case_that_was_only_late_once_does_not_kill(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def late_once() -> None:
        tried.append(1)
        while len(tried) == 1:
            pass

    monkeypatch.setattr(_run, "LEAST", 0.05)
    assert runner(monkeypatch, late_once).kill(named("0 -> 1"), [(0, 0.0)]) is None
    assert len(tried) == 2


def test_what_killed_before_is_tried_first(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def first() -> None:
        tried.append("first")

    def second() -> None:
        tried.append("second")
        strict()

    run = runner(monkeypatch, first, second)
    for _ in range(2):
        run.kill(named("0 -> 1"), [(0, 0.1), (1, 0.1)])
    assert tried == ["first", "second", "second"]


def test_statements_that_run_are_noted() -> None:
    recorder = Recorder(units(SAMPLE))
    with recorder.installed():
        assert sizes([]) == []
        assert Counter.of(1).double == 2
    reached = {name.removeprefix("tests/mutants/_sample.py ") for name in recorder.reached}
    assert reached == {
        "sizes 0",
        "sizes 1",
        "sizes 4",
        "Counter.__init__ 0",
        "Counter.add 0",
        "Counter.double 0",
        "Counter.of 0",
        "Counter.of 1",
        "Counter.of 2",
    }


def test_nothing_is_noted_once_it_is_taken_out() -> None:
    recorder = Recorder(units(SAMPLE))
    with recorder.installed():
        pass
    sizes(["a"])
    assert recorder.reached == set()


def test_rules_that_match_are_noted() -> None:
    recorder = Recorder(())
    with recorder.installed():
        Play("astream-asyncio", "streaming")("Hello")
    assert {"rule start", "rule loop-text", "rule plain-answer", "rule saved"} == recorder.reached


def test_every_clause_has_cases_and_each_is_played_under_some_drivers_only() -> None:
    cases = all_cases()
    assert {clause for case in cases for clause in case.clauses} == {clause.id for clause in CLAUSES}
    assert {play_of(case) for case in cases} >= set(PLAYS)
    plays: dict[object, set[tuple[str, str]]] = {}
    for case in cases:
        plays.setdefault(case.test, set()).add(play_of(case))
    assert all(played <= set(PLAYS) or len(played) == 1 for played in plays.values())
