"""Every way in which one rule of the table can be wrong."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

from finalturn._core.model import ReasoningDelta, TextDelta
from finalturn._core.turn import Failed, Judged, Phase, Rule, State
from finalturn._core.turn import does as _does
from finalturn._core.turn import results as _results
from finalturn._core.turn import shows as _shows
from tools.mutants._leaks import leaks

Part = Callable[[State, Any], Any]

IDEMPOTENT = frozenset({"open_hold", "note_outcome", "converge", "reject", "spend_empty_retry"})
"""Updates that do nothing more when they are applied twice; so are those that end a turn."""

NEEDS: dict[str, type] = {
    "ask_finalize": Judged,
    "raise_error": Failed,
    "settled_text": Judged,
    "tool_calls": Judged,
}
"""What parts need of their input, where they do not take any."""


def changes(rule: Rule) -> Iterator[tuple[str, Rule]]:
    """Every wrong rule that the rule could be, and what was done to it."""
    yield from _guards(rule)
    for phase in Phase:
        if phase is not rule.to:
            yield f"goes to {phase.value}", replace(rule, to=phase)
    for what, updates in _updates(rule):
        yield f"update {what}", replace(rule, updates=updates)
    for what, shows in _emissions(rule):
        yield f"emission {what}", replace(rule, shows=shows)
    for what, does in _actions(rule):
        yield f"action {what}", replace(rule, does=does)
    for leak in leaks(rule):
        yield f"leaks {leak.__name__}", replace(rule, shows=(*rule.shows, leak))


def _guards(rule: Rule) -> Iterator[tuple[str, Rule]]:
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


def _emissions(rule: Rule) -> Iterator[tuple[str, tuple[Part, ...]]]:
    parts = rule.shows
    for place, part in enumerate(parts):
        yield f"{part.__name__} dropped", _without(parts, place)
        yield f"{part.__name__} doubled", _twice(parts, place)
        for other in _functions(_shows):
            if other not in parts and _takes(other, rule) and _is_of_text(other) is _is_of_text(part):
                yield f"{part.__name__} is {other.__name__}", _put(parts, place, other)
        if place:
            swapped = _put(_put(parts, place - 1, part), place, parts[place - 1])
            yield f"{part.__name__} before {parts[place - 1].__name__}", swapped


def _actions(rule: Rule) -> Iterator[tuple[str, tuple[Part, ...]]]:
    parts = rule.does
    for place, part in enumerate(parts):
        yield f"{part.__name__} dropped", _without(parts, place)
        yield f"{part.__name__} doubled", _twice(parts, place)
        for other in _functions(_does):
            if other is not part and _takes(other, rule):
                yield f"{part.__name__} is {other.__name__}", _put(parts, place, other)
    if not parts and rule.on is not Failed:
        yield "save added", (_does.save,)
        yield "call_model added", (_does.call_model,)


def _takes(part: Part, rule: Rule) -> bool:
    if _is_of_text(part):
        return rule.on in (TextDelta, ReasoningDelta)
    return NEEDS.get(part.__name__, rule.on) is rule.on


def _is_of_text(part: Part) -> bool:
    """Whether it shows a piece of text as it comes."""
    return part in (_shows.content, _shows.content_past_the_hold, _shows.reasoning)


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
