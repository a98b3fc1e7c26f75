"""Broken machines, recorded: the clause that each breaks is found to be violated."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest

from finalturn import StreamChunk, StreamEvent
from finalturn._core.turn import TABLE, Machine, Phase, Rule, State
from finalturn._core.turn import does as _does
from finalturn._core.turn import guards as _guards
from finalturn._core.turn import results as _results
from finalturn._core.turn import shows as _shows
from finalturn._core.turn import updates as _updates
from finalturn.contract import (
    ANSWER_CALL_KNOWN,
    ANSWER_ON_RESULT,
    ASKED_AT_MOST_ONCE,
    DEFAULT_MODE_STREAMS,
    EXPLICIT_OUTCOME,
    HELD_JSON,
    HISTORY_IS_WHAT_WAS_SHOWN,
    NO_NEEDLESS_CALL,
    OWN_RETRY_BUDGET,
    PREDICATE_SEES_CONVERSATION,
    REASONING_APART,
    REUSE_SIGNALLED,
    SCHEMA_STAYS_OUT,
    SINGLE_PASS_SUPPRESSES_CONTENT,
    SKIP_IS_SILENT,
    SYNTHESIS_NEVER_STREAMS,
    SYNTHESIS_START_ONCE,
    TOOL_CALLS_ALWAYS_STREAM,
    TOOL_MESSAGES_IN_CALL_ORDER,
    USAGE_COMPLETE,
    VALID_ANSWER_WINS,
    Clause,
    Trace,
    verify,
)
from tests.contract._paths import PATHS
from tests.contract_package._recorded import RecordedPlay

Change = Callable[[Rule], Rule]


def leaks(show: Callable[[State, Any], Sequence[StreamChunk]]) -> Change:
    return lambda rule: replace(rule, shows=(*rule.shows, show))


def shows(*given: Any) -> Change:
    return lambda rule: replace(rule, shows=given)


def does(*given: Any) -> Change:
    return lambda rule: replace(rule, does=given)


def goes(to: Phase) -> Change:
    return lambda rule: replace(rule, to=to)


def without(part: Any) -> Change:
    return lambda rule: replace(
        rule,
        when=tuple(one for one in rule.when if one is not part),
        updates=tuple(one for one in rule.updates if one is not part),
        shows=tuple(one for one in rule.shows if one is not part),
    )


def doubled(part: Any) -> Change:
    return lambda rule: replace(
        rule,
        updates=tuple(one for one in rule.updates for _ in range(1 + (one is part))),
        shows=tuple(one for one in rule.shows for _ in range(1 + (one is part))),
        does=tuple(one for one in rule.does for _ in range(1 + (one is part))),
    )


def instead(part: Any, other: Any) -> Change:
    return lambda rule: replace(rule, updates=tuple(other if one is part else one for one in rule.updates))


def its_text(state: State, item: Any) -> Sequence[StreamChunk]:
    return (StreamChunk(item.text, call=state.call),)


def start_event(state: State, item: Any) -> Sequence[StreamChunk]:
    return (StreamChunk(event=StreamEvent.STRUCTURED_SYNTHESIS_START, call=state.call + 1),)


MUTANTS: list[tuple[Clause, str, str, Change]] = [
    (SYNTHESIS_NEVER_STREAMS, "synthesis", "synthesis-text", leaks(its_text)),
    (SYNTHESIS_NEVER_STREAMS, "synthesis", "synthesis-reasoning", leaks(_shows.reasoning)),
    (SYNTHESIS_START_ONCE, "synthesis, two retries", "synthesis-retry", leaks(start_event)),
    (SYNTHESIS_START_ONCE, "synthesis", "synthesize", without(_shows.synthesis_event)),
    (SYNTHESIS_START_ONCE, "synthesis", "synthesize", doubled(_shows.synthesis_event)),
    (SYNTHESIS_START_ONCE, "plain", "plain-answer", leaks(start_event)),
    (REUSE_SIGNALLED, "reuse", "reuse-shown", without(_shows.reuse_event)),
    (REUSE_SIGNALLED, "reuse", "reuse-shown", doubled(_shows.reuse_event)),
    (REUSE_SIGNALLED, "reuse, held", "reuse-unseen", leaks(_shows.reuse_event)),
    (REUSE_SIGNALLED, "reuse off", "reuse-unseen", without(_guards.reuse_is_on)),
    (SINGLE_PASS_SUPPRESSES_CONTENT, "single_pass", "loop-text-suppressed", leaks(its_text)),
    (SINGLE_PASS_SUPPRESSES_CONTENT, "single_pass", "reuse-unseen", leaks(_shows.reuse_event)),
    (HELD_JSON, "reuse, held", "loop-text-held", shows(_shows.content)),
    (HELD_JSON, "reuse, held with a blank line after it", "loop-text-held", leaks(its_text)),
    (TOOL_CALLS_ALWAYS_STREAM, "plain, a tool", "tools-requested", without(_shows.tool_calls)),
    (TOOL_CALLS_ALWAYS_STREAM, "plain, a tool", "tools-requested", doubled(_shows.tool_calls)),
    (REASONING_APART, "plain", "loop-reasoning", shows(its_text)),
    (SKIP_IS_SILENT, "skip", "skip", leaks(start_event)),
    (SKIP_IS_SILENT, "skip", "loop-text", leaks(_shows.reuse_event)),
    (ANSWER_CALL_KNOWN, "plain, a tool", "tools-done", without(_updates.next_call)),
    (
        ANSWER_ON_RESULT,
        "synthesis",
        "synthesis-valid",
        instead(_results.end_synthesized, _results.end_skipped),
    ),
    (DEFAULT_MODE_STREAMS, "default", "loop-text", shows()),
    (DEFAULT_MODE_STREAMS, "default", "loop-text", doubled(_shows.content)),
    (DEFAULT_MODE_STREAMS, "default", "default-valid", leaks(_shows.reuse_event)),
    (VALID_ANSWER_WINS, "reuse", "reuse-shown", does(_does.ask_finalize)),
    (ASKED_AT_MOST_ONCE, "skip", "ask-predicate", doubled(_does.ask_finalize)),
    (PREDICATE_SEES_CONVERSATION, "plain, a tool", "tools-requested", does(_does.ask_finalize)),
    (TOOL_MESSAGES_IN_CALL_ORDER, "plain, a tool", "tools-done", without(_shows.tool_results)),
    (TOOL_MESSAGES_IN_CALL_ORDER, "plain, a tool", "tools-done", doubled(_shows.tool_results)),
    (TOOL_MESSAGES_IN_CALL_ORDER, "plain, a tool", "tools-done", without(_updates.append_results)),
    (HISTORY_IS_WHAT_WAS_SHOWN, "plain, a tool", "tools-done", doubled(_updates.append_results)),
    (HISTORY_IS_WHAT_WAS_SHOWN, "refused", "refused", without(_shows.settled_text)),
    (HISTORY_IS_WHAT_WAS_SHOWN, "plain", "plain-answer", does(_does.finish)),
    (EXPLICIT_OUTCOME, "synthesis", "synthesis-valid", instead(_results.end_synthesized, _results.end_plain)),
    (NO_NEEDLESS_CALL, "reuse", "reuse-shown", does(_does.synthesize)),
    (NO_NEEDLESS_CALL, "skip", "skip", does(_does.synthesize)),
    (OWN_RETRY_BUDGET, "the iteration limit", "iterations-spent", without(_guards.iterations_are_spent)),
    (OWN_RETRY_BUDGET, "synthesis, two retries", "synthesis-retry", doubled(_updates.spend_retry)),
    (SCHEMA_STAYS_OUT, "synthesis", "tools-done", does(_does.synthesize)),
    (USAGE_COMPLETE, "plain, a tool", "tools-requested", without(_updates.close_call)),
    (USAGE_COMPLETE, "synthesis, two retries", "synthesis-retry", doubled(_updates.close_call)),
]


def recorded(path: str, rule: str, change: Change) -> Trace:
    table = tuple(change(one) if one.name == rule else one for one in TABLE)
    assert table != TABLE
    play = RecordedPlay("astream-asyncio", "streaming")
    with mock.patch("finalturn._agent.driver.Machine", functools.partial(Machine, table=table)):
        PATHS[path].play(play)
    (trace,) = play.traces
    return trace


@pytest.mark.parametrize(("clause", "path", "rule", "change"), MUTANTS)
def test_a_broken_machine_breaks_its_clause(clause: Clause, path: str, rule: str, change: Change) -> None:
    found = verify(recorded(path, rule, change), [clause])
    assert {one.outcome for one in found} == {"violated"}


def test_many_clauses_are_broken_here() -> None:
    assert len({clause.id for clause, *_ in MUTANTS}) >= 20
