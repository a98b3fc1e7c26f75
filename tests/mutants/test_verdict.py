"""Which cases are run on which mutants, what the kills say, and the words for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import pytest

from tools.contractdocs.evidence.cases import Case
from tools.mutants import _verdict
from tools.mutants._code import ROOT, Mutant
from tools.mutants._run import Recorded, Task, Workers
from tools.mutants._verdict import (
    EXCUSES,
    Claim,
    claims,
    excuse_of,
    failing_proofs,
    judge,
    outcome,
    read_excuses,
    stale_excuses,
    survivor,
    toothless,
)


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


class Pool(Workers):
    """Tells which cases were tried on which mutant, and lets some of them fail."""

    def __init__(
        self, mutants: Sequence[Mutant], cases: Sequence[Case], kills: Callable[[str, str], bool]
    ) -> None:
        self.tried: list[tuple[str, list[str]]] = []
        self.recorded = [recorded(*(mutant.name for mutant in mutants)) for _ in cases]
        self._mutants, self._cases, self._kills = mutants, cases, kills

    def record(self, count: int) -> list[Recorded]:
        return self.recorded[:count]

    def kill(self, tasks: Sequence[Task]) -> list[int | None]:
        return [self._kill(self._mutants[index].name, candidates) for index, candidates in tasks]

    def _kill(self, mutant: str, candidates: Sequence[tuple[int, float]]) -> int | None:
        names = {place: self._cases[place].test.__name__ for place, _ in candidates}
        self.tried.append((mutant, list(names.values())))
        return next((place for place, name in names.items() if self._kills(mutant, name)), None)


class Judged(NamedTuple):
    """What `judge` gives, and which cases were tried on which mutant."""

    survivors: list[Mutant]
    toothless: list[tuple[Claim, int]]
    tried: list[tuple[str, list[str]]]


def judged(
    mutants: Sequence[Mutant],
    cases: Sequence[Case],
    records: Sequence[Recorded],
    kills: Callable[[str, str], bool],
    *claimed: Claim,
) -> Judged:
    pool = Pool(mutants, cases, kills)
    return Judged(*judge(mutants, cases, records, pool, claimed), pool.tried)


def test_a_mutant_that_a_proof_of_its_clause_catches_does_not_survive() -> None:
    found = judged([mutant("m", "x")], [case("t", "x")], [recorded("m")], lambda m, t: True, Claim("x"))
    assert (found.survivors, found.toothless) == ([], [])


def test_proofs_of_other_clauses_do_not_count() -> None:
    one = mutant("m", "x")
    found = judged([one], [case("t", "y")], [recorded("m")], lambda m, t: True)
    assert found.survivors == [one]
    assert found.tried == [("m", [])]


def test_only_cases_that_reach_the_mutant_are_tried() -> None:
    cases = [case("reaches", "x"), case("does not", "x")]
    found = judged([mutant("m", "x")], cases, [recorded("m"), recorded("n")], lambda m, t: False)
    assert found.tried == [("m", ["reaches"])]


def test_quick_cases_are_tried_first_and_blocking_ones_last() -> None:
    cases = [case("slow", "x"), case("quick", "x"), case("blocking", "x", driver="run")]
    records = [recorded("m", seconds=2), recorded("m", seconds=1), recorded("m", seconds=0)]
    found = judged([mutant("m", "x")], cases, records, lambda m, t: False)
    assert found.tried == [("m", ["quick", "slow", "blocking"])]


def test_what_is_pure_is_tried_under_one_driver_for_each_surface() -> None:
    cases = [case("trio", "x", driver="astream-trio"), case("asyncio", "x")]
    records = [recorded("m"), recorded("m")]
    found = judged([mutant("m", "x", pure=True)], cases, records, lambda m, t: False)
    assert found.tried == [("m", ["asyncio"])]


def test_a_clause_whose_own_proofs_catch_nothing_is_toothless() -> None:
    """The mutant is killed, but by a proof of the other clause of its rule."""
    cases = [case("of x", "x"), case("of y", "y")]
    found = judged(
        [mutant("m", "x", "y")], cases, [recorded("m")] * 2, lambda m, t: t == "of y", Claim("x"), Claim("y")
    )
    assert found.survivors == []
    assert found.toothless == [(Claim("x"), 1)]
    assert found.tried == [("m", ["of x", "of y"]), ("m", ["of x"])]


def test_a_clause_has_teeth_when_its_proofs_catch_what_another_had_caught_first() -> None:
    cases = [case("of y", "y"), case("of x", "x")]
    found = judged([mutant("m", "x", "y")], cases, [recorded("m")] * 2, lambda m, t: True, Claim("x"))
    assert found.toothless == []


def test_of_a_claim_mutants_are_run_until_one_is_caught() -> None:
    mutants = [mutant(name, "x", "y") for name in "lmn"]
    cases = [case("of y", "y"), case("of x", "x")]
    found = judged(
        mutants,
        cases,
        [recorded(*"lmn")] * 2,
        lambda m, t: t == "of y" or m == "m",
        Claim("x"),
    )
    assert found.toothless == []
    assert found.tried[3:] == [("l", ["of x"]), ("m", ["of x"])]


def test_a_clause_that_no_mutant_breaks_is_toothless() -> None:
    found = judged([mutant("m", "x")], [case("t", "x")], [recorded("m")], lambda m, t: True, Claim("z"))
    assert found.toothless == [(Claim("z"), 0)]


def test_a_claim_of_a_rule_needs_a_mutant_of_that_rule() -> None:
    mutants = [mutant("m", "x", rule="first"), mutant("n", "x", rule="second")]
    found = judged(
        mutants,
        [case("t", "x")],
        [recorded("m", "n")],
        lambda m, t: m == "m",
        Claim("x", rule="first"),
        Claim("x", rule="second"),
    )
    assert found.survivors == [mutants[1]]
    assert found.toothless == [(Claim("x", rule="second"), 1)]


def test_a_claim_of_a_module_needs_a_mutant_in_it() -> None:
    inside = mutant("m", "x", file="src/a/b.py")
    claims = [Claim("x", module="src/a"), Claim("x", module="src/a/b"), Claim("x", module="src/a/c")]
    found = judged([inside], [case("t", "x")], [recorded("m")], lambda m, t: True, *claims)
    assert found.toothless == [(Claim("x", module="src/a/c"), 0)]


def test_every_clause_rule_and_module_is_claimed() -> None:
    claimed = list(claims())
    assert Claim("held-json") in claimed
    assert Claim("synthesis-never-streams", rule="synthesis-text") in claimed
    assert Claim("held-json", module="src/finalturn/_core/hold") in claimed


# --- the words --------------------------------------------------------------------------------------------

TEXT = """# Why.
[equivalent]
"rule: deleted" = "nobody sees it"

