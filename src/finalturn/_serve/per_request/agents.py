"""The agent of a turn over HTTP, where it is chosen for each request: `AgentForRequest`."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, TypeVar

from starlette.requests import Request

from finalturn._agent import Agent
from finalturn._agent.agent import format_of_agent, spec_of
from finalturn._agent.not_a_part import not_an_agent
from finalturn._core.errors import ConfigurationError
from finalturn._core.type_guards import is_mapping
from finalturn._serve.per_request.calls import call, problem_from
from finalturn._tools.context_parameter import is_plain_class, name_of_type
from finalturn.stability import NEXT, beta

__all__ = ["AgentForRequest", "agent_for_request"]

DepsT = TypeVar("DepsT")

AgentForRequest: TypeAlias = Callable[[Request, str | None], Agent[Any, DepsT] | Awaitable[Agent[Any, DepsT]]]
"""A function, sync or async, that gives the agent of a turn, of its request and the request's owner.

It is called for each request that asks for a turn, before the messages are read. What it raises is treated as
for `DepsForRequest`. The agents have the ``response_format`` and the ``deps_type`` of the one that is served;
another is 500, and the log says what differs.
"""
beta(since=NEXT).constant(__name__, "AgentForRequest")


async def agent_for_request(
    function: AgentForRequest[Any], request: Request, owner: str | None, served: Agent[Any, Any]
) -> Agent[Any, Any]:
    """The agent for a request.

    Args:
        function: the application's.
        request: what asks for a turn.
        owner: who has sent it.
        served: what its agents must be like.

    Raises:
        Problem: the application refuses the request, or the function fails.
        ConfigurationError: what it gives cannot be served here.
    """
    try:
        given = await call(function, request, owner)
        agent: Agent[Any, Any] = await given if inspect.isawaitable(given) else given
    except Exception as error:
        raise problem_from(error, "agent_for") from None
    if not isinstance(agent, Agent):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ConfigurationError(f"agent_for must give an Agent, not {not_an_agent(agent)}")
    if not _same_format(format_of_agent(agent), format_of_agent(served)):
        raise ConfigurationError(
            "agent_for gave an agent with another response_format than the one that is served: all must"
            " have the same"
        )
    takes, given_type = spec_of(agent).deps_type, spec_of(served).deps_type
    if not _takes(takes, given_type):
        raise ConfigurationError(
            f"agent_for gave an agent with the deps_type {name_of_type(takes)}, and turns here are run with"
            f" {name_of_type(given_type)}"
        )
    return agent


def _same_format(one: object, other: object) -> bool:
    return one is other or (is_mapping(one) and is_mapping(other) and one == other)


def _takes(wanted: object, given: object) -> bool:
    """Whether an agent takes deps of a type."""
    if wanted == given or wanted is object:
        return True
    return is_plain_class(wanted) and is_plain_class(given) and issubclass(given, wanted)
