"""What an agent is made of, checked once, and what one call makes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from finalturn._agent.checks import (
    Text,
    check_context,
    check_gates,
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
from finalturn._core.protocols import Provider, SessionStore, StreamingProvider, ToolGate
from finalturn._tools import Tool

if TYPE_CHECKING:
    from finalturn._agent.watch import Witness
    from finalturn._core.output import Output


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent's parts. Shared by all its turns, and never changed.

    Attributes:
        watchers: each is asked for a witness of every turn that begins. Whoever records the agent enters
            here, and leaves again: it is the one part that changes.
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
    watchers: list[Callable[[], Witness]] = field(default_factory=list["Callable[[], Witness]"])


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
