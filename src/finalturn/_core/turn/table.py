"""The rules of a turn: the theory, and the table.

A turn is a walk through phases. In each phase the driver is doing exactly one thing, and tells the
machine what comes of it; the first rule of that phase and input whose guards hold says what is
remembered, what is shown, and what to do next.

    READY -> CALLING -> SAVING -> DONE              a plain answer, or one that is the object itself
             CALLING -> RUNNING -> CALLING ...      the model asks for tools, and is told their outcomes
                        RUNNING -> SAVING           a terminal tool, or the last iteration, ends the turn
             CALLING -> DECIDING -> SAVING          the predicate says that no object is needed
             CALLING [-> DECIDING] -> SYNTHESIZING -> SAVING    a silent call makes the object
             any of these -> SAVING                 a limit forbids to go on

*What is visible* is what a rule shows. ``synthesis-text`` shows nothing: that row, and no ``if``
anywhere, is why synthesis never streams. ``synthesis-partial``, where a turn asks for it, shows the object
as it grows, which is no content. All that a step shows is delivered before its actions start,
so ``structured_synthesis_start`` reaches an output channel before the call that it announces begins.

*Convergence* is decided when a response is complete, never while it streams: a response that asks for
tools goes on, whatever text came with it. A refusal asks for none: its calls never get here.

*User code* (tools, gates, the predicate, the store) is an action; what it returns or raises is an
input. The machine calls none of it, but for validation, which counts as pure.

*Order matters* among rules of one phase and input. For a finished loop call: calls and refusals first;
then what ends a turn without structured output; then default mode; what is left is `final_turn_only`,
where a valid answer wins over the predicate, and the predicate over synthesis.

*Limits* are counted outside: the inputs after which a model call may begin say what forbids it. Before
each rule that begins one stands a rule that ends the turn instead, and shows nothing of that call.

Every pair of phase and input is ruled here, ignored in `IGNORED` with a reason, or illegal.

A row reads: name, phase, input, next phase; then the guards (`guards`), what anyone sees (`shows`), what is
remembered (`updates`, and `results` where the turn ends), and what the driver is to do (`does`). Below the
rules, `UPHOLDS` says for each clause of the contract which of them uphold it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from finalturn._core.model import ReasoningDelta, TextDelta
from finalturn._core.turn import does as do
from finalturn._core.turn import guards as when
from finalturn._core.turn import results as end
from finalturn._core.turn import shows as show
from finalturn._core.turn import updates as update
from finalturn._core.turn.does import Do
from finalturn._core.turn.guards import Guard
from finalturn._core.turn.inputs import (
    Cancelled,
    Decided,
    Failed,
    Input,
    Judged,
    LimitReached,
    Saved,
    Started,
    ToolReturned,
    ToolsFinished,
    ToolShows,
)
from finalturn._core.turn.shows import Show
from finalturn._core.turn.state import Phase
from finalturn._core.turn.updates import Update


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table.

    Attributes:
        name: unique in its table.
        phase: where it applies.
        on: the type of input that it answers.
        to: the phase after it.
        when: guards; all must hold. The first matching rule of a phase and input wins.
        updates: what it remembers, applied in order.
        shows: what anyone sees of it, delivered in order before its actions start.
        does: what the driver is asked to do.
        upholds: the clauses of the contract that it keeps.
    """

    name: str
    phase: Phase
    on: type[Input]
    to: Phase
    when: tuple[Guard, ...] = ()
    updates: tuple[Update, ...] = ()
    shows: tuple[Show, ...] = ()
    does: tuple[Do, ...] = ()
    upholds: tuple[ClauseId, ...] = ()


Table: TypeAlias = tuple[Rule, ...]

READY, CALLING, RUNNING, DECIDING, SYNTHESIZING, SAVING, DONE, FAILED, CANCELLED = Phase

WORKING = (CALLING, RUNNING, DECIDING, SYNTHESIZING, SAVING)
"""The phases in which a driver is doing something that can fail or be cancelled."""

SYNTHESIS_CALL = (update.next_call, update.open_growing)
"""What every synthesis call starts with."""

LOOP_CALL = (update.next_call, update.next_iteration, update.open_hold)
"""What every loop call that counts as an iteration starts with."""

