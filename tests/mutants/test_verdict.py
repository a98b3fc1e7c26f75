"""Which cases are run on which mutants, and what the kills say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

from tools.contractdocs.evidence.cases import Case
from tools.mutants._mutant import Mutant
from tools.mutants._run import Recorded
from tools.mutants._verdict import Claim, Judge, Task, Verdict


class _Play:
    def __init__(self, driver: str, kind: str = "streaming") -> None:
        self.driver, self.kind = driver, kind


def case(name: str, *clauses: str, driver: str = "astream-asyncio") -> Case:
    def test() -> None: ...

    test.__name__ = name
    return Case(test, "tests/x.py", 1, clauses, {"play": _Play(driver)})


def mutant(name: str, *clauses: str, **more: Any) -> Mutant:
    more = {"file": "src/a.py", "line": 1, "sites": frozenset({name}), **more}
    return Mutant(name=name, clauses=clauses, install=nullcontext, **more)


def recorded(*reached: str, seconds: float = 0.1) -> Recorded:
    return Recorded(None, frozenset(reached), seconds)


def judged(
    mutants: Sequence[Mutant],
    cases: Sequence[Case],
    records: Sequence[Recorded],
    kills: Callable[[str, str], bool],
    *claims: Claim,
) -> tuple[Verdict, list[tuple[str, list[str]]]]:
    """The verdict, and which cases were tried on which mutant."""
    tried: list[tuple[str, list[str]]] = []

    def kill(tasks: Sequence[Task]) -> list[int | None]:
        found: list[int | None] = []
        for place, candidates in tasks:
            names = [cases[one].test.__name__ for one, _ in candidates]
            tried.append((mutants[place].name, names))
            found.append(
                next(
                    (one for one, _ in candidates if kills(mutants[place].name, cases[one].test.__name__)),
                    None,
                )
            )
        return found

    return Judge(mutants, cases, records, kill).verdict(claims), tried


def test_a_mutant_that_a_proof_of_its_clause_catches_does_not_survive() -> None:
    verdict, _ = judged([mutant("m", "x")], [case("t", "x")], [recorded("m")], lambda m, t: True, Claim("x"))
    assert (verdict.survivors, verdict.toothless) == ([], [])


def test_proofs_of_other_clauses_do_not_count() -> None:
    one = mutant("m", "x")
    verdict, tried = judged([one], [case("t", "y")], [recorded("m")], lambda m, t: True)
    assert verdict.survivors == [one]
    assert tried == [("m", [])]


def test_only_cases_that_reach_the_mutant_are_tried() -> None:
    cases = [case("reaches", "x"), case("does not", "x")]
    _, tried = judged([mutant("m", "x")], cases, [recorded("m"), recorded("n")], lambda m, t: False)
    assert tried == [("m", ["reaches"])]


def test_quick_cases_are_tried_first_and_blocking_ones_last() -> None:
    cases = [case("slow", "x"), case("quick", "x"), case("blocking", "x", driver="run")]
    records = [recorded("m", seconds=2), recorded("m", seconds=1), recorded("m", seconds=0)]
    _, tried = judged([mutant("m", "x")], cases, records, lambda m, t: False)
    assert tried == [("m", ["quick", "slow", "blocking"])]


def test_what_is_pure_is_tried_under_one_driver_for_each_surface() -> None:
    cases = [case("trio", "x", driver="astream-trio"), case("asyncio", "x")]
    records = [recorded("m"), recorded("m")]
    _, tried = judged([mutant("m", "x", pure=True)], cases, records, lambda m, t: False)
    assert tried == [("m", ["asyncio"])]


def test_a_clause_whose_own_proofs_catch_nothing_is_toothless() -> None:
    """The mutant is killed, but by a proof of the other clause of its rule."""
    cases = [case("of x", "x"), case("of y", "y")]
    verdict, tried = judged(
        [mutant("m", "x", "y")], cases, [recorded("m")] * 2, lambda m, t: t == "of y", Claim("x"), Claim("y")
    )
    assert verdict.survivors == []
    assert verdict.toothless == [(Claim("x"), 1)]
    assert tried == [("m", ["of x", "of y"]), ("m", ["of x"])]


def test_a_clause_has_teeth_when_its_proofs_catch_what_another_had_caught_first() -> None:
    cases = [case("of y", "y"), case("of x", "x")]
    verdict, _ = judged([mutant("m", "x", "y")], cases, [recorded("m")] * 2, lambda m, t: True, Claim("x"))
    assert verdict.toothless == []


def test_a_clause_that_no_mutant_breaks_is_toothless() -> None:
    verdict, _ = judged([mutant("m", "x")], [case("t", "x")], [recorded("m")], lambda m, t: True, Claim("z"))
    assert verdict.toothless == [(Claim("z"), 0)]


def test_a_claim_of_a_rule_needs_a_mutant_of_that_rule() -> None:
    mutants = [mutant("m", "x", rule="first"), mutant("n", "x", rule="second")]
    verdict, _ = judged(
        mutants,
        [case("t", "x")],
        [recorded("m", "n")],
        lambda m, t: m == "m",
        Claim("x", rule="first"),
        Claim("x", rule="second"),
    )
    assert verdict.survivors == [mutants[1]]
    assert verdict.toothless == [(Claim("x", rule="second"), 1)]


def test_a_claim_of_a_module_needs_a_mutant_in_it() -> None:
    inside = mutant("m", "x", file="src/a/b.py")
    claims = [Claim("x", module="src/a"), Claim("x", module="src/a/b"), Claim("x", module="src/a/c")]
    verdict, _ = judged([inside], [case("t", "x")], [recorded("m")], lambda m, t: True, *claims)
    assert verdict.toothless == [(Claim("x", module="src/a/c"), 0)]
