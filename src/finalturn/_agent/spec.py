"""An agent's parts, checked once (`AgentSpec`), and one call of it (`TurnSpec`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from finalturn._agent.checks import (
    Text,
    check_context,
    check_gates,
    check_observers,
    check_provider,
    check_sessions,
    check_settings,
    check_text,
    check_type,
    tools_by_name,
)
from finalturn._agent.config import StructuredOutputConfig
from finalturn._core.errors import ConfigurationError
from finalturn._core.messages import Message
from finalturn._core.model import Capabilities, ModelSettings
from finalturn._core.observers import TurnObserver
from finalturn._core.protocols import Provider, SessionStore, StreamingProvider, ToolGate
from finalturn._tools import Tool

if TYPE_CHECKING:
    from finalturn._core.output import Output


OBSERVERS_OF_ALL: list[TurnObserver] = []
"""Are told of the turns of every agent of the process."""


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent's parts. Shared by all its turns, and never changed.

    Attributes:
        observers: are told of its turns. Whoever records the agent enters here, and leaves again: it is the
            one part that changes.
        added_observers: are told too, of the turns of this agent and not of the one that it is a copy of.
    """

    provider: Provider | StreamingProvider
    tools: Mapping[str, Tool[..., Any]]
    system_prompt: Text
    config: StructuredOutputConfig
    max_iterations: int
    parallel_tools: bool
    gates: tuple[ToolGate, ...]
    context: tuple[Text, ...]
    sessions: SessionStore | None
    settings: ModelSettings
    capabilities: Capabilities
    observers: list[TurnObserver]
    added_observers: tuple[TurnObserver, ...] = ()

    def every_observer(self) -> list[TurnObserver]:
        """Those who observe a turn that begins now."""
        return [*self.observers, *self.added_observers, *OBSERVERS_OF_ALL]


@dataclass(frozen=True, slots=True)
class TurnSpec:
    """One call of an agent: the agent, and what this call gave."""

    agent: AgentSpec
    history: tuple[Message, ...]
    user: tuple[Message, ...]
    output: Output[Any] | None
    session: str | None


def make_spec(
    *,
    provider: Provider | StreamingProvider,
    tools: Sequence[Tool[..., Any]],
    system_prompt: Text,
    structured_output: StructuredOutputConfig,
    max_iterations: int,
    parallel_tools: bool,
    gates: Sequence[ToolGate],
    context: Sequence[Text],
    sessions: SessionStore | None,
    settings: ModelSettings,
    observers: Sequence[TurnObserver],
) -> AgentSpec:
    """An agent's parts, checked.

    Raises:
        ConfigurationError: one of them cannot work.
    """
    check_type(structured_output, StructuredOutputConfig, "structured_output")
    check_type(settings, ModelSettings, "settings")
    check_type(max_iterations, int, "max_iterations")
    check_type(parallel_tools, bool, "parallel_tools")
    check_sessions(sessions)
    if max_iterations < 1:
        raise ConfigurationError("max_iterations must be 1 or more")
    capabilities = check_provider(provider)
    return AgentSpec(
        provider=provider,
        tools=tools_by_name(tools),
        system_prompt=check_text(system_prompt, "system_prompt"),
        config=structured_output,
        max_iterations=max_iterations,
        parallel_tools=parallel_tools,
        gates=check_gates(gates),
        context=check_context(context),
        sessions=sessions,
        settings=check_settings(settings, provider),
        capabilities=capabilities,
        observers=list(check_observers(observers)),
    )


def warn_of_fallback(agent: AgentSpec) -> None:
    """Log a warning when single_pass cannot be active for lack of a capability."""
    missing: list[str] = []
    if not agent.capabilities.native_schema:
        missing.append("native_schema")
    if agent.tools and not agent.capabilities.native_schema_with_tools:
        missing.append("native_schema_with_tools")
    if not agent.config.single_pass or not missing:
        return
    from finalturn._support.logger import logger

    logger().warning(
        "single_pass falls back to a synthesis call: the provider lacks %s", " and ".join(missing)
    )