[unpromised]
"f: a \\"b\\" -> *" = "tests prove it"
"""


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> None:
    places = {"start": ("src/rules.py", 7), "x": ("src/clauses.py", 3)}
    monkeypatch.setattr(_verdict, "place_of", places.__getitem__)


def outcome_of(
    kills: bool, excuses: str = "", failure: str | None = None, made: int = 1
) -> tuple[list[str], str]:
    mutants, cases = [mutant("start: deleted", "x")] * made, [case("t", "x")]
    pool = Pool(mutants, cases, lambda m, t: kills)
    pool.recorded = [Recorded(failure, frozenset({"start: deleted"}), 0.1)]
    return outcome(mutants, cases, [], excuses, nullcontext(pool))


def test_a_run_in_which_every_mutant_is_killed_has_no_problems() -> None:
    assert outcome_of(kills=True) == (
        [],
        "1 made, 1 killed by a proof of their clauses, 0 excused, 0 survive",
    )


def test_a_survivor_is_a_problem_unless_it_is_excused() -> None:
    problems, summary = outcome_of(kills=False)
    assert problems == [
        'src/a.py:1 MUTANTS survivor "start: deleted": no proof of x fails -> strengthen one, or give a'
        " reason in tools/mutants/equivalent.toml"
    ]
    assert summary == "1 made, 0 killed by a proof of their clauses, 0 excused, 1 survive"
    assert outcome_of(kills=False, excuses='[equivalent]\n"start: *" = "nobody sees it"\n') == (
        [],
        "1 made, 0 killed by a proof of their clauses, 1 excused, 0 survive",
    )


def test_an_excuse_that_nothing_needs_is_a_problem() -> None:
    problems = outcome_of(kills=True, excuses='[equivalent]\n"start: deleted" = "nobody sees it"\n')[0]
    assert problems == [
        'tools/mutants/equivalent.toml:2 MUTANTS stale excuse "start: deleted": it is killed, or no mutant ->'
        " delete the line"
    ]
    assert next(stale_excuses([mutant("rule: deleted")], TEXT)).startswith(f"{EXCUSES}:6 ")


def test_nothing_is_killed_while_proofs_fail_by_themselves() -> None:
    problems, summary = outcome_of(kills=True, failure="KeyError")
    assert len(problems) == 1
    assert summary == "none was run: 1 proofs fail without any"


def test_a_run_that_looked_at_nothing_is_a_problem() -> None:
    assert outcome_of(kills=True, made=0) == (
        [
            "MUTANTS looked at nothing: there are 0 mutants and 1 proofs -> find out where they are gone",
        ],
        "none was run",
    )


def test_a_proof_that_fails_without_any_mutation_is_told_once() -> None:
    cases = [case("test_a"), case("test_a"), case("test_b"), case("test_c")]
    failures = ["AssertionError: assert 1 == 2", "KeyError", None, "TooLong: it was stopped"]
    assert list(failing_proofs(cases, [Recorded(one, frozenset(), 0) for one in failures])) == [
        'tests/x.py:1 MUTANTS failing proof "test_a": without any mutation 2 of its cases ended with'
        " AssertionError: assert 1 == 2 -> mend it first",
        'tests/x.py:1 MUTANTS failing proof "test_c": without any mutation it ended with TooLong: it was'
        " stopped -> mend it first",
    ]


def test_a_survivor_names_every_clause_that_it_breaks() -> None:
    assert "no proof of x, y fails" in survivor(mutant("m", "x", "y"))


@pytest.mark.usefixtures("places")
@pytest.mark.parametrize(
    ("claim", "mutants", "expected"),
    [
        (
            Claim("x"),
            3,
            'src/clauses.py:3 MUTANTS toothless "x": its proofs fail on none of the 3 mutants that break it'
            " -> assert what the clause says",
        ),
        (
            Claim("x"),
            0,
            'src/clauses.py:3 MUTANTS toothless "x": no mutant breaks it; tools/mutants/handwritten is the'
            " place for one -> assert what the clause says",
        ),
        (
            Claim("x", rule="start"),
            9,
            'src/rules.py:7 MUTANTS toothless "start" upholds "x": its proofs fail on none of the 9 mutants'
            " that break it -> prove it on the rule's path, or take the clause off the rule",
        ),
        (
            Claim("x", module="src/a"),
            0,
            'src/clauses.py:3 MUTANTS toothless "x" is kept by src/a: no mutant breaks it;'
            " tools/mutants/handwritten is the place for one -> prove it there, or name in kept_by what keeps"
            " it",
        ),
    ],
)
def test_a_claim_without_teeth_says_what_to_do(claim: Claim, mutants: int, expected: str) -> None:
    assert toothless(claim, mutants) == expected


def test_excuses_of_every_group_are_read() -> None:
    assert read_excuses(TEXT) == {"rule: deleted": "nobody sees it", 'f: a "b" -> *': "tests prove it"}


@pytest.mark.parametrize(
    ("name", "excuse"),
    [
        ("rule: deleted", "rule: deleted"),
        ("rule: deleted twice", None),
        ('f: a "b" -> c', 'f: a "b" -> *'),
        ('f: a "c" -> c', None),
    ],
)
def test_a_name_has_its_excuse(name: str, excuse: str | None) -> None:
    assert excuse_of(name, read_excuses(TEXT)) == excuse


def test_an_excuse_needs_a_reason() -> None:
    with pytest.raises(ValueError, match=re.escape(f'{EXCUSES}:2 MUTANTS "a" has no reason -> give one')):
        read_excuses('[equivalent]\n"a" = " "\n')


def test_tests_that_reasons_name_exist() -> None:
    for reason in read_excuses((ROOT / EXCUSES).read_text(encoding="utf-8")).values():
        for file in re.findall(r"tests/[a-z_/.]*[a-z]", reason):
            assert (ROOT / file).exists(), file
