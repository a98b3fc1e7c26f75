"""The ids of the contract's clauses, and which rules of a turn uphold each.

They live here so that the machine's table need not import the contract, which declares one clause for each
id; a test proves the two sets equal. Ids are permanent.
"""

from __future__ import annotations

from collections.abc import Mapping
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

# fmt: off
UPHOLDS: Mapping[ClauseId, tuple[str, ...]] = {
    "synthesis-never-streams": (
        "synthesis-text", "synthesis-reasoning", "synthesis-retry", "synthesis-unvalidated",
    ),
    "synthesis-start-once": (
        "refused", "plain-answer", "plain-cut", "empty-again", "empty-after-tools",
        "empty-unvalidated", "empty-given-up", "default-unvalidated", "valid-not-reused",
        "synthesize", "finalize", "synthesis-valid", "synthesis-retry",
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
    "valid-answer-wins": ("reuse-shown", "reuse-unseen", "valid-not-reused"),
    "asked-at-most-once": ("ask-predicate", "finalize"),
    "predicate-sees-conversation": ("ask-predicate",),
    "predicate-errors-propagate": ("deciding-failed",),
    "tool-name-always": ("tools-done",),
    "tool-result-marks-success": ("tools-done",),
    "tool-call-id-native": ("tools-done",),
    "tool-messages-in-call-order": ("tool-returned", "terminal-tool", "iterations-spent", "tools-done"),
    "history-is-what-was-shown": (
        "tools-requested", "refused", "plain-answer", "plain-cut", "empty-after-tools",
        "empty-unvalidated", "default-valid", "default-unvalidated", "reuse-shown", "reuse-unseen",
        "valid-not-reused", "synthesize", "terminal-tool", "iterations-spent", "tools-done", "skip",
        "synthesis-valid", "synthesis-unvalidated",
    ),
    "explicit-outcome": (
        "refused", "empty-after-tools", "empty-unvalidated", "empty-given-up", "default-unvalidated",
        "terminal-tool", "iterations-spent", "tools-done", "skip", "synthesis-retry",
        "synthesis-unvalidated",
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
        "tools-requested", "refused", "plain-answer", "plain-cut", "empty-again", "empty-after-tools",
        "empty-unvalidated", "empty-given-up", "default-valid", "default-retry",
        "default-unvalidated", "reuse-shown", "reuse-unseen", "valid-not-reused", "ask-predicate",
        "synthesize", "synthesis-valid", "synthesis-retry", "synthesis-unvalidated",
    ),
}
# fmt: on
"""The names of the rules that uphold a clause, in the order of the clauses and of the table."""
