"""The promises of a served agent: whole records, keys, owners, and coming back to a run."""

from __future__ import annotations

from finalturn._contract.clauses.clause import Clause, Family, Surface
from finalturn.stability import NEXT

# Serving needs an extra: what its clauses are about is named, not imported.
_APP = "finalturn.serve.create_app"
_ROUTER = "finalturn.serve.create_router"

__all__ = [
    "AUTH_FAILS_CLOSED",
    "OWNERS_ARE_ISOLATED",
    "RESUME_IS_EXACT",
    "SSE_GRAMMAR",
    "USER_INPUT_ONLY",
]

SSE_GRAMMAR = Clause(
    id="sse-grammar",
    family=Family.SERVING,
    since=NEXT,
    stability="beta",
    surfaces=frozenset({Surface.HTTP}),
    statement=(
        "A native stream MUST be one `run` record, then one for each thing that the turn shows, then"
        " exactly one `result` or `error`, each record a whole event on one line of data; a stream of"
        " another format has one beginning and one end likewise."
    ),
    why="A client that reads lines can neither wait for the rest of a record nor guess whether more follows.",
    about=(_APP, _ROUTER),
    kept_by=(
        "finalturn._serve.runs.run",
        "finalturn._serve.formats.sse",
        "finalturn._serve.formats.native",
        "finalturn._serve.runs.whole",
    ),
)
AUTH_FAILS_CLOSED = Clause(
    id="auth-fails-closed",
    family=Family.SERVING,
    since=NEXT,
    stability="beta",
    surfaces=frozenset({Surface.HTTP}),
    statement=(
        "With keys, no route but the health check MUST answer a request that has not exactly one valid key:"
        " a missing, malformed or unknown one is 401, before anything else of the request is looked at."
    ),
    why="A route that was forgotten, or a header that was misread, opens every conversation to everybody.",
    about=("finalturn.serve.ApiKeys", "finalturn.serve.Authenticate", _APP, _ROUTER),
    kept_by=(
        "finalturn._serve.requests.route",
        "finalturn._serve.access.authenticate",
        "finalturn._serve.access.keys",
        "finalturn._serve.router",
    ),
)
OWNERS_ARE_ISOLATED = Clause(
    id="owners-are-isolated",
    family=Family.SERVING,
    since=NEXT,
    stability="beta",
    surfaces=frozenset({Surface.HTTP}),
    statement=(
        "A session or run MUST NOT be read, continued, listed, deleted, resumed or stopped by anybody but"
        " its owner; for everybody else there is none."
    ),
    why="An id that is guessed, or seen in a log, must not open somebody else's conversation.",
    about=("finalturn.serve.Authenticate", "finalturn.serve.ApiKeys"),
    kept_by=(
        "finalturn._serve.access.owners",
        "finalturn._serve.runs.runs",
        "finalturn._serve.session_routes",
    ),
)
USER_INPUT_ONLY = Clause(
    id="user-input-only",
    family=Family.SERVING,
    since=NEXT,
    stability="beta",
    surfaces=frozenset({Surface.HTTP}),
    statement=(
        "From a client nothing MUST reach the model but what its user says, and, where the request has no"
        " session, what the assistant said before; SYSTEM and TOOL messages, tools and schemas of a client"
        " do not."
    ),
    why="Whoever may write instructions or tool results has the agent do what its developer did not allow.",
    about=(_APP, _ROUTER),
    kept_by=("finalturn._serve.requests.native", "finalturn._serve.requests.front_end"),
)
RESUME_IS_EXACT = Clause(
    id="resume-is-exact",
    family=Family.SERVING,
    since=NEXT,
    stability="beta",
    surfaces=frozenset({Surface.HTTP}),
    statement=(
        "A client that comes back to a run MUST get exactly the records after the last one that it has, none"
        " missing and none twice, or an answer that says that they are not kept any more."
    ),
    why="Half a sentence, or the same one twice, looks like what the model said.",
    about=("finalturn.serve.ServeConfig", _APP),
    kept_by=("finalturn._serve.runs.log", "finalturn._serve.runs.run", "finalturn._serve.runs.response"),
)
