"""What a mutant is: something wrong, put in place for the time of a proof."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from tools.mutants._code import Unit


@dataclass(frozen=True)
class Mutant:
    """One broken variant of finalturn.

    Attributes:
        name: what is mutated, and how; unique.
        file: where that stands, from the root of the repository.
        line: 1-based.
        clauses: the ids of those that it breaks; a proof of one of them must fail.
        install: puts it in place while the context is open.
        sites: what a run must reach for the mutant to change anything: rules and statements, see
            `Recorder`. ``None`` where that is not known.
        units: the functions that are mutated.
        pure: it is the same under every driver and kind of provider.
        rule: the rule that is mutated; "" where it is no rule.
    """

    name: str
    file: str
    line: int
    clauses: tuple[str, ...]
    install: Callable[[], AbstractContextManager[object]]
    sites: frozenset[str] | None = None
    units: tuple[Unit, ...] = ()
    pure: bool = False
    rule: str = ""

    def concerns(self, reached: frozenset[str]) -> bool:
        """Whether a run that reached these sites can differ on the mutant."""
        return self.sites is None or not self.sites.isdisjoint(reached)


def rule_site(name: str) -> str:
    """The site of a rule of the table."""
    return f"rule {name}"
