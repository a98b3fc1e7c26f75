"""The promises about the structured answer of a turn: its status, its validation, and retries."""

from __future__ import annotations

from finalturn._agent import Agent, StructuredOutputConfig
from finalturn._contract.checks import outcome as outcome
from finalturn._contract.clauses.clause import Clause, Family, Surface
from finalturn._core.limits import Limits
from finalturn._core.model import ModelRequest
from finalturn._core.result import AgentResult
from finalturn.stability import NEXT

__all__ = [
    "ALWAYS_VALIDATED_HERE",
    "EXPLICIT_OUTCOME",
    "LIMITS_END_CLEANLY",
    "NEVER_REPAIRED",
    "NO_NEEDLESS_CALL",
    "OWN_RETRY_BUDGET",
    "REUSE_GATE_STRICT",
    "SCHEMA_STAYS_OUT",
]

EXPLICIT_OUTCOME = Clause(
    id="explicit-outcome",
    family=Family.OUTCOME,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.HTTP}),
    statement=(
        "With a response_format, `structured_status` MUST NOT be `None`, and `parsed` is set exactly"
        ' when it is "ok".'
    ),
    why="A missing object without a reason is found out much later, somewhere else.",
    about=(AgentResult,),
    check=outcome.explicit_outcome,
)
LIMITS_END_CLEANLY = Clause(
    id="limits-end-cleanly",
    family=Family.OUTCOME,
    since=NEXT,
    stability="beta",
    surfaces=frozenset({Surface.RESULT, Surface.REQUEST, Surface.HTTP}),
    statement=(
        "A turn that would pass one of its limits MUST end with a result that names it as `limit`, with"
        ' `stop_reason` "limit_reached": no model call or tool that would pass it begins, what was shown and'
        " used stays, and every tool call has its TOOL message."
    ),
    why="A chat page can show a result; an exception would lose what the person has read and paid for.",
    about=(Agent, AgentResult, Limits),
    kept_by=("finalturn._agent.meter", "finalturn._adapters.in_time"),
    check=outcome.limits_end_cleanly,
)
ALWAYS_VALIDATED_HERE = Clause(
    id="always-validated-here",
    family=Family.OUTCOME,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.HTTP}),
    statement="`parsed` MUST have been validated locally, whatever the provider promised.",
    why="A server that claims to enforce a schema may ignore it.",
    about=(AgentResult, StructuredOutputConfig),
    kept_by=("finalturn._core.output",),
    check=outcome.always_validated_here,
)
REUSE_GATE_STRICT = Clause(
    id="reuse-gate-strict",
    family=Family.OUTCOME,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.HTTP}),
    statement=(
        "Only a whole answer that is one JSON value of the schema MAY be reused, never a fragment in"
        " prose; a model with only optional fields needs at least one declared key."
    ),
    why="A JSON sample that the person asked for is not the answer.",
    about=(StructuredOutputConfig,),
    kept_by=("finalturn._core.output",),
    check=outcome.reuse_gate_strict,
)
NEVER_REPAIRED = Clause(
    id="never-repaired",
    family=Family.OUTCOME,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.HTTP}),
    statement="Truncated or cut JSON MUST NOT be completed into an object.",
    why="Half a list of items looks like all of them.",
    about=(AgentResult,),
    kept_by=("finalturn._core.output",),
    check=outcome.never_repaired,
)
NO_NEEDLESS_CALL = Clause(
    id="no-needless-call",
    family=Family.OUTCOME,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.REQUEST, Surface.HTTP}),
    statement="Reuse and a skip MUST NOT make a further model call.",
    why="Every call costs time and money.",
    about=(StructuredOutputConfig,),
    check=outcome.no_needless_call,
)
OWN_RETRY_BUDGET = Clause(
    id="own-retry-budget",
    family=Family.OUTCOME,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.REQUEST, Surface.HTTP}),
    statement="Validation retries MUST have their own bounded budget, and use no iterations.",
    why="A model that never validates must not be asked for ever, nor starve the tool loop.",
    about=(StructuredOutputConfig, Agent),
    check=outcome.own_retry_budget,
)
SCHEMA_STAYS_OUT = Clause(
    id="schema-stays-out",
    family=Family.OUTCOME,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.REQUEST}),
    statement=(
        "In final_turn_only without single_pass, a loop request MUST NOT carry the schema or its"
        " descriptions."
    ),
    why="A model that sees the schema writes JSON into its prose and skips its tools.",
    about=(StructuredOutputConfig, ModelRequest),
    kept_by=("finalturn._core.turn.requests",),
    check=outcome.schema_stays_out,
)
