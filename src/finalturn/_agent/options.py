"""What a call of an agent may be given beside its input, and what an agent is made of."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Generic, TypeAlias

from typing_extensions import TypedDict, TypeVar

from finalturn._agent.config import StructuredOutputConfig
from finalturn._core.limits import Limits
from finalturn._core.model import ModelSettings
from finalturn._core.observers import TurnObserver
from finalturn._core.protocols import ContextGate, Provider, SessionStore, StreamingProvider, ToolGate
from finalturn._core.run_context import RunContext
from finalturn._tools import Tool
from finalturn.stability import NEXT, beta, stable

__all__ = ["NOT_GIVEN", "AgentParts", "NotGiven", "RunOptions", "Text", "ToolOptions"]

DepsT = TypeVar("DepsT", default=None)

Text: TypeAlias = (
    str | Callable[[], str | Awaitable[str]] | Callable[[RunContext[DepsT]], str | Awaitable[str]]
)
"""A text, or a callable, sync or async, that gives it; called once a turn, with the context if it asks."""


class NotGiven:
    """The type of an argument that a call does not give: what the agent has holds."""


NOT_GIVEN: Final = NotGiven()


@stable(since=NEXT, fields={"limits": beta(since=NEXT)})
class RunOptions(TypedDict, Generic[DepsT], total=False):
    """What one call of an agent may have another way, for those who pass the options of a call on.

    Attributes:
        session: the id of the session that the turn continues and is saved to.
        provider: answers this turn, in place of the agent's.
        tools: what the model may call in this turn, in place of the agent's.
        system_prompt: of this turn, in place of the agent's.
        settings: what they say wins over the agent's settings, field by field.
        run_id: the id of the turn in its `RunContext`; one is made by default.
        limits: what they say wins over the agent's limits, field by field.
    """

    session: str | None
    provider: Provider | StreamingProvider
    tools: Sequence[Tool[..., Any, DepsT]]
    system_prompt: Text[DepsT]
    settings: ModelSettings
    run_id: str | None
    limits: Limits


class AgentParts(TypedDict, Generic[DepsT], total=False):
    """What an agent is made of beside its provider, for the overloads of its constructor."""

    tools: Sequence[Tool[..., Any, DepsT]]
    system_prompt: Text[DepsT]
    structured_output: StructuredOutputConfig
    max_iterations: int
    parallel_tools: bool
    gates: Sequence[ToolGate | ContextGate[DepsT]]
    context: Sequence[Text[DepsT]]
    sessions: SessionStore | None
    settings: ModelSettings
    observers: Sequence[TurnObserver]
    limits: Limits | None


class ToolOptions(TypedDict, total=False):
    """What the tool of an agent may be, for the overloads of `Agent.as_tool`."""

    show: bool
    timeout: float | None
    terminal: bool
