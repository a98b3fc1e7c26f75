"""Every mutant of a table. A mutant is a value: another table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from finalturn.core.chunks import StreamChunk, StreamEvent
from finalturn.core.clauses import ClauseId
from finalturn.core.model import ReasoningDelta, TextDelta
from finalturn.core.turn import Judged, Phase, Rule, State, Table


@dataclass(frozen=True)
class Mutant:
    """One broken table.

    Attributes:
        name: the rule, and what was done to it.
        table: the table with it.
        clauses: those that the rule upholds; a proof of one of them must fail.
        rule: the rule before.
        widened: the mutant may match where the rule did not.
    """

    name: str
    table: Table
    clauses: tuple[ClauseId, ...]
    rule: Rule
    widened: bool


def mutants_of(table: Table) -> Iterator[Mutant]:
    """Every mutant: rules deleted, guards dropped and negated, phases swapped, parts dropped and doubled."""
    for place, rule in enumerate(table):
        deleted = table[:place] + table[place + 1 :]
        yield Mutant(f"{rule.name}: deleted", deleted, rule.upholds, rule, widened=False)
        for what, changed in _changes(rule):
            mutated = (*table[:place], changed, *table[place + 1 :])
            widened = changed.when != rule.when
            yield Mutant(f"{rule.name}: {what}", mutated, rule.upholds, rule, widened)


def _changes(rule: Rule) -> Iterator[tuple[str, Rule]]:
    for place, guard in enumerate(rule.when):
        yield f"guard {guard.__name__} dropped", replace(rule, when=_without(rule.when, place))
        negated = _negated(guard)
        yield f"guard {guard.__name__} negated", replace(rule, when=_put(rule.when, place, negated))
    for phase in Phase:
        if phase is not rule.to:
            yield f"goes to {phase.value}", replace(rule, to=phase)
    for place, update in enumerate(rule.updates):
        yield f"update {update.__name__} dropped", replace(rule, updates=_without(rule.updates, place))
    for place, show in enumerate(rule.shows):
        yield f"emission {show.__name__} dropped", replace(rule, shows=_without(rule.shows, place))
        yield f"emission {show.__name__} doubled", replace(rule, shows=_twice(rule.shows, place))
    for place, do in enumerate(rule.does):
        yield f"action {do.__name__} dropped", replace(rule, does=_without(rule.does, place))
        yield f"action {do.__name__} doubled", replace(rule, does=_twice(rule.does, place))
    for leak in _leaks(rule):
        yield f"leaks {leak.__name__}", replace(rule, shows=(*rule.shows, leak))


def _leaks(rule: Rule) -> Iterator[Callable[[State, Any], Sequence[StreamChunk]]]:
    """Emissions that a rule does not have, and must not."""
    if rule.on in (TextDelta, ReasoningDelta):
        yield _text
    if rule.on is Judged:
        yield _response
    if rule.phase in (Phase.CALLING, Phase.DECIDING, Phase.SYNTHESIZING):
        yield _start_event
        yield _reuse_event


def _text(state: State, item: TextDelta | ReasoningDelta) -> Sequence[StreamChunk]:
    return (StreamChunk(content=item.text, call=max(state.call, 0)),)


def _response(state: State, item: Judged) -> Sequence[StreamChunk]:
    text = item.response.content
    return (StreamChunk(content=text, call=state.call),) if text else ()


def _start_event(state: State, item: object) -> Sequence[StreamChunk]:
    return (StreamChunk(event=StreamEvent.STRUCTURED_SYNTHESIS_START, call=state.call),)


def _reuse_event(state: State, item: object) -> Sequence[StreamChunk]:
    return (StreamChunk(event=StreamEvent.STRUCTURED_REUSE, call=state.call),)


def _negated(guard: Callable[[State, Any], bool]) -> Callable[[State, Any], bool]:
    return lambda state, item: not guard(state, item)


def _without(parts: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    return parts[:place] + parts[place + 1 :]


def _put(parts: tuple[Any, ...], place: int, part: Any) -> tuple[Any, ...]:
    return (*parts[:place], part, *parts[place + 1 :])


def _twice(parts: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    return (*parts[: place + 1], *parts[place:])
