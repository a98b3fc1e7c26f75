"""The promises about a turn's life: closing it, running many at once, counting tokens, failing."""

from __future__ import annotations

from finalturn._agent import Agent, AgentStream
from finalturn._contract.checks import ends as ends
from finalturn._contract.clauses.clause import Clause, Family, Surface
from finalturn._core.errors import FinalturnError
from finalturn._core.result import Usage
from finalturn._core.run_context import RunContext
from finalturn.stability import NEXT

# Serving needs an extra: what a clause is about there is named, not imported.
_DEPS = "finalturn.serve.DepsForRequest"

__all__ = [
    "CLOSE_STOPS_WORK",
    "CONTEXT_IS_ITS_OWN",
    "DEPS_STAY_HERE",
    "ERRORS_ARE_CLEAN",
    "NESTED_AGENTS_COUNT",
    "RUNS_ARE_ISOLATED",
    "USAGE_COMPLETE",
]

CLOSE_STOPS_WORK = Clause(
    id="close-stops-work",
    family=Family.LIFECYCLE,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.CHUNKS, Surface.TOKENS, Surface.HTTP}),
    statement=(
        "Closing or cancelling a stream, or over HTTP the connection of a turn that cannot be resumed,"
        " MUST stop the model call, free its connection and start no tool."
    ),
    why=("A person who leaves should not go on paying, and an agent that nobody watches should not act."),
    about=(AgentStream,),
    kept_by=(
        "finalturn._agent.driver",
        "finalturn._agent.stream",
        "finalturn._serve.runs.response",
        "finalturn._serve.runs.whole",
        "finalturn._serve.runs.runs",
    ),
    check=ends.close_stops_work,
    revised=NEXT,
)
RUNS_ARE_ISOLATED = Clause(
    id="runs-are-isolated",
    family=Family.LIFECYCLE,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.CHUNKS, Surface.TOKENS, Surface.RESULT, Surface.HTTP}),
    statement="Concurrent turns of one agent MUST NOT share anything.",
    why="One user's answer in another user's chat is the worst that can happen.",
    about=(Agent,),
    kept_by=("finalturn._agent.driver", "finalturn._agent.prepare"),
)
USAGE_COMPLETE = Clause(
    id="usage-complete",
    family=Family.LIFECYCLE,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.HTTP}),
    statement="Usage MUST count every model call of the turn, the same streaming or not.",
    why="Bills that don't add up are found out by customers.",
    about=(Usage,),
    check=ends.usage_complete,
)
NESTED_AGENTS_COUNT = Clause(
    id="nested-agents-count",
    family=Family.LIFECYCLE,
    since=NEXT,
    stability="beta",
    surfaces=frozenset({Surface.RESULT, Surface.HTTP}),
    statement=(
        "What an agent uses that runs as a tool, whatever it comes to, MUST count in the usage and the limits"
        " of the turn that runs it, and not in its `model_calls`."
    ),
    why="Who pays for a turn pays for all that it sets going, and a limit that a tool gets around is none.",
    about=(Agent, Usage),
    kept_by=("finalturn._agent.nested", "finalturn._tools.call_contexts"),
    check=ends.nested_agents_count,
)
ERRORS_ARE_CLEAN = Clause(
    id="errors-are-clean",
    family=Family.LIFECYCLE,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.HTTP}),
    statement="An error that can reach a client MUST NOT carry model text, secrets or paths.",
    why="Logs and clients are not where a key or a person's data belongs.",
    about=(FinalturnError,),
    kept_by=(
        "finalturn._core.output",
        "finalturn._providers.errors.failures",
        "finalturn._serve.problems.failure",
        "finalturn._serve.formats.public",
        "finalturn._serve.problems.exceptions",
    ),
)
CONTEXT_IS_ITS_OWN = Clause(
    id="context-is-its-own",
    family=Family.LIFECYCLE,
    since=NEXT,
    stability="beta",
    surfaces=frozenset({Surface.RESULT, Surface.HTTP}),
    statement=(
        "A function that asks for a RunContext MUST get the deps, session and run id of its own turn, on"
        " every surface."
    ),
    why="A tool that acts for another user than the one who asks gives one person's things to another.",
    about=(RunContext, _DEPS),
    kept_by=(
        "finalturn._agent.contexts",
        "finalturn._serve.served",
        "finalturn._serve.per_request.calls",
    ),
)
DEPS_STAY_HERE = Clause(
    id="deps-stay-here",
    family=Family.LIFECYCLE,
    since=NEXT,
    stability="beta",
    surfaces=frozenset({Surface.RESULT, Surface.HISTORY, Surface.REQUEST, Surface.HTTP}),
    statement="The deps of a turn MUST NOT be stored, logged or sent.",
    why="They hold a person's session, keys and connections, which are nobody else's business.",
    about=(RunContext, _DEPS),
    kept_by=(
        "finalturn._agent.contexts",
        "finalturn._agent.prepare",
        "finalturn._serve.logs.reasons",
    ),
)
