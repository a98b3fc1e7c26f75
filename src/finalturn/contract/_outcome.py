"""Clauses on how a turn comes out."""

from __future__ import annotations

from typing import Any

from finalturn.agent import Agent, StructuredOutputConfig
from finalturn.contract._clause import NEXT, Clause, Family, Surface
from finalturn.core.clauses import ClauseId
from finalturn.core.model import ModelRequest
from finalturn.core.result import AgentResult

_RESULT = frozenset({Surface.RESULT})


def _clause(
    id: ClauseId, statement: str, why: str, *about: Any, surfaces: frozenset[Surface] = _RESULT
) -> Clause:
    return Clause(id, Family.OUTCOME, NEXT, "stable", surfaces, statement, why, about)


EXPLICIT_OUTCOME = _clause(
    "explicit-outcome",
    "With a response_format, `structured_status` MUST NOT be `None`, and `parsed` is set exactly when it is"
    ' "ok".',
    "A missing object without a reason is found out much later, somewhere else.",
    AgentResult,
)
ALWAYS_VALIDATED_HERE = _clause(
    "always-validated-here",
    "`parsed` MUST have been validated locally, whatever the provider promised.",
    "A server that claims to enforce a schema may ignore it.",
    AgentResult,
    StructuredOutputConfig,
)
REUSE_GATE_STRICT = _clause(
    "reuse-gate-strict",
    "Only a whole answer that is one JSON value of the schema MAY be reused, never a fragment in prose; a"
    " model with only optional fields needs at least one declared key.",
    "A JSON sample that the person asked for is not the answer.",
    StructuredOutputConfig,
)
NEVER_REPAIRED = _clause(
    "never-repaired",
    "Truncated or cut JSON MUST NOT be completed into an object.",
    "Half a list of items looks like all of them.",
    AgentResult,
)
NO_NEEDLESS_CALL = _clause(
    "no-needless-call",
    "Reuse, a skip and a valid single_pass answer MUST NOT make a further model call.",
    "Every call costs time and money.",
    StructuredOutputConfig,
    surfaces=frozenset({Surface.RESULT, Surface.REQUEST}),
)
OWN_RETRY_BUDGET = _clause(
    "own-retry-budget",
    "Validation retries MUST have their own bounded budget, and use no iterations.",
    "A model that never validates must not be asked for ever, nor starve the tool loop.",
    StructuredOutputConfig,
    Agent,
    surfaces=frozenset({Surface.RESULT, Surface.REQUEST}),
)
SCHEMA_STAYS_OUT = _clause(
    "schema-stays-out",
    "In final_turn_only without single_pass, a loop request MUST NOT carry the schema or its descriptions.",
    "A model that sees the schema writes JSON into its prose and skips its tools.",
    StructuredOutputConfig,
    ModelRequest,
    surfaces=frozenset({Surface.REQUEST}),
)
