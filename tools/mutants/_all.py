"""Every mutant."""

from __future__ import annotations

from finalturn._core.turn import TABLE
from tools.mutants._functions import mutants_of_modules
from tools.mutants._modules import modules_of
from tools.mutants._mutant import Mutant
from tools.mutants._places import places_of_rules
from tools.mutants._saboteur import Unfitting, mutants_of_saboteurs
from tools.mutants._table import mutants_of
from tools.mutants.saboteurs import SABOTEURS


def all_mutants() -> tuple[list[Mutant], list[Unfitting]]:
    """Of the table, of the functions around it, and by the saboteurs; and the saboteurs that cannot act."""
    mutants = [*mutants_of(TABLE, places_of_rules(TABLE)), *mutants_of_modules(modules_of(TABLE))]
    unfitting: list[Unfitting] = []
    for one in mutants_of_saboteurs(SABOTEURS):
        if isinstance(one, Mutant):
            mutants.append(one)
        else:
            unfitting.append(one)
    return mutants, unfitting
