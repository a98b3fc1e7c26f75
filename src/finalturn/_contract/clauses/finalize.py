"""Clauses on should_finalize."""

from __future__ import annotations

from finalturn._agent import StructuredOutputConfig
from finalturn._contract.checks import finalize as finalize
from finalturn._contract.clauses.clause import Clause, Family, Surface
from finalturn._core.protocols import ShouldFinalize
from finalturn.stability import NEXT

VALID_ANSWER_WINS = Clause(
    id="valid-answer-wins",
    family=Family.FINALIZE,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.HTTP}),
    statement="An answer that validates MUST NOT be put to the predicate, with reuse off too.",
    why="The predicate decides about turns that have no object, not about throwing one away.",
    about=(ShouldFinalize, StructuredOutputConfig),
    check=finalize.valid_answer_wins,
)
ASKED_AT_MOST_ONCE = Clause(
    id="asked-at-most-once",
    family=Family.FINALIZE,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.HTTP}),
    statement="The predicate MUST be asked at most once a turn, at convergence.",
    why="It may cost money or have effects.",
    about=(ShouldFinalize,),
    check=finalize.asked_at_most_once,
)
PREDICATE_SEES_CONVERSATION = Clause(
    id="predicate-sees-conversation",
    family=Family.FINALIZE,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.HTTP}),
    statement=(
        "The predicate's `messages` MUST be the conversation at convergence, in order: prior history,"
        " SYSTEM context injections, this turn's USER messages, ASSISTANT tool-call messages, and one"
        " TOOL message for each call."
    ),
    why="Most predicates look at which tools ran.",
    about=(ShouldFinalize,),
    check=finalize.predicate_sees_conversation,
)
PREDICATE_VIEW_READONLY = Clause(
    id="predicate-view-readonly",
    family=Family.FINALIZE,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.HTTP}),
    statement="What the predicate does to its view MUST NOT change the turn.",
    why="A view that is popped or sorted must not corrupt the history.",
    about=(ShouldFinalize,),
    kept_by=("finalturn._agent.actions",),
    check=finalize.predicate_view_readonly,
)
PREDICATE_ERRORS_PROPAGATE = Clause(
    id="predicate-errors-propagate",
    family=Family.FINALIZE,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.HTTP}),
    statement=(
        "An exception of the predicate MUST abort the turn, and reach the caller unchanged; a client over"
        " HTTP gets an `error` that tells nothing of it."
    ),
    why="A swallowed error would decide about the object by accident.",
    about=(ShouldFinalize,),
    kept_by=("finalturn._agent.driver",),
    check=finalize.predicate_errors_propagate,
    revised=NEXT,
)