# Two lines a row are read as a table; the formatter would make eight of them.
# fmt: off
RULES: Table = (
    # The turn begins.
    Rule("start-limited", READY, Started, SAVING, when=(when.limit_is_reached,),
         updates=(end.end_limited,), does=(do.save,)),
    Rule("start", READY, Started, CALLING, updates=LOOP_CALL, does=(do.call_model,)),
    # Pieces of a model call: what streams, and what does not.
    Rule("loop-text-suppressed", CALLING, TextDelta, CALLING, when=(when.text_is_suppressed,)),
    Rule("loop-text-held", CALLING, TextDelta, CALLING, when=(when.text_is_held,),
         shows=(show.content_past_the_hold,)),
    Rule("loop-text", CALLING, TextDelta, CALLING, shows=(show.content,)),
    Rule("loop-reasoning", CALLING, ReasoningDelta, CALLING, shows=(show.reasoning,)),
    Rule("synthesis-partial", SYNTHESIZING, TextDelta, SYNTHESIZING, when=(when.object_is_shown_growing,),
         shows=(show.partial_object,)),
    Rule("synthesis-text", SYNTHESIZING, TextDelta, SYNTHESIZING),
    Rule("synthesis-reasoning", SYNTHESIZING, ReasoningDelta, SYNTHESIZING),
    # A loop call is complete: calls and refusals first.
    Rule("tools-limited", CALLING, Judged, SAVING, when=(when.too_many_tools,),
         shows=(show.settled_text, show.tool_calls, show.refused_calls),
         updates=(update.close_call, update.take_calls, update.refuse_calls, end.end_tool_limit),
         does=(do.save,)),
    Rule("tools-requested", CALLING, Judged, RUNNING, when=(when.asks_for_tools,),
         shows=(show.settled_text, show.tool_calls), updates=(update.close_call, update.take_calls),
         does=(do.run_tools,)),
    Rule("refused", CALLING, Judged, SAVING, when=(when.is_refused,),
         shows=(show.settled_text,), updates=(update.close_call, end.end_refused), does=(do.save,)),
    # What ends a turn without structured output, and answers that are empty.
    Rule("plain-answer", CALLING, Judged, SAVING, when=(when.is_plain,),
         updates=(update.close_call, end.end_plain), does=(do.save,)),
    Rule("plain-cut", CALLING, Judged, SAVING, when=(when.without_format, when.is_cut),
         updates=(update.close_call, end.end_cut), does=(do.save,)),
    Rule("empty-limited", CALLING, Judged, SAVING,
         when=(when.is_empty, when.not_final_turn, when.empty_not_yet_retried, when.limit_is_reached),
         updates=(update.close_call, end.end_limited), does=(do.save,)),
    Rule("empty-again", CALLING, Judged, CALLING,
         when=(when.is_empty, when.not_final_turn, when.empty_not_yet_retried),
         updates=(update.close_call, update.spend_empty_retry, update.next_call), does=(do.call_model,)),
    Rule("empty-after-tools", CALLING, Judged, SAVING,
         when=(when.is_empty, when.without_format, when.tools_have_run),
         updates=(update.close_call, end.end_plain), does=(do.save,)),
    Rule("empty-unvalidated", CALLING, Judged, SAVING,
         when=(when.is_empty, when.in_default_mode, when.tools_have_run),
         updates=(update.close_call, update.reject, end.end_unvalidated), does=(do.save,)),
    Rule("empty-given-up", CALLING, Judged, FAILED, when=(when.is_empty, when.not_final_turn),
         updates=(update.close_call,), does=(do.raise_empty,)),
    # Default mode: the answer is the object, or is asked for again.
    Rule("default-valid", CALLING, Judged, SAVING, when=(when.in_default_mode, when.is_valid),
         updates=(update.close_call, end.end_answered), does=(do.save,)),
    Rule("default-limited", CALLING, Judged, SAVING,
         when=(when.in_default_mode, when.retries_are_left, when.limit_is_reached),
         updates=(update.close_call, update.reject, end.end_limited), does=(do.save,)),
    Rule("default-retry", CALLING, Judged, CALLING, when=(when.in_default_mode, when.retries_are_left),
         updates=(update.close_call, update.reject, update.spend_retry, update.next_call),
         does=(do.call_model,)),
    Rule("default-unvalidated", CALLING, Judged, SAVING, when=(when.in_default_mode,),
         updates=(update.close_call, update.reject, end.end_unvalidated), does=(do.save,)),
    # final_turn_only: a valid answer, then the predicate, then synthesis.
    Rule("reuse-shown", CALLING, Judged, SAVING,
         when=(when.is_valid, when.reuse_is_on, when.text_was_shown),
         shows=(show.settled_text, show.reuse_event), updates=(update.close_call, end.end_answered),
         does=(do.save,)),
    Rule("reuse-unseen", CALLING, Judged, SAVING, when=(when.is_valid, when.reuse_is_on),
         shows=(show.settled_text,), updates=(update.close_call, end.end_answered), does=(do.save,)),
    Rule("valid-limited", CALLING, Judged, SAVING, when=(when.is_valid, when.limit_is_reached),
         shows=(show.settled_text,), updates=(update.close_call, end.end_limited), does=(do.save,)),
    Rule("valid-not-reused", CALLING, Judged, SYNTHESIZING, when=(when.is_valid,),
         shows=(show.settled_text, show.synthesis_event),
         updates=(update.close_call, update.converge, *SYNTHESIS_CALL), does=(do.synthesize,)),
    Rule("ask-predicate", CALLING, Judged, DECIDING, when=(when.has_predicate,),
         shows=(show.settled_text,), updates=(update.close_call, update.converge), does=(do.ask_finalize,)),
    Rule("converged-limited", CALLING, Judged, SAVING, when=(when.limit_is_reached,),
         shows=(show.settled_text,), updates=(update.close_call, end.end_limited), does=(do.save,)),
    Rule("synthesize", CALLING, Judged, SYNTHESIZING,
         shows=(show.settled_text, show.synthesis_event),
         updates=(update.close_call, update.converge, *SYNTHESIS_CALL), does=(do.synthesize,)),
    Rule("calling-limited", CALLING, LimitReached, SAVING,
         updates=(update.stop_call, end.end_limited), does=(do.save,)),
    # Tools.
    Rule("tool-shows", RUNNING, ToolShows, RUNNING, shows=(show.activity,)),
    Rule("tool-returned", RUNNING, ToolReturned, RUNNING, when=(when.outcome_is_due,),
         updates=(update.note_outcome,)),
    Rule("terminal-tool", RUNNING, ToolsFinished, SAVING,
         when=(when.batch_is_complete, when.a_tool_was_terminal), shows=(show.tool_results,),
         updates=(update.append_results, end.end_terminal_tool), does=(do.save,)),
    Rule("iterations-spent", RUNNING, ToolsFinished, SAVING,
         when=(when.batch_is_complete, when.iterations_are_spent), shows=(show.tool_results,),
         updates=(update.append_results, end.end_iteration_limit), does=(do.save,)),
    Rule("tools-done-limited", RUNNING, ToolsFinished, SAVING,
         when=(when.batch_is_complete, when.limit_is_reached), shows=(show.tool_results,),
         updates=(update.append_results, end.end_limited), does=(do.save,)),
    Rule("tools-done", RUNNING, ToolsFinished, CALLING, when=(when.batch_is_complete,),
         shows=(show.tool_results,), updates=(update.append_results, *LOOP_CALL), does=(do.call_model,)),
    # The predicate has answered.
    Rule("finalize-limited", DECIDING, Decided, SAVING, when=(when.wants_the_object, when.limit_is_reached),
         updates=(end.end_limited,), does=(do.save,)),
    Rule("finalize", DECIDING, Decided, SYNTHESIZING, when=(when.wants_the_object,),
         shows=(show.synthesis_event,), updates=SYNTHESIS_CALL, does=(do.synthesize,)),
    Rule("skip", DECIDING, Decided, SAVING, updates=(end.end_skipped,), does=(do.save,)),
    Rule("deciding-limited", DECIDING, LimitReached, SAVING, updates=(end.end_limited,), does=(do.save,)),
    # A synthesis call is complete.
    Rule("synthesis-valid", SYNTHESIZING, Judged, SAVING, when=(when.is_valid,),
         updates=(update.close_call, end.end_synthesized), does=(do.save,)),
    Rule("synthesis-limited", SYNTHESIZING, Judged, SAVING,
         when=(when.is_invalid, when.retries_are_left, when.limit_is_reached),
         updates=(update.close_call, update.reject, end.end_limited), does=(do.save,)),
    Rule("synthesis-retry", SYNTHESIZING, Judged, SYNTHESIZING,
         when=(when.is_invalid, when.retries_are_left),
         updates=(update.close_call, update.reject, update.spend_retry, *SYNTHESIS_CALL),
         does=(do.synthesize,)),
    Rule("synthesis-unvalidated", SYNTHESIZING, Judged, SAVING,
         updates=(update.close_call, update.reject, end.end_unvalidated), does=(do.save,)),
    Rule("synthesizing-limited", SYNTHESIZING, LimitReached, SAVING,
         updates=(update.stop_synthesis, end.end_limited), does=(do.save,)),
    # The turn ends: saved, failed, cancelled.
    Rule("saved", SAVING, Saved, DONE, does=(do.finish,)),
    *(Rule(f"{phase.value}-failed", phase, Failed, FAILED, does=(do.raise_error,)) for phase in WORKING),
    *(Rule(f"{phase.value}-cancelled", phase, Cancelled, CANCELLED) for phase in (READY, *WORKING)),
)

