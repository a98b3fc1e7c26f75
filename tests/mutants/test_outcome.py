"""A run as a whole, on a tiny table."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace

from tests.mutants._tables import PLACES, TABLE
from tools.contractdocs.evidence.cases import Case
from tools.contractdocs.evidence.model import Broken
from tools.mutants.__main__ import claims
from tools.mutants._outcome import Work, outcome
from tools.mutants._run import Recorded
from tools.mutants._saboteur import Unfitting
from tools.mutants._table import mutants_of
from tools.mutants._verdict import Claim, Task

PROVED = ("answer-call-known", "result-is-last", "tool-calls-always-stream")


def proof() -> None: ...


WORK = Work(
    mutants=list(mutants_of(TABLE, PLACES)),
    unfitting=[],
    cases=[Case(proof, "tests/contract/test_x.py", 5, PROVED, {})],
    broken=[],
    claims=[Claim(clause, rule=rule.name) for rule in TABLE for clause in rule.upholds],
    excuses="[equivalent]\n",
    rules=PLACES,
    clauses=dict.fromkeys(PROVED, ("clauses.py", 3)),
)
MADE = len(WORK.mutants)


class Pool:
    """Every case fails on every mutant, but for some."""

    def __init__(self, *survivors: str, failure: str | None = None) -> None:
        self._survivors = survivors
        self._failure = failure

    def record(self, count: int) -> list[Recorded]:
        sites = frozenset(f"rule {rule.name}" for rule in TABLE)
        return [Recorded(self._failure, sites, 0.1)] * count

    def kill(self, tasks: Sequence[Task]) -> list[int | None]:
        return [
            None if WORK.mutants[place].name.startswith(self._survivors or ("?",)) else candidates[0][0]
            for place, candidates in tasks
        ]


def run(pool: Pool, work: Work = WORK) -> tuple[list[str], str]:
    return outcome(work, nullcontext(pool))


def test_all_is_well() -> None:
    assert run(Pool()) == (
        [],
        f"{MADE} made, {MADE} killed by a proof of their clauses, 0 excused, 0 survive",
    )


def test_a_survivor() -> None:
    problems, summary = run(Pool("start: deleted"))
    assert problems == [
        'rules.py:10 MUTANTS survivor "start: deleted": no proof of answer-call-known fails -> strengthen'
        " one, or give a reason in tools/mutants/equivalent.toml"
    ]
    assert summary == f"{MADE} made, {MADE - 1} killed by a proof of their clauses, 0 excused, 1 survive"


def test_a_survivor_that_is_excused() -> None:
    work = replace(WORK, excuses='[equivalent]\n"start: deleted" = "nobody sees it"\n')
    assert run(Pool("start: deleted"), work) == (
        [],
        f"{MADE} made, {MADE - 1} killed by a proof of their clauses, 1 excused, 0 survive",
    )


def test_an_excuse_that_is_stale() -> None:
    work = replace(WORK, excuses='[equivalent]\n"start: deleted" = "nobody sees it"\n')
    assert run(Pool(), work)[0] == [
        'tools/mutants/equivalent.toml:2 MUTANTS stale excuse "start: deleted": it is killed, or no mutant ->'
        " delete the line"
    ]


def test_a_rule_of_which_nothing_is_caught() -> None:
    work = replace(WORK, excuses='[equivalent]\n"start: *" = "nobody sees it"\n')
    number = sum(mutant.rule == "start" for mutant in WORK.mutants)
    assert run(Pool("start: "), work)[0] == [
        'rules.py:10 MUTANTS toothless "start" upholds "answer-call-known": the proofs of the clause fail'
        f" on none of the {number} mutants that break it there -> prove it on the rule's path, or take the"
        " clause off the rule"
    ]


def test_proofs_that_fail_by_themselves() -> None:
    assert run(Pool(failure="AssertionError: assert 'shown' == ''")) == (
        [
            'tests/contract/test_x.py:5 MUTANTS failing proof "proof": without any mutation it ended with'
            " AssertionError: assert 'shown' == '' -> mend it first"
        ],
        "none was run: 1 proofs fail without any",
    )


def test_a_proof_that_cannot_be_read() -> None:
    work = replace(WORK, broken=[Broken("tests/contract/test_x.py", 3, "it cannot be imported: SyntaxError")])
    assert run(Pool(), work)[0] == [
        "tests/contract/test_x.py:3 MUTANTS broken proof: it cannot be imported: SyntaxError -> mend it first"
    ]


def test_a_saboteur_that_does_not_fit() -> None:
    work = replace(WORK, unfitting=[Unfitting("lies", "src/a.py", 4, "a")])
    assert run(Pool(), work)[0] == [
        'src/a.py:4 MUTANTS unfitting "lies": its saboteur replaces `a`, and there is none -> let it do the'
        " same wrong to the code as it is now"
    ]


def test_nothing_was_looked_at() -> None:
    for work, counts in (
        (replace(WORK, mutants=[]), "0 mutants and 1 proofs"),
        (replace(WORK, cases=[]), f"{MADE} mutants and 0 proofs"),
    ):
        assert run(Pool(), work) == (
            [f"MUTANTS looked at nothing: there are {counts} -> find out where they are gone"],
            "none was run",
        )


def test_every_clause_rule_and_module_is_claimed() -> None:
    found = list(claims())
    assert Claim("held-json") in found
    assert Claim("synthesis-never-streams", rule="synthesis-text") in found
    assert Claim("held-json", module="src/finalturn/core/hold") in found
