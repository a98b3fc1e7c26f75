"""Every mutant of a table. A mutant of the table is a value: another table."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from unittest import mock

from finalturn._core.turn import Machine, Rule, Table
from finalturn._core.turn import guards as _guards
from tools.mutants._mutant import Mutant, rule_site
from tools.mutants._rules import changes

Places = Mapping[str, tuple[str, int]]
"""The file and line of each rule, by its name."""

ALTERNATIVES = (
    frozenset(
        (
            _guards.asks_for_tools,
            _guards.is_refused,
            _guards.is_cut,
            _guards.is_empty,
            _guards.is_plain,
            _guards.is_invalid,
            _guards.is_valid,
        )
    ),
    frozenset((_guards.without_format, _guards.in_default_mode)),
    frozenset((_guards.text_is_suppressed, _guards.text_is_held)),
)
"""Guards of which one at most holds."""


def mutants_of(table: Table, places: Places) -> Iterator[Mutant]:
    """Every mutant: rules deleted and swapped, and each rule wrong in each way.

    Raises:
        KeyError: a rule has no place.
    """
    for place, rule in enumerate(table):
        yield _mutant(rule, "deleted", table[:place] + table[place + 1 :], places)
        for what, changed in changes(rule):
            mutated = (*table[:place], changed, *table[place + 1 :])
            widened = table if changed.when != rule.when else ()
            yield _mutant(rule, what, mutated, places, widened=widened)
        if (later := _next(table, place)) is not None and _may_both_match(rule, table[later]):
            swapped = (*table[:place], table[later], *table[place + 1 : later], rule, *table[later + 1 :])
            what = f"after {table[later].name}"
            yield _mutant(rule, what, swapped, places, widened=(table[later],))


def _mutant(rule: Rule, what: str, table: Table, places: Places, *, widened: Table = ()) -> Mutant:
    """One mutant; it changes something only where the rule matches, or one of the others of its pair."""
    file, line = places[rule.name]
    pair = {rule_site(other.name) for other in widened if _pair(other) == _pair(rule)}
    return Mutant(
        name=f"{rule.name}: {what}",
        file=file,
        line=line,
        clauses=rule.upholds,
        install=lambda: _installed(table),
        sites=frozenset({rule_site(rule.name), *pair}),
        pure=True,
        rule=rule.name,
    )


def _installed(table: Table) -> AbstractContextManager[object]:
    return mock.patch("finalturn._agent.driver.Machine", functools.partial(Machine, table=table))


def _next(table: Table, place: int) -> int | None:
    """The place of the next rule of the same pair."""
    pair = _pair(table[place])
    return next((later for later in range(place + 1, len(table)) if _pair(table[later]) == pair), None)


def _may_both_match(one: Rule, other: Rule) -> bool:
    guards = {*one.when, *other.when}
    return all(len(guards & alternatives) < 2 for alternatives in ALTERNATIVES)


def _pair(rule: Rule) -> tuple[object, object]:
    return rule.phase, rule.on
