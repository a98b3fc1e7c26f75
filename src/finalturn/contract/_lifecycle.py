"""Clauses on a turn's life, and on serving it."""

from __future__ import annotations

from typing import Any

from finalturn.agent import Agent, AgentStream
from finalturn.contract._clause import NEXT, Clause, Family, Stability, Surface
from finalturn.core.clauses import ClauseId
from finalturn.core.errors import FinalturnError
from finalturn.core.result import Usage

_ALL_STREAMS = frozenset({Surface.CHUNKS, Surface.TOKENS, Surface.HTTP})
_HTTP = frozenset({Surface.HTTP})


def _clause(
    id: ClauseId,
    stability: Stability,
    surfaces: frozenset[Surface],
    statement: str,
    why: str,
    *about: Any,
) -> Clause:
    return Clause(id, Family.LIFECYCLE, NEXT, stability, surfaces, statement, why, about)


CLOSE_STOPS_WORK = _clause(
    "close-stops-work",
    "stable",
    _ALL_STREAMS,
    "Closing or cancelling a stream MUST stop the model call, free its connection and start no tool.",
    "A person who leaves should not go on paying, and an agent that nobody watches should not act.",
    AgentStream,
)
RUNS_ARE_ISOLATED = _clause(
    "runs-are-isolated",
    "stable",
    _ALL_STREAMS | {Surface.RESULT},
    "Concurrent turns of one agent MUST NOT share anything.",
    "One user's answer in another user's chat is the worst that can happen.",
    Agent,
)
USAGE_COMPLETE = _clause(
    "usage-complete",
    "stable",
    frozenset({Surface.RESULT}),
    "Usage MUST count every model call of the turn, the same streaming or not.",
    "Bills that don't add up are found out by customers.",
    Usage,
)
SSE_GRAMMAR = _clause(
    "sse-grammar",
    "beta",
    _HTTP,
    "An HTTP stream MUST follow one record grammar, with whole records only and one terminal record, a"
    " result or an error.",
    "A client that cannot tell an end from a failure hangs.",
)
ERRORS_ARE_CLEAN = _clause(
    "errors-are-clean",
    "stable",
    _HTTP | {Surface.RESULT},
    "An error that can reach a client MUST NOT carry model text, secrets or paths.",
    "Logs and clients are not where a key or a person's data belongs.",
    FinalturnError,
)
AUTH_FAILS_CLOSED = _clause(
    "auth-fails-closed",
    "beta",
    _HTTP,
    "With authentication on, no route but health MAY answer without a valid key; a malformed header is 401.",
    "A route that was forgotten is the one that is found.",
)