ClauseId: TypeAlias = Literal[
    # Streaming
    "synthesis-never-streams", "synthesis-start-once", "partial-objects", "reuse-signalled",
    "single-pass-suppresses-content", "held-json", "tool-calls-always-stream", "text-tool-calls-hidden",
    "reasoning-apart", "events-carry-no-content", "skip-is-silent", "result-is-last", "handler-parity",
    "surface-parity", "whole-reply-parity", "no-doubled-text", "answer-call-known", "answer-on-result",
    "default-mode-streams", "nested-activity-apart",
    # should_finalize
    "valid-answer-wins", "asked-at-most-once", "predicate-sees-conversation", "predicate-view-readonly",
    "predicate-errors-propagate",
    # Messages
    "tool-name-always", "tool-result-marks-success", "tool-call-id-native", "tool-messages-in-call-order",
    "seeded-messages-untouched", "round-trip-exact", "history-replayable", "history-is-what-was-shown",
    # Outcome
    "explicit-outcome", "limits-end-cleanly", "always-validated-here", "reuse-gate-strict",
    "never-repaired", "no-needless-call", "own-retry-budget", "schema-stays-out",
    # Lifecycle
    "close-stops-work", "runs-are-isolated", "usage-complete", "nested-agents-count", "errors-are-clean",
    "context-is-its-own", "deps-stay-here",
    # Serving
    "sse-grammar", "auth-fails-closed", "owners-are-isolated", "user-input-only", "resume-is-exact",
]
"""The ids of the contract's clauses, in its order. They are permanent.

They stand here so that the machine need not import the contract, which declares one clause for each.
"""

