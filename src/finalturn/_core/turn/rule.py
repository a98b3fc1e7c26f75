"""What a rule of the machine is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from finalturn.core.clauses import ClauseId
from finalturn.core.turn._does import Do
from finalturn.core.turn._guards import Guard
from finalturn.core.turn._inputs import Input
from finalturn.core.turn._shows import Show
from finalturn.core.turn._state import Phase
from finalturn.core.turn._updates import Update


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table.

    Attributes:
        name: unique in its table.
        phase: where it applies.
        on: the type of input that it answers.
        to: the phase after it.
        when: guards; all must hold. The first matching rule of a phase and input wins.
        updates: what it remembers, applied in order.
        shows: what anyone sees of it, delivered in order before its actions start.
        does: what the driver is asked to do.
        upholds: the clauses of the contract that it keeps.
    """

    name: str
    phase: Phase
    on: type[Input]
    to: Phase
    when: tuple[Guard, ...] = ()
    updates: tuple[Update, ...] = ()
    shows: tuple[Show, ...] = ()
    does: tuple[Do, ...] = ()
    upholds: tuple[ClauseId, ...] = ()


Table: TypeAlias = tuple[Rule, ...]
