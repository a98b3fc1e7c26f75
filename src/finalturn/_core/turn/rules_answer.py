"""The rules for an answer that is to become an object: default mode, reuse, predicate, synthesis."""

from __future__ import annotations

from finalturn._core.turn import does as do
from finalturn._core.turn import guards as when
from finalturn._core.turn import results as end
from finalturn._core.turn import shows as show
from finalturn._core.turn import updates as update
from finalturn._core.turn.inputs import Decided, Judged
from finalturn._core.turn.rule import Rule, Table
from finalturn._core.turn.state import Phase

DEFAULT_MODE: Table = (
    Rule(
        name="default-valid",
        phase=Phase.CALLING,
        on=Judged,
        to=Phase.SAVING,
        when=(when.in_default_mode, when.is_valid),
        updates=(update.close_call, end.end_answered),
        does=(do.save,),
        upholds=(
            "history-is-what-was-shown",
            "usage-complete",
            "answer-on-result",
            "always-validated-here",
            "no-needless-call",
            "default-mode-streams",
        ),
    ),
    Rule(
        name="default-retry",
        phase=Phase.CALLING,
        on=Judged,
        to=Phase.CALLING,
        when=(when.in_default_mode, when.retries_are_left),
        updates=(update.close_call, update.reject, update.spend_retry, update.next_call),
        does=(do.call_model,),
        upholds=("usage-complete", "own-retry-budget", "default-mode-streams"),
    ),
    Rule(
        name="default-unvalidated",
        phase=Phase.CALLING,
        on=Judged,
        to=Phase.SAVING,
        when=(when.in_default_mode,),
        updates=(update.close_call, update.reject, end.end_unvalidated),
        does=(do.save,),
        upholds=(
            "history-is-what-was-shown",
            "usage-complete",
            "explicit-outcome",
            "never-repaired",
            "own-retry-budget",
            "synthesis-start-once",
            "reuse-signalled",
            "surface-parity",
        ),
    ),
)

FINAL_TURN: Table = (
    Rule(
        name="reuse-shown",
        phase=Phase.CALLING,
        on=Judged,
        to=Phase.SAVING,
        when=(when.is_valid, when.reuse_is_on, when.text_was_shown),
        updates=(update.close_call, end.end_answered),
        shows=(show.settled_text, show.reuse_event),
        does=(do.save,),
        upholds=(
            "history-is-what-was-shown",
            "usage-complete",
            "reuse-signalled",
            "events-carry-no-content",
            "valid-answer-wins",
            "no-needless-call",
            "reuse-gate-strict",
            "answer-on-result",
            "held-json",
        ),
    ),
    Rule(
        name="reuse-unseen",
        phase=Phase.CALLING,
        on=Judged,
        to=Phase.SAVING,
        when=(when.is_valid, when.reuse_is_on),
        updates=(update.close_call, end.end_answered),
        shows=(show.settled_text,),
        does=(do.save,),
        upholds=(
            "history-is-what-was-shown",
            "usage-complete",
            "held-json",
            "single-pass-suppresses-content",
            "valid-answer-wins",
            "no-needless-call",
            "answer-on-result",
        ),
    ),
    Rule(
        name="valid-not-reused",
        phase=Phase.CALLING,
        on=Judged,
        to=Phase.SYNTHESIZING,
        when=(when.is_valid,),
        updates=(update.close_call, update.converge, update.next_call),
        shows=(show.settled_text, show.synthesis_event),
        does=(do.synthesize,),
        upholds=(
            "usage-complete",
            "valid-answer-wins",
            "synthesis-start-once",
            "events-carry-no-content",
            "history-is-what-was-shown",
            "held-json",
        ),
    ),
    Rule(
        name="ask-predicate",
        phase=Phase.CALLING,
        on=Judged,
        to=Phase.DECIDING,
        when=(when.has_predicate,),
        updates=(update.close_call, update.converge),
        shows=(show.settled_text,),
        does=(do.ask_finalize,),
        upholds=("usage-complete", "asked-at-most-once", "predicate-sees-conversation", "held-json"),
    ),
    Rule(
        name="synthesize",
        phase=Phase.CALLING,
        on=Judged,
        to=Phase.SYNTHESIZING,
        updates=(update.close_call, update.converge, update.next_call),
        shows=(show.settled_text, show.synthesis_event),
        does=(do.synthesize,),
        upholds=(
            "usage-complete",
            "synthesis-start-once",
            "events-carry-no-content",
            "held-json",
            "history-is-what-was-shown",
        ),
    ),
)

DECISION: Table = (
    Rule(
        name="finalize",
        phase=Phase.DECIDING,
        on=Decided,
        to=Phase.SYNTHESIZING,
        when=(when.wants_the_object,),
        updates=(update.next_call,),
        shows=(show.synthesis_event,),
        does=(do.synthesize,),
        upholds=("synthesis-start-once", "events-carry-no-content", "asked-at-most-once"),
    ),
    Rule(
        name="skip",
        phase=Phase.DECIDING,
        on=Decided,
        to=Phase.SAVING,
        updates=(end.end_skipped,),
        does=(do.save,),
        upholds=("history-is-what-was-shown", "skip-is-silent", "no-needless-call", "explicit-outcome"),
    ),
)

SYNTHESIS: Table = (
    Rule(
        name="synthesis-valid",
        phase=Phase.SYNTHESIZING,
        on=Judged,
        to=Phase.SAVING,
        when=(when.is_valid,),
        updates=(update.close_call, end.end_synthesized),
        does=(do.save,),
        upholds=(
            "answer-on-result",
            "always-validated-here",
            "history-is-what-was-shown",
            "usage-complete",
            "synthesis-start-once",
            "reuse-signalled",
            "surface-parity",
        ),
    ),
    Rule(
        name="synthesis-retry",
        phase=Phase.SYNTHESIZING,
        on=Judged,
        to=Phase.SYNTHESIZING,
        when=(when.is_invalid, when.retries_are_left),
        updates=(update.close_call, update.reject, update.spend_retry, update.next_call),
        does=(do.synthesize,),
        upholds=(
            "usage-complete",
            "own-retry-budget",
            "synthesis-start-once",
            "synthesis-never-streams",
            "explicit-outcome",
        ),
    ),
    Rule(
        name="synthesis-unvalidated",
        phase=Phase.SYNTHESIZING,
        on=Judged,
        to=Phase.SAVING,
        updates=(update.close_call, update.reject, end.end_unvalidated),
        does=(do.save,),
        upholds=(
            "history-is-what-was-shown",
            "usage-complete",
            "explicit-outcome",
            "never-repaired",
            "own-retry-budget",
            "synthesis-never-streams",
        ),
    ),
)
