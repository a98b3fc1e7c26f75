"""What a rule of the machine is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from finalturn._core.clauses import ClauseId
from finalturn._core.turn.does import Do
from finalturn._core.turn.guards import Guard
from finalturn._core.turn.inputs import Input
from finalturn._core.turn.shows import Show
from finalturn._core.turn.state import Phase
from finalturn._core.turn.updates import Update


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
