"""A rule of the turn's table, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from finalturn._core.turn import Rule


def words(functions: Iterable[Callable[..., object]]) -> list[str]:
    """What functions are called, as words: ``reuse_is_on`` reads "reuse is on"."""
    return [getattr(function, "__name__", "?").strip("_").replace("_", " ") for function in functions]


def as_json(rule: Rule) -> dict[str, object]:
    """A rule for programs."""
    return {
        "name": rule.name,
        "phase": rule.phase.value,
        "on": rule.on.__name__,
        "when": words(rule.when),
        "to": rule.to.value,
        "updates": words(rule.updates),
        "shows": words(rule.shows),
        "does": words(rule.does),
        "upholds": list(rule.upholds),
    }
