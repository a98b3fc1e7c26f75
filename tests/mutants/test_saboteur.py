"""Deliberate wrongs, done to the code as it is."""

from __future__ import annotations

import pytest

from finalturn._core.turn import guards as _guards
from finalturn._core.turn.setup import TurnSetup
from finalturn._core.turn.state import State
from finalturn.contract import CLAUSES
from tools.mutants._mutant import Mutant
from tools.mutants._saboteur import BODY, Edit, Saboteur, Unfitting, mutants_of_saboteurs
from tools.mutants.saboteurs import SABOTEURS

GUARDS = "core.turn._guards"
STATE = State(TurnSetup(user=(), max_retries=1))


def made(*edits: Edit) -> list[Mutant | Unfitting]:
    return list(mutants_of_saboteurs([Saboteur("wrong", ("own-retry-budget", "no-needless-call"), edits)]))


def mutant(*edits: Edit) -> Mutant:
    found = made(*edits)[0]
    assert isinstance(found, Mutant)
    return found


@pytest.mark.parametrize(
    "edit",
    [
        Edit(f"{GUARDS}:retries_are_left", "state.retries < state.setup.max_retries", "False"),
        Edit(f"{GUARDS}:retries_are_left", "state . retries<(state.setup.max_retries)", "False"),
        Edit(f"{GUARDS}:retries_are_left", "return state.retries < state.setup.max_retries", "return False"),
        Edit(f"{GUARDS}:retries_are_left", "state.retries < state.setup.max_retries", "a = 1\nreturn a > 1"),
        Edit(f"{GUARDS}:retries_are_left", BODY, "return False"),
        Edit(f"{GUARDS}:nowhere", "state.retries < state.setup.max_retries", "False"),
    ],
)
def test_an_edit_is_in_place_while_it_is_installed(edit: Edit) -> None:
    wrong = mutant(edit)
    assert _guards.retries_are_left(STATE, None)
    with wrong.install():
        assert not _guards.retries_are_left(STATE, None)
    assert _guards.retries_are_left(STATE, None)


def test_each_clause_has_a_mutant_of_its_own() -> None:
    found = made(Edit(f"{GUARDS}:retries_are_left", BODY, "return False"))
    assert [(one.name, one.clauses) for one in found if isinstance(one, Mutant)] == [
        ("wrong [own-retry-budget]", ("own-retry-budget",)),
        ("wrong [no-needless-call]", ("no-needless-call",)),
    ]


def test_a_mutant_says_where_it_is_and_what_it_concerns() -> None:
    wrong = mutant(Edit(f"{GUARDS}:retries_are_left", BODY, "return False"))
    assert wrong.file == "src/finalturn/_core/turn/guards.py"
    assert wrong.concerns(frozenset({"src/finalturn/_core/turn/guards.py retries_are_left 0"}))
    assert not wrong.concerns(frozenset({"src/finalturn/_core/turn/guards.py is_cut 0"}))
    assert wrong.pure


@pytest.mark.parametrize(
    "edit",
    [
        Edit(f"{GUARDS}:retries_are_left", "state.retries > 7", "False"),
        Edit(f"{GUARDS}:nowhere", BODY, "return False"),
    ],
)
def test_an_edit_that_does_not_fit_is_told(edit: Edit) -> None:
    (found,) = made(edit)
    assert isinstance(found, Unfitting)
    assert (found.name, found.old) == ("wrong", edit.old)
    assert found.file == "src/finalturn/_core/turn/guards.py"


def test_every_saboteur_fits_the_code() -> None:
    assert [one for one in mutants_of_saboteurs(SABOTEURS) if isinstance(one, Unfitting)] == []


def test_saboteurs_have_names_of_their_own_and_clauses_that_exist() -> None:
    names = [saboteur.name for saboteur in SABOTEURS]
    assert len(names) == len(set(names))
    known = {clause.id for clause in CLAUSES}
    assert {clause for saboteur in SABOTEURS for clause in saboteur.clauses} <= known
    assert all(saboteur.clauses and saboteur.edits for saboteur in SABOTEURS)
