"""What code that stands above an agent may look at and change, without making it public."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from finalturn._agent.agent import Agent
from finalturn._agent.spec import AgentSpec
from finalturn._core.observers import TurnObserver
from finalturn._core.protocols import SessionStore

if TYPE_CHECKING:
    from finalturn._core.output import Output

__all__ = ["format_of_agent", "output_of_agent", "spec_of", "with_observer", "with_sessions"]

T = TypeVar("T")


def spec_of(agent: Agent[Any]) -> AgentSpec:
    """The agent's parts."""
    spec: AgentSpec = vars(agent)["_spec"]
    return spec


def output_of_agent(agent: Agent[Any]) -> Output[Any] | None:
    """What the agent's own response_format was made into."""
    output: Output[Any] | None = vars(agent)["_output"]
    return output


def format_of_agent(agent: Agent[Any]) -> object:
    """The agent's own response_format, as it was given."""
    given: object = vars(agent)["_response_format"]
    return given


def with_sessions(agent: Agent[T], sessions: SessionStore | None) -> Agent[T]:
    """The same agent, with its conversations kept elsewhere. Whoever observes one observes both."""
    return _with(agent, replace(spec_of(agent), sessions=sessions))


def with_observer(agent: Agent[T], observer: TurnObserver) -> Agent[T]:
    """The same agent, with one more observer. Whoever observes the first observes both."""
    spec = spec_of(agent)
    return _with(agent, replace(spec, added_observers=(*spec.added_observers, observer)))


def _with(agent: Agent[T], spec: AgentSpec) -> Agent[T]:
    other = copy(agent)
    vars(other)["_spec"] = spec
    return other
