"""The mutants of the turn's table: rules deleted and swapped, and each rule wrong in every way."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from types import ModuleType
from typing import Any, TypeAlias
from unittest import mock

from finalturn._core.chunks import StreamChunk, StreamEvent
from finalturn._core.model import ReasoningDelta, TextDelta
from finalturn._core.turn import Failed, Judged, Machine, Phase, Rule, State, Table
from finalturn._core.turn import does as _does
from finalturn._core.turn import guards as _guards
from finalturn._core.turn import results as _results
from finalturn._core.turn import shows as _shows
from tools.mutants._code import ROOT, Mutant, rule_site

Part: TypeAlias = Callable[[State, Any], Any]
Place: TypeAlias = tuple[str, int]
"""A file, from the root of the repository, and a line of it."""

TABLE_FILE = ROOT / "src/finalturn/_core/turn/table.py"

MACHINE = "finalturn._agent.driver.Machine"
"""What the driver makes its machine with."""

IDEMPOTENT = frozenset(["converge", "open_growing", "open_hold", "reject", "spend_empty_retry"])
"""Updates that do nothing more when they are applied twice; so are those that end a turn."""

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


@functools.cache
def place_of(name: str) -> Place:
    """Where a rule is written, or a clause declared; of a rule that is made for each phase, the table."""
    declared = re.compile(rf'(?:\bid=|\bname=|\bRule\()"{re.escape(name)}"')
    for file in (TABLE_FILE, *sorted((ROOT / "src/finalturn/_contract/clauses").glob("*.py"))):
        if found := declared.search(text := file.read_text(encoding="utf-8")):
            return file.relative_to(ROOT).as_posix(), text.count("\n", 0, found.start()) + 1
    return TABLE_FILE.relative_to(ROOT).as_posix(), 1


def mutants_of_table(table: Table) -> Iterator[Mutant]:
    """Every mutant of a table, each of which is another table."""
    for index, rule in enumerate(table):
        yield _mutant(rule, "deleted", table[:index] + table[index + 1 :])
        for what, changed in changes(rule):
            mutated = (*table[:index], changed, *table[index + 1 :])
            yield _mutant(rule, what, mutated, widened=table if changed.when != rule.when else ())
        pair = (later for later in range(index + 1, len(table)) if _pair(table[later]) == _pair(rule))
        later = next(pair, None)
        if later is not None and _may_both_match(rule, table[later]):
            swapped = (*table[:index], table[later], *table[index + 1 : later], rule, *table[later + 1 :])
            yield _mutant(rule, f"after {table[later].name}", swapped, widened=(table[later],))


def _mutant(rule: Rule, what: str, table: Table, *, widened: Table = ()) -> Mutant:
    """One mutant; it changes something only where the rule matches, or one of the others of its pair."""
    file, line = place_of(rule.name)
    pair = {rule_site(other.name) for other in widened if _pair(other) == _pair(rule)}
    return Mutant(
        name=f"{rule.name}: {what}",
        file=file,
        line=line,
        clauses=rule.upholds,
        install=lambda: machine_of(table),
        sites=frozenset({rule_site(rule.name), *pair}),
        pure=True,
        rule=rule.name,
    )


def machine_of(table: Table) -> AbstractContextManager[object]:
    """Let turns have a machine that is another object: no proof takes a path from a run before."""
    return mock.patch(MACHINE, functools.partial(Machine, table=table))


def _pair(rule: Rule) -> tuple[object, object]:
    return rule.phase, rule.on


def _may_both_match(one: Rule, other: Rule) -> bool:
    guards = {*one.when, *other.when}
    return all(len(guards & alternatives) < 2 for alternatives in ALTERNATIVES)


def changes(rule: Rule) -> Iterator[tuple[str, Rule]]:
    """Every wrong rule that the rule could be, and what was done to it."""
    yield from _wrong_guards(rule)
    for phase in Phase:
        if phase is not rule.to:
            yield f"goes to {phase.value}", replace(rule, to=phase)
    for what, updates in _updates(rule):
        yield f"update {what}", replace(rule, updates=updates)
    for what, shows in _parts(rule.shows, [show for show in _functions(_shows) if show not in rule.shows]):
        yield f"emission {what}", replace(rule, shows=shows)
    for place in range(1, len(rule.shows)):
        before, part = rule.shows[place - 1 : place + 1]
        swapped = _put(_put(rule.shows, place - 1, part), place, before)
        yield f"emission {part.__name__} before {before.__name__}", replace(rule, shows=swapped)
    for what, does in _parts(rule.does, _functions(_does)):
        yield f"action {what}", replace(rule, does=does)
    if not rule.does and rule.on is not Failed:
        yield "action save added", replace(rule, does=(_does.save,))
        yield "action call_model added", replace(rule, does=(_does.call_model,))
    for leak in leaks(rule):
        yield f"leaks {leak.__name__}", replace(rule, shows=(*rule.shows, leak))


def _wrong_guards(rule: Rule) -> Iterator[tuple[str, Rule]]:
    for place, guard in enumerate(rule.when):
        yield f"guard {guard.__name__} dropped", replace(rule, when=_without(rule.when, place))
        yield f"guard {guard.__name__} negated", replace(rule, when=_put(rule.when, place, _negated(guard)))


def _updates(rule: Rule) -> Iterator[tuple[str, tuple[Part, ...]]]:
    parts = rule.updates
    ends = _functions(_results)
    for place, part in enumerate(parts):
        yield f"{part.__name__} dropped", _without(parts, place)
        if part in ends:
            for other in ends:
                if other is not part:
                    yield f"{part.__name__} is {other.__name__}", _put(parts, place, other)
            for earlier in range(place):
                moved = (*parts[:earlier], part, *_without(parts, place)[earlier:])
                yield f"{part.__name__} before {parts[earlier].__name__}", moved
        elif part.__name__ not in IDEMPOTENT:
            yield f"{part.__name__} doubled", _twice(parts, place)


def _parts(parts: tuple[Part, ...], others: Sequence[Part]) -> Iterator[tuple[str, tuple[Part, ...]]]:
    """Each part dropped, doubled, and replaced by each of the others."""
    for place, part in enumerate(parts):
        yield f"{part.__name__} dropped", _without(parts, place)
        yield f"{part.__name__} doubled", _twice(parts, place)
        for other in others:
            if other is not part:
                yield f"{part.__name__} is {other.__name__}", _put(parts, place, other)


def _functions(module: ModuleType) -> list[Part]:
    """The public functions that a module defines itself."""
    found = vars(module).items()
    return [
        part
        for name, part in found
        if inspect.isfunction(part) and part.__module__ == module.__name__ and not name.startswith("_")
    ]


def _negated(guard: Part) -> Part:
    return lambda state, item: not guard(state, item)


def _without(parts: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    return parts[:place] + parts[place + 1 :]


def _put(parts: tuple[Any, ...], place: int, part: Any) -> tuple[Any, ...]:
    return (*parts[:place], part, *parts[place + 1 :])


def _twice(parts: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    return (*parts[: place + 1], *parts[place:])


def leaks(rule: Rule) -> Iterator[Part]:
    """What the rule could show, and must not."""
    if rule.on in (TextDelta, ReasoningDelta):
        yield its_text
    if rule.on is Judged:
        yield the_whole_response
    if rule.phase in (Phase.CALLING, Phase.DECIDING, Phase.SYNTHESIZING, Phase.SAVING, Phase.RUNNING):
        yield a_synthesis_event
        yield a_reuse_event


def its_text(state: State, item: TextDelta | ReasoningDelta) -> Sequence[StreamChunk]:
    return (StreamChunk(content=item.text, call=max(state.call, 0)),)


def the_whole_response(state: State, item: Judged) -> Sequence[StreamChunk]:
    text = item.response.content
    return (StreamChunk(content=text, call=state.call),) if text else ()


def a_synthesis_event(state: State, item: object) -> Sequence[StreamChunk]:
    return (StreamChunk(event=StreamEvent.STRUCTURED_SYNTHESIS_START, call=state.call),)


def a_reuse_event(state: State, item: object) -> Sequence[StreamChunk]:
    return (StreamChunk(event=StreamEvent.STRUCTURED_REUSE, call=state.call),)
