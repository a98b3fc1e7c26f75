"""Clauses on should_finalize."""

from __future__ import annotations

from typing import Any

from finalturn.agent import StructuredOutputConfig
from finalturn.contract._clause import NEXT, Clause, Family, Surface
from finalturn.core.clauses import ClauseId
from finalturn.core.protocols import ShouldFinalize


def _clause(id: ClauseId, statement: str, why: str, *about: Any) -> Clause:
    surfaces = frozenset({Surface.RESULT})
    return Clause(id, Family.FINALIZE, NEXT, "stable", surfaces, statement, why, (ShouldFinalize, *about))


VALID_ANSWER_WINS = _clause(
    "valid-answer-wins",
    "An answer that validates MUST NOT be put to the predicate, with reuse off too.",
    "The predicate decides about turns that have no object, not about throwing one away.",
    StructuredOutputConfig,
)
ASKED_AT_MOST_ONCE = _clause(
    "asked-at-most-once",
    "The predicate MUST be asked at most once a turn, at convergence.",
    "It may cost money or have effects.",
)
PREDICATE_SEES_CONVERSATION = _clause(
    "predicate-sees-conversation",
    "The predicate's `messages` MUST be the conversation at convergence, in order: prior history, SYSTEM"
    " context injections, this turn's USER messages, ASSISTANT tool-call messages, and one TOOL message for"
    " each call.",
    "Most predicates look at which tools ran.",
)
PREDICATE_VIEW_READONLY = _clause(
    "predicate-view-readonly",
    "What the predicate does to its view MUST NOT change the turn.",
    "A view that is popped or sorted must not corrupt the history.",
)
PREDICATE_ERRORS_PROPAGATE = _clause(
    "predicate-errors-propagate",
    "An exception of the predicate MUST abort the turn unchanged.",
    "A swallowed error would decide about the object by accident.",
)
