"""Cases run on mutants."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.mutants._sample import positive
from tools.contractdocs.evidence.cases import Case
from tools.mutants import _run
from tools.mutants._functions import mutants_of_modules
from tools.mutants._mutant import Mutant
from tools.mutants._record import Recorder

MUTANTS = list(mutants_of_modules({"tests.mutants._sample": {"positive": ("x",)}}))


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


def test_mutants_of_functions_have_names_places_and_sites() -> None:
    assert [(mutant.name.rpartition("positive: ")[2], mutant.line) for mutant in MUTANTS] == [
        ("number > 0 -> False", 10),
        ("number > 0 -> True", 10),
        ("number > 0 -> number <= 0", 10),
        ("number > 0 -> number >= 0", 10),
        ("0 -> 1", 10),
    ]
    assert {mutant.sites for mutant in MUTANTS} == {frozenset({"tests/mutants/_sample.py positive 0"})}


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

    run = runner(monkeypatch, waits)
    assert run.kill(named("number > 0 -> True"), [(0, 0.0)]) == 0


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
