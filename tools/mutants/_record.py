"""What a run reaches: rules of the table, and statements of the code that is mutated."""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import CodeType

from finalturn._agent.spec import OBSERVERS_OF_ALL
from finalturn.observers import ObservedTurn, RuleFired, TurnEvent
from tools.mutants._code import FLAGS, ROOT, Unit, find, site, statements, swapped
from tools.mutants._mutant import rule_site

NOTE = "__mutants_reached__"


class Recorder:
    """Notes the sites that are reached while it is installed.

    Attributes:
        reached: the sites since it was last cleared.
    """

    def __init__(self, watched: Iterable[Unit]) -> None:
        self.reached: set[str] = set()
        self._units = tuple(dict.fromkeys(watched))

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Note what is reached, in every thread."""
        reached = self.reached

        for one in self._units:
            # It stays there: a thread may still run such code when the case is over.
            one.function.__globals__[NOTE] = reached
        codes = [(one, _noting(one)) for one in self._units]
        observer = _RuleNotes(reached)
        OBSERVERS_OF_ALL.append(observer)
        try:
            with swapped(codes):
                yield
        finally:
            OBSERVERS_OF_ALL.remove(observer)


class _RuleNotes:
    """Observes every turn, and notes which rules fire."""

    def __init__(self, reached: set[str]) -> None:
        self._reached = reached

    def observe(self, turn: ObservedTurn, /) -> _RuleNotes:
        return self

    def on_event(self, event: TurnEvent, /) -> None:
        if isinstance(event, RuleFired):
            self._reached.add(rule_site(event.rule))


@functools.cache
def _noting(one: Unit) -> CodeType:
    """The function's code, with a note before each statement."""
    memo: dict[int, object] = {}
    top = copy.deepcopy(one.top, memo)
    notes = {id(memo[id(old)]): _note(site(one, old)) for old in statements(one.node)}
    for node in ast.walk(top):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                setattr(node, field, [part for old in block for part in _with_note(old, notes)])
    tree = ast.fix_missing_locations(ast.Module([top], []))
    return find(compile(tree, str(ROOT / one.file), "exec", FLAGS, dont_inherit=True), one.name)


def _with_note(old: ast.stmt, notes: dict[int, ast.stmt]) -> list[ast.stmt]:
    note = notes.get(id(old))
    return [old] if note is None else [note, old]


def _note(name: str) -> ast.stmt:
    return ast.parse(f"{NOTE}.add({name!r})").body[0]