UPHOLDS: Mapping[ClauseId, tuple[str, ...]] = {
    "synthesis-never-streams": (
        "synthesis-partial", "synthesis-text", "synthesis-reasoning", "synthesis-retry",
        "synthesis-unvalidated",
    ),
    "synthesis-start-once": (
        "refused", "plain-answer", "plain-cut", "empty-again", "empty-after-tools",
        "empty-unvalidated", "empty-given-up", "default-unvalidated", "valid-not-reused",
        "synthesize", "finalize", "synthesis-valid", "synthesis-retry",
    ),
    "partial-objects": (
        "synthesis-partial", "valid-not-reused", "synthesize", "finalize",
        "synthesis-valid", "synthesis-retry", "synthesis-unvalidated",
    ),
    "reuse-signalled": (
        "refused", "plain-answer", "plain-cut", "empty-again", "empty-after-tools",
        "empty-unvalidated", "empty-given-up", "default-unvalidated", "reuse-shown",
        "synthesis-valid",
    ),
    "single-pass-suppresses-content": ("loop-text-suppressed", "reuse-unseen"),
    "held-json": (
        "start", "loop-text-held", "tools-requested", "refused", "reuse-shown", "reuse-unseen",
        "valid-not-reused", "ask-predicate", "synthesize",
    ),
    "tool-calls-always-stream": ("tools-requested",),
    "reasoning-apart": ("loop-reasoning", "synthesis-reasoning"),
    "events-carry-no-content": ("reuse-shown", "valid-not-reused", "synthesize", "finalize"),
    "skip-is-silent": ("skip",),
    "result-is-last": (
        "empty-after-tools", "empty-given-up", "saved", "calling-failed", "running-failed",
        "deciding-failed", "synthesizing-failed", "saving-failed",
    ),
    "handler-parity": ("loop-text",),
    "surface-parity": (
        "loop-text", "refused", "plain-answer", "plain-cut", "empty-again", "empty-after-tools",
        "empty-unvalidated", "empty-given-up", "default-unvalidated", "synthesis-valid",
    ),
    "no-doubled-text": ("calling-failed", "synthesizing-failed"),
    "answer-call-known": ("start", "loop-text", "plain-answer", "plain-cut"),
    "answer-on-result": ("default-valid", "reuse-shown", "reuse-unseen", "synthesis-valid"),
    "default-mode-streams": ("loop-text", "default-valid", "default-retry"),
    "nested-activity-apart": ("tool-shows",),
    "valid-answer-wins": ("reuse-shown", "reuse-unseen", "valid-not-reused"),
    "asked-at-most-once": ("ask-predicate", "finalize"),
    "predicate-sees-conversation": ("ask-predicate",),
    "predicate-errors-propagate": ("deciding-failed",),
    "tool-name-always": ("tools-done",),
    "tool-result-marks-success": ("tools-done",),
    "tool-call-id-native": ("tools-done",),
    "tool-messages-in-call-order": (
        "tools-limited", "tool-returned", "terminal-tool", "iterations-spent", "tools-done-limited",
        "tools-done",
    ),
    "history-is-what-was-shown": (
        "tools-limited", "tools-requested", "refused", "plain-answer", "plain-cut", "empty-after-tools",
        "empty-unvalidated", "default-valid", "default-limited", "default-unvalidated", "reuse-shown",
        "reuse-unseen", "valid-limited", "valid-not-reused", "converged-limited", "synthesize",
        "calling-limited", "terminal-tool", "iterations-spent", "tools-done-limited", "tools-done",
        "finalize-limited", "skip", "deciding-limited", "synthesis-valid", "synthesis-limited",
        "synthesis-unvalidated", "synthesizing-limited",
    ),
    "explicit-outcome": (
        "start-limited", "tools-limited", "refused", "empty-limited", "empty-after-tools",
        "empty-unvalidated", "empty-given-up", "default-limited", "default-unvalidated", "valid-limited",
        "converged-limited", "calling-limited", "terminal-tool", "iterations-spent",
        "tools-done-limited", "tools-done", "finalize-limited", "skip", "deciding-limited",
        "synthesis-limited", "synthesis-retry", "synthesis-unvalidated", "synthesizing-limited",
    ),
    "limits-end-cleanly": (
        "start-limited", "tools-limited", "empty-limited", "default-limited", "valid-limited",
        "converged-limited", "calling-limited", "tools-done-limited", "finalize-limited",
        "deciding-limited", "synthesis-limited", "synthesizing-limited",
    ),
    "always-validated-here": ("default-valid", "synthesis-valid"),
    "reuse-gate-strict": ("reuse-shown",),
    "never-repaired": ("default-unvalidated", "synthesis-unvalidated"),
    "no-needless-call": (
        "refused", "plain-answer", "plain-cut", "default-valid", "reuse-shown", "reuse-unseen",
        "terminal-tool", "iterations-spent", "tools-done", "skip",
    ),
    "own-retry-budget": (
        "empty-again", "default-retry", "default-unvalidated", "synthesis-retry",
        "synthesis-unvalidated",
    ),
    "schema-stays-out": ("start", "tools-done"),
    "close-stops-work": (
        "ready-cancelled", "calling-cancelled", "running-cancelled", "deciding-cancelled",
        "synthesizing-cancelled", "saving-cancelled",
    ),
    "usage-complete": (
        "tools-limited", "tools-requested", "refused", "plain-answer", "plain-cut", "empty-limited",
        "empty-again", "empty-after-tools", "empty-unvalidated", "empty-given-up", "default-valid",
        "default-limited", "default-retry", "default-unvalidated", "reuse-shown", "reuse-unseen",
        "valid-limited", "valid-not-reused", "ask-predicate", "converged-limited", "synthesize",
        "calling-limited", "tool-returned", "synthesis-valid", "synthesis-limited", "synthesis-retry",
        "synthesis-unvalidated", "synthesizing-limited",
    ),
    "nested-agents-count": ("tool-returned",),
}
# fmt: on
"""The names of the rules that uphold a clause, in the order of the clauses and of the table."""

TABLE: Table = tuple(
    replace(rule, upholds=tuple(clause for clause, names in UPHOLDS.items() if rule.name in names))
    for rule in RULES
)
"""The rules, each with the clauses that it upholds."""

IGNORED: dict[tuple[Phase, type[Input]], str] = {
    (phase, Cancelled): "the turn is over; closing it again changes nothing"
    for phase in (DONE, FAILED, CANCELLED)
}
