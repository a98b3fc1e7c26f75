"""Mutants that are written by hand: another function in place of one of the code."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from finalturn._core.turn import guards as _guards
from finalturn._core.turn.setup import TurnSetup
from finalturn._core.turn.state import State
from finalturn.contract import CLAUSES
from tests.mutants._sample import Counter, halves, later, positive
from tools.mutants._code import Mutant
from tools.mutants._handwritten import Handwritten, handwritten
from tools.mutants.handwritten import HANDWRITTEN

SAMPLE = "tests.mutants._sample"
RETRIES_ARE_LEFT = "finalturn._core.turn.guards:retries_are_left"


def installed(mutant: Handwritten) -> Any:
    return next(mutant.mutants()).install()


def test_a_replacement_is_given_the_function_that_it_replaces() -> None:
    @handwritten("own-retry-budget", at=f"{SAMPLE}:positive")
    def zero_is_positive(run: Any, number: int) -> Any:
        return run(number + 1)

    with installed(zero_is_positive):
        assert positive(0)
        assert not positive(-1)
    assert not positive(0)


def test_each_kind_of_function_stays_of_its_kind() -> None:
    @handwritten("own-retry-budget", at=f"{SAMPLE}:later")
    async def later_and_more(run: Any, number: int) -> Any:
        return await run(number) + 1

    @later_and_more.also(f"{SAMPLE}:halves")
    async def half_of_them(run: Any, number: int) -> AsyncIterator[Any]:
        async for half in run(number):
            yield -half

    @later_and_more.also(f"{SAMPLE}:Counter.steps")
    def backwards(run: Any, self: Counter) -> Any:
        return reversed(list(run(self)))

    async def seen() -> list[object]:
        return [await later(1), [half async for half in halves(2)], list(Counter.of(3).steps())]

    with installed(later_and_more):
        assert asyncio.run(seen()) == [2, [-2, -1], [2, 1, 0]]
    assert asyncio.run(seen()) == [1, [2, 1], [0, 1, 2]]


def test_a_plain_function_may_stand_for_one_that_is_awaited() -> None:
    @handwritten("own-retry-budget", at=f"{SAMPLE}:later")
    def at_once(run: Any, number: int) -> int:
        return 7

    with installed(at_once):
        assert asyncio.run(later(1)) == 7


def test_a_replacement_that_does_not_fit_the_code_any_more_is_told() -> None:
    @handwritten("own-retry-budget", at=f"{SAMPLE}:positive")
    def asks_for_a_name_that_is_gone(run: Any, number: Any) -> Any:
        return number.gone

    with (
        pytest.raises(RuntimeError, match=r"asks for a name that is gone.*does not fit.*no attribute 'gone'"),
        installed(asks_for_a_name_that_is_gone),
        pytest.raises(AttributeError),
    ):
        positive(1)


def test_what_the_code_itself_raises_is_no_misfit() -> None:
    @handwritten("own-retry-budget", at=f"{SAMPLE}:positive")
    def passes_a_text(run: Any, number: int) -> Any:
        return run("1")

    with installed(passes_a_text), pytest.raises(TypeError):
        positive(1)


def made(path: str) -> list[Mutant]:
    @handwritten("own-retry-budget", "no-needless-call", at=path)
    def never(run: Any, state: Any, item: Any) -> bool:
        return False

    return list(never.mutants())


def test_each_clause_has_a_mutant_of_its_own() -> None:
    assert [(mutant.name, mutant.clauses) for mutant in made(RETRIES_ARE_LEFT)] == [
        ("never [own-retry-budget]", ("own-retry-budget",)),
        ("never [no-needless-call]", ("no-needless-call",)),
    ]


def test_a_mutant_says_where_it_is_and_what_it_concerns() -> None:
    mutant = made(RETRIES_ARE_LEFT)[0]
    file = "src/finalturn/_core/turn/guards.py"
    assert mutant.file == file
    assert mutant.concerns(frozenset({f"{file} retries_are_left 0"}))
    assert not mutant.concerns(frozenset({f"{file} is_cut 0"}))
    assert mutant.pure
    with mutant.install():
        assert not _guards.retries_are_left(State(TurnSetup(user=(), max_retries=1)), None)


def test_every_mutant_finds_its_function() -> None:
    assert all(list(mutant.mutants()) for mutant in HANDWRITTEN)
    with pytest.raises(LookupError, match="guards:nowhere, which does not exist"):
        made("finalturn._core.turn.guards:nowhere")


def test_mutants_have_names_of_their_own_and_clauses_that_exist() -> None:
    names = [mutant.name for mutant in HANDWRITTEN]
    assert len(names) == len(set(names))
    known = {clause.id for clause in CLAUSES}
    assert {clause for mutant in HANDWRITTEN for clause in mutant.clauses} <= known
