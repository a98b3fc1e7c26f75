"""The ids of the contract's clauses.

They live here so that the machine's rules can name what they uphold without importing the contract,
which declares one clause for each id; a test proves the two sets equal. Ids are permanent.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

ClauseId: TypeAlias = Literal[
    # Streaming
    "synthesis-never-streams",
    "synthesis-start-once",
    "reuse-signalled",
    "single-pass-suppresses-content",
    "held-json",
    "tool-calls-always-stream",
    "text-tool-calls-hidden",
    "reasoning-apart",
    "events-carry-no-content",
    "skip-is-silent",
    "result-is-last",
    "handler-parity",
    "surface-parity",
    "whole-reply-parity",
    "no-doubled-text",
    "answer-call-known",
    "answer-on-result",
    "default-mode-streams",
    # should_finalize
    "valid-answer-wins",
    "asked-at-most-once",
    "predicate-sees-conversation",
    "predicate-view-readonly",
    "predicate-errors-propagate",
    # Messages
    "tool-name-always",
    "tool-result-marks-success",
    "tool-call-id-native",
    "tool-messages-in-call-order",
    "seeded-messages-untouched",
    "round-trip-exact",
    "history-replayable",
    "history-is-what-was-shown",
    # Outcome
    "explicit-outcome",
    "always-validated-here",
    "reuse-gate-strict",
    "never-repaired",
    "no-needless-call",
    "own-retry-budget",
    "schema-stays-out",
    # Lifecycle
    "close-stops-work",
    "runs-are-isolated",
    "usage-complete",
    "errors-are-clean",
    # Serving
    "sse-grammar",
    "auth-fails-closed",
    "owners-are-isolated",
    "user-input-only",
    "resume-is-exact",
]
