"""The machine that runs a turn: it finds the rule for each input, and says what to show and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from finalturn._core.chunks import StreamChunk
from finalturn._core.errors import ProtocolError
from finalturn._core.turn.actions import Action
from finalturn._core.turn.inputs import Finished, Input, Judged, Verdict
from finalturn._core.turn.judge import judge
from finalturn._core.turn.setup import TurnSetup
from finalturn._core.turn.state import Phase, State
from finalturn._core.turn.table import IGNORED, TABLE, Rule, Table

Step: TypeAlias = tuple[Sequence[StreamChunk], Sequence[Action]]
"""What to show, and then what to do."""

_Rules: TypeAlias = dict[type[Input], tuple[Rule, ...]]


class Machine:
    """One turn. Feed it what happens; deliver what it shows, then do what it asks.

    It does no I/O, awaits nothing and reads no clock.

    Args:
        setup: what is fixed for the turn.
        table: its rules; another table is another machine.
    """

    def __init__(self, setup: TurnSetup, table: Table = TABLE) -> None:
        self.state: State = State(setup)
        self.phase: Phase = Phase.READY
        self.last_rule: str | None = None
        self.last_verdict: Verdict | None = None
        self._index = _INDEX if table is TABLE else _indexed(table)
        self._rules = self._index[self.phase]

    def step(self, item: Input) -> Step:
        """Take one input.

        Returns:
            What to show, and what to do once that is delivered.

        Raises:
            ProtocolError: the input is not legal in this phase; nothing has changed.
        """
        if type(item) is Finished:
            if Judged not in self._rules:
                raise self._illegal("Finished", "no model call is under way")
            item = _with_limits(judge(self.phase, self.state, item.response), item)
            self.last_verdict = item.verdict
        kind = type(item)
        state = self.state
        for rule in self._rules.get(kind, ()):
            for guard in rule.when:
                if not guard(state, item):
                    break
            else:
                return self._apply(rule, state, item)
        if (self.phase, kind) in IGNORED:
            return (), ()
        reason = "no rule's guards hold" if kind in self._rules else "this phase does not take it"
        raise self._illegal(kind.__name__, reason)

    def _apply(self, rule: Rule, state: State, item: Input) -> Step:
        if rule.updates or rule.does or rule.to is not self.phase:
            return self._advance(rule, state, item)
        # A piece of text changes nothing: this is all that most inputs cost.
        self.last_rule = rule.name
        if len(rule.shows) == 1:
            return rule.shows[0](state, item), ()
        return [chunk for show in rule.shows for chunk in show(state, item)], ()

    def _advance(self, rule: Rule, state: State, item: Input) -> Step:
        shown = [chunk for show in rule.shows for chunk in show(state, item)]
        for update in rule.updates:
            state = update(state, item)
        actions = [do(state, item) for do in rule.does]
        self.state, self.phase, self.last_rule = state, rule.to, rule.name
        self._rules = self._index[rule.to]
        return shown, actions

    def _illegal(self, name: str, reason: str) -> ProtocolError:
        return ProtocolError(self.phase.value, name, self.last_rule, reason)


def _with_limits(judged: Judged, finished: Finished) -> Judged:
    if finished.limit is None and not finished.too_many_tools:
        return judged
    return replace(judged, limit=finished.limit, too_many_tools=finished.too_many_tools)


def _indexed(table: Table) -> dict[Phase, _Rules]:
    index: dict[Phase, _Rules] = {phase: {} for phase in Phase}
    for rule in table:
        rules = index[rule.phase]
        rules[rule.on] = (*rules.get(rule.on, ()), rule)
    return index


_INDEX = _indexed(TABLE)
