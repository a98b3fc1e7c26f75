"""The rules for a finished loop call without structured output in play, and for tools."""

from __future__ import annotations

from finalturn._core.turn import does as do
from finalturn._core.turn import guards as when
from finalturn._core.turn import results as end
from finalturn._core.turn import shows as show
from finalturn._core.turn import updates as update
from finalturn._core.turn.inputs import Judged, ToolReturned, ToolsFinished
from finalturn._core.turn.rule import Rule, Table
from finalturn._core.turn.rules_start import LOOP_CALL
from finalturn._core.turn.state import Phase

CALLS: Table = (
    Rule(
        name="tools-requested",
        phase=Phase.CALLING,
        on=Judged,
        to=Phase.RUNNING,
        when=(when.asks_for_tools,),
        updates=(update.close_call, update.take_calls),
        shows=(show.settled_text, show.tool_calls),
        does=(do.run_tools,),
        upholds=("tool-calls-always-stream", "usage-complete", "held-json", "history-is-what-was-shown"),
    ),
    Rule(
        name="refused",
        phase=Phase.CALLING,
        on=Judged,
        to=Phase.SAVING,
        when=(when.is_refused,),
        updates=(update.close_call, end.end_refused),
        shows=(show.settled_text,),
        does=(do.save,),
        upholds=(
            "history-is-what-was-shown",
            "usage-complete",
            "explicit-outcome",
            "no-needless-call",
            "synthesis-start-once",
            "reuse-signalled",
            "surface-parity",
            "held-json",
        ),
    ),
)

PLAIN: Table = (
    Rule(
        name="plain-answer",
        phase=Phase.CALLING,
        on=Judged,
        to=Phase.SAVING,
        when=(when.is_plain,),
        updates=(update.close_call, end.end_plain),
        does=(do.save,),
        upholds=(
            "answer-call-known",
            "history-is-what-was-shown",
            "no-needless-call",
            "usage-complete",
            "synthesis-start-once",
            "reuse-signalled",
            "surface-parity",
        ),
    ),
    Rule(
        name="plain-cut",
        phase=Phase.CALLING,
        on=Judged,
        to=Phase.SAVING,
        when=(when.without_format, when.is_cut),
        updates=(update.close_call, end.end_cut),
        does=(do.save,),
        upholds=(
            "answer-call-known",
            "history-is-what-was-shown",
            "usage-complete",
            "no-needless-call",
            "synthesis-start-once",
            "reuse-signalled",
            "surface-parity",
        ),
    ),
    Rule(
        name="empty-again",
        phase=Phase.CALLING,
        on=Judged,
        to=Phase.CALLING,
        when=(when.is_empty, when.not_final_turn, when.empty_not_yet_retried),
        updates=(update.close_call, update.spend_empty_retry, update.next_call),
        does=(do.call_model,),
        upholds=(
            "usage-complete",
            "own-retry-budget",
            "synthesis-start-once",
            "reuse-signalled",
            "surface-parity",
        ),
    ),
    Rule(
        name="empty-after-tools",
        phase=Phase.CALLING,
        on=Judged,
        to=Phase.SAVING,
        when=(when.is_empty, when.without_format, when.tools_have_run),
        updates=(update.close_call, end.end_plain),
        does=(do.save,),
        upholds=(
            "history-is-what-was-shown",
            "usage-complete",
            "synthesis-start-once",
            "reuse-signalled",
            "surface-parity",
            "result-is-last",
            "explicit-outcome",
        ),
    ),
    Rule(
        name="empty-unvalidated",
        phase=Phase.CALLING,
        on=Judged,
        to=Phase.SAVING,
        when=(when.is_empty, when.in_default_mode, when.tools_have_run),
        updates=(update.close_call, update.reject, end.end_unvalidated),
        does=(do.save,),
        upholds=(
            "history-is-what-was-shown",
            "usage-complete",
            "explicit-outcome",
            "synthesis-start-once",
            "reuse-signalled",
            "surface-parity",
        ),
    ),
    Rule(
        name="empty-given-up",
        phase=Phase.CALLING,
        on=Judged,
        to=Phase.FAILED,
        when=(when.is_empty, when.not_final_turn),
        updates=(update.close_call,),
        does=(do.raise_empty,),
        upholds=(
            "usage-complete",
            "result-is-last",
            "synthesis-start-once",
            "reuse-signalled",
            "surface-parity",
            "explicit-outcome",
        ),
    ),
)

TOOLS: Table = (
    Rule(
        name="tool-returned",
        phase=Phase.RUNNING,
        on=ToolReturned,
        to=Phase.RUNNING,
        when=(when.outcome_is_due,),
        updates=(update.note_outcome,),
        upholds=("tool-messages-in-call-order",),
    ),
    Rule(
        name="terminal-tool",
        phase=Phase.RUNNING,
        on=ToolsFinished,
        to=Phase.SAVING,
        when=(when.batch_is_complete, when.a_tool_was_terminal),
        updates=(update.append_results, end.end_terminal_tool),
        shows=(show.tool_results,),
        does=(do.save,),
        upholds=(
            "tool-messages-in-call-order",
            "explicit-outcome",
            "no-needless-call",
            "history-is-what-was-shown",
        ),
    ),
    Rule(
        name="iterations-spent",
        phase=Phase.RUNNING,
        on=ToolsFinished,
        to=Phase.SAVING,
        when=(when.batch_is_complete, when.iterations_are_spent),
        updates=(update.append_results, end.end_iteration_limit),
        shows=(show.tool_results,),
        does=(do.save,),
        upholds=(
            "tool-messages-in-call-order",
            "explicit-outcome",
            "no-needless-call",
            "history-is-what-was-shown",
        ),
    ),
    Rule(
        name="tools-done",
        phase=Phase.RUNNING,
        on=ToolsFinished,
        to=Phase.CALLING,
        when=(when.batch_is_complete,),
        updates=(update.append_results, *LOOP_CALL),
        shows=(show.tool_results,),
        does=(do.call_model,),
        upholds=(
            "tool-messages-in-call-order",
            "tool-name-always",
            "tool-result-marks-success",
            "tool-call-id-native",
            "schema-stays-out",
            "history-is-what-was-shown",
            "no-needless-call",
            "explicit-outcome",
        ),
    ),
)
