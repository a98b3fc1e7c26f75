"""What a person is told."""

from __future__ import annotations

from contextlib import nullcontext

from tools.contractdocs.evidence.cases import Case
from tools.mutants import _report as report
from tools.mutants._mutant import Mutant
from tools.mutants._run import Recorded
from tools.mutants._saboteur import Unfitting
from tools.mutants._verdict import Claim

SURVIVOR = Mutant("start: deleted", "src/rules.py", 7, ("x", "y"), nullcontext)
PLACES = {"start": ("src/rules.py", 7), "x": ("src/clauses.py", 3)}


def test_a_survivor() -> None:
    assert list(report.survivors([SURVIVOR], {})) == [
        'src/rules.py:7 MUTANTS survivor "start: deleted": no proof of x, y fails -> strengthen one, or'
        " give a reason in tools/mutants/equivalent.toml"
    ]


def test_a_survivor_with_an_excuse() -> None:
    assert list(report.survivors([SURVIVOR], {"start: *": "nobody sees it"})) == []


def test_a_stale_excuse() -> None:
    text = '[equivalent]\n"start: *" = "a"\n"gone: deleted" = "b"\n'
    excuses = {"start: *": "a", "gone: deleted": "b"}
    assert list(report.stale([SURVIVOR], excuses, text)) == [
        'tools/mutants/equivalent.toml:3 MUTANTS stale excuse "gone: deleted": it is killed, or no mutant ->'
        " delete the line"
    ]


def case(name: str, line: int) -> Case:
    def test() -> None: ...

    test.__name__ = name
    return Case(test, "tests/contract/test_x.py", line, ("x",), {})


def test_a_proof_that_fails_without_any_mutation() -> None:
    cases = [case("test_a", 5), case("test_a", 5), case("test_b", 9), case("test_c", 12)]
    failures = ["AssertionError: assert 1 == 2", "KeyError", None, "TooLong: it was stopped"]
    found = list(report.failing(cases, [Recorded(one, frozenset(), 0) for one in failures]))
    assert found == [
        'tests/contract/test_x.py:5 MUTANTS failing proof "test_a": without any mutation 2 of its cases ended'
        " with AssertionError: assert 1 == 2 -> mend it first",
        'tests/contract/test_x.py:12 MUTANTS failing proof "test_c": without any mutation it ended with'
        " TooLong: it was stopped -> mend it first",
    ]


def test_a_saboteur_that_does_not_fit() -> None:
    one = Unfitting("tells lies", "src/a.py", 4, "if a:\n    return b")
    assert list(report.unfitting([one])) == [
        'src/a.py:4 MUTANTS unfitting "tells lies": its saboteur replaces `if a: return b`, and there is'
        " none -> let it do the same wrong to the code as it is now"
    ]


def test_a_clause_without_teeth() -> None:
    assert list(report.toothless([(Claim("x"), 3), (Claim("x"), 0)], PLACES, PLACES)) == [
        'src/clauses.py:3 MUTANTS toothless "x": its proofs fail on none of the 3 mutants that break it ->'
        " assert what the clause says",
        'src/clauses.py:3 MUTANTS toothless "x": no mutant breaks it -> let a rule uphold it, or add a'
        " saboteur in tools/mutants/saboteurs",
    ]


def test_a_claim_of_a_rule_without_teeth() -> None:
    assert list(report.toothless([(Claim("x", rule="start"), 9)], PLACES, PLACES)) == [
        'src/rules.py:7 MUTANTS toothless "start" upholds "x": the proofs of the clause fail on none of the 9'
        " mutants that break it there -> prove it on the rule's path, or take the clause off the rule"
    ]


def test_a_claim_of_a_module_without_teeth() -> None:
    found = [(Claim("x", module="src/a"), 2), (Claim("x", module="src/a"), 0)]
    assert list(report.toothless(found, PLACES, PLACES)) == [
        'src/clauses.py:3 MUTANTS toothless "x" is kept by src/a: the proofs of the clause fail on none of'
        " the 2 mutants that break it there -> prove it there, or name the module that keeps it in kept_by",
        'src/clauses.py:3 MUTANTS toothless "x" is kept by src/a: no mutant breaks it there -> add a saboteur'
        " in tools/mutants/saboteurs, or name the module that keeps it in kept_by",
    ]
