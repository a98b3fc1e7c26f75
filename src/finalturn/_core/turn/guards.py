"""The guards of rules: pure functions that say whether a rule applies to a state and an input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from finalturn._core.turn.inputs import Decided, Judged, Started, ToolReturned, ToolsFinished, Verdict
from finalturn._core.turn.setup import Mode
from finalturn._core.turn.state import State

Guard: TypeAlias = Callable[[State, Any], bool]


def text_is_suppressed(state: State, item: object) -> bool:
    return state.setup.single_pass


def text_is_held(state: State, item: object) -> bool:
    return state.hold is not None


def object_is_shown_growing(state: State, item: object) -> bool:
    return state.growing is not None


def not_final_turn(state: State, item: object) -> bool:
    return state.setup.mode is not Mode.FINAL_TURN


def in_default_mode(state: State, item: object) -> bool:
    return state.setup.mode is Mode.DEFAULT


def without_format(state: State, item: object) -> bool:
    return state.setup.mode is Mode.PLAIN


def asks_for_tools(state: State, item: Judged) -> bool:
    return item.verdict is Verdict.CALLS


def is_refused(state: State, item: Judged) -> bool:
    return item.verdict is Verdict.REFUSED


def is_cut(state: State, item: Judged) -> bool:
    return item.verdict is Verdict.CUT


def is_empty(state: State, item: Judged) -> bool:
    return item.verdict is Verdict.EMPTY


def is_plain(state: State, item: Judged) -> bool:
    return item.verdict is Verdict.PLAIN


def is_invalid(state: State, item: Judged) -> bool:
    return item.verdict is Verdict.INVALID


def is_valid(state: State, item: Judged) -> bool:
    return item.verdict is Verdict.VALID


def limit_is_reached(state: State, item: Started | Judged | Decided | ToolsFinished) -> bool:
    return item.limit is not None


def too_many_tools(state: State, item: Judged) -> bool:
    return item.too_many_tools


def text_was_shown(state: State, item: Judged) -> bool:
    return bool(item.shown.strip())


def reuse_is_on(state: State, item: object) -> bool:
    return state.setup.reuse


def has_predicate(state: State, item: object) -> bool:
    return state.setup.asks


def retries_are_left(state: State, item: object) -> bool:
    return state.retries < state.setup.max_retries


def empty_not_yet_retried(state: State, item: object) -> bool:
    return not state.empty_retried


def tools_have_run(state: State, item: object) -> bool:
    return bool(state.added)


def wants_the_object(state: State, item: Decided) -> bool:
    return item.finalize


def outcome_is_due(state: State, item: ToolReturned) -> bool:
    index = item.outcome.index
    return 0 <= index < len(state.outcomes) and state.outcomes[index] is None


def batch_is_complete(state: State, item: object) -> bool:
    return None not in state.outcomes


def a_tool_was_terminal(state: State, item: object) -> bool:
    return any(outcome is not None and outcome.terminal for outcome in state.outcomes)


def iterations_are_spent(state: State, item: object) -> bool:
    return state.iterations >= state.setup.max_iterations
