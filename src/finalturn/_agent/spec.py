"""An agent's parts, checked once (`AgentSpec`), and one call of it (`TurnSpec`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from finalturn._agent.checks import (
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
from finalturn._agent.options import Text
from finalturn._core.errors import ConfigurationError
from finalturn._core.limits import Limits, merged_limits
from finalturn._core.messages import Message
from finalturn._core.model import Capabilities, ModelSettings
from finalturn._core.observers import TurnObserver
from finalturn._core.protocols import ContextGate, Provider, SessionStore, StreamingProvider, ToolGate
from finalturn._gates.policy import ToolPolicy, approval_context
from finalturn._tools import Tool
from finalturn._tools.context_parameter import ContextParameter, check_deps_type, context_parameter
from finalturn._tools.tool import availability, context_of_tool

if TYPE_CHECKING:
    from finalturn._agent.meter import Meter
    from finalturn._core.output import Output


OBSERVERS_OF_ALL: list[TurnObserver] = []
"""Are told of the turns of every agent of the process."""


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent's parts. Shared by all its turns, and never changed.

    Attributes:
        deps_type: what the deps of its turns are; ``None`` where they have none.
        asked: how the functions that ask for the context do, by what they are: ``"system_prompt"``,
            ``"should_finalize"``, ``"context[0]"``.
        gate_contexts: how gates do, by their places.
        conditional: the names of the tools that are not offered in every turn.
        observers: are told of its turns, and of those that its tools run.
        limits: of each of its turns; ``None`` where nothing is limited.
        added_observers: are told too, of the turns of this agent and not of the one that it is a copy of.
        recorders: are told of its turns alone. Whoever records the agent enters here, and leaves again: it is
            the one part that changes.
    """

    provider: Provider | StreamingProvider
    tools: Mapping[str, Tool[..., Any, Any]]
    system_prompt: Text[Any]
    config: StructuredOutputConfig
    max_iterations: int
    parallel_tools: bool
    gates: tuple[ToolGate | ContextGate[Any], ...]
    context: tuple[Text[Any], ...]
    sessions: SessionStore | None
    settings: ModelSettings
    capabilities: Capabilities
    deps_type: object
    asked: Mapping[str, ContextParameter]
    gate_contexts: Mapping[int, ContextParameter]
    conditional: tuple[str, ...]
    observers: list[TurnObserver]
    limits: Limits | None = None
    added_observers: tuple[TurnObserver, ...] = ()
    recorders: list[TurnObserver] = field(default_factory=list[TurnObserver])

    def every_observer(self) -> list[TurnObserver]:
        """Those who observe a turn that begins now."""
        return [*self.observers, *self.added_observers, *self.recorders, *OBSERVERS_OF_ALL]

    def observed_by(self, outer: AgentSpec) -> AgentSpec:
        """The agent as a tool of another: those who observe its turns observe these too, each once."""
        known = [*self.observers, *self.added_observers]
        more = [
            observer
            for observer in (*outer.observers, *outer.added_observers)
            if not any(observer is one for one in known)
        ]
        return replace(self, added_observers=(*self.added_observers, *more)) if more else self


@dataclass(frozen=True, slots=True)
class TurnSpec:
    """One call of an agent: the agent, and what this call gave.

    Attributes:
        agent: as it is in this call.
        history: what was said before.
        user: what the user says now.
        output: the response_format; ``None`` without one.
        session: the id of the session; ``None`` without one.
        deps: for the functions that ask for the context.
        run_id: of the context; ``None`` for one that is made when it is asked for.
        outer: the meter of the turn whose tool makes this call; ``None`` where none does, or where that turn
            is not limited.
        lineage: the identities of the agents whose turns this one runs in, the outermost first, and then
            that of its own.
    """

    agent: AgentSpec
    history: tuple[Message, ...]
    user: tuple[Message, ...]
    output: Output[Any] | None
    session: str | None
    deps: object = field(default=None, repr=False)
    run_id: str | None = None
    outer: Meter | None = None
    lineage: tuple[object, ...] = ()

    @property
    def depth(self) -> int:
        """How many turns this one runs in, as a tool of each."""
        return max(0, len(self.lineage) - 1)


class Changes(NamedTuple):
    """What one call of an agent has another way; ``None`` leaves it as it is."""

    settings: ModelSettings | None = None
    provider: Provider | StreamingProvider | None = None
    tools: Sequence[Tool[..., Any, Any]] | None = None
    system_prompt: Text[Any] | None = None
    limits: Limits | None = None


def make_spec(
    *,
    provider: Provider | StreamingProvider,
    tools: Sequence[Tool[..., Any, Any]],
    system_prompt: Text[Any],
    structured_output: StructuredOutputConfig,
    max_iterations: int,
    parallel_tools: bool,
    gates: Sequence[ToolGate | ContextGate[Any]],
    context: Sequence[Text[Any]],
    sessions: SessionStore | None,
    settings: ModelSettings,
    observers: Sequence[TurnObserver],
    deps_type: object = None,
    limits: Limits | None = None,
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
    if limits is not None:
        check_type(limits, Limits, "limits")
    if max_iterations < 1:
        raise ConfigurationError("max_iterations must be 1 or more")
    capabilities = check_provider(provider)
    by_name = tools_by_name(tools)
    checked_gates = check_gates(gates)
    agent = AgentSpec(
        provider=provider,
        tools=by_name,
        system_prompt=check_text(system_prompt, "system_prompt"),
        config=structured_output,
        max_iterations=max_iterations,
        parallel_tools=parallel_tools,
        gates=checked_gates,
        context=check_context(context),
        sessions=sessions,
        settings=check_settings(settings, provider),
        capabilities=capabilities,
        deps_type=deps_type,
        asked={},
        gate_contexts=_gate_contexts(checked_gates, deps_type),
        conditional=_conditional(by_name, deps_type),
        observers=list(check_observers(observers)),
        limits=limits,
    )
    return replace(agent, asked=_asked(agent))


def changed_spec(agent: AgentSpec, changes: Changes) -> AgentSpec:
    """The agent's parts, as one call has them.

    Raises:
        ConfigurationError: they cannot work together.
    """
    provider = agent.provider if changes.provider is None else changes.provider
    capabilities = agent.capabilities if changes.provider is None else check_provider(provider)
    settings = agent.settings
    if changes.settings is not None:
        check_type(changes.settings, ModelSettings, "settings")
        settings = replace(settings, **_set_fields(changes.settings))
    changed = replace(
        agent, provider=provider, capabilities=capabilities, settings=check_settings(settings, provider)
    )
    if changes.tools is not None:
        by_name = tools_by_name(changes.tools)
        changed = replace(changed, tools=by_name, conditional=_conditional(by_name, agent.deps_type))
    if changes.system_prompt is not None:
        changed = replace(changed, system_prompt=check_text(changes.system_prompt, "system_prompt"))
        changed = replace(changed, asked=_asked(changed))
    if changes.limits is not None:
        check_type(changes.limits, Limits, "limits")
        changed = replace(changed, limits=merged_limits(agent.limits or Limits(), changes.limits))
    return changed


def _set_fields(settings: ModelSettings) -> dict[str, Any]:
    values = {field.name: getattr(settings, field.name) for field in fields(settings)}
    return {name: value for name, value in values.items() if value is not None}


def _asked(agent: AgentSpec) -> dict[str, ContextParameter]:
    texts = {f"context[{place}]": text for place, text in enumerate(agent.context)}
    functions = {
        "system_prompt": agent.system_prompt,
        "should_finalize": agent.config.should_finalize,
        **texts,
    }
    asked: dict[str, ContextParameter] = {}
    for label, function in functions.items():
        parameter = context_parameter(function, label) if callable(function) else None
        if parameter is not None:
            check_deps_type(parameter.deps, agent.deps_type, label)
            asked[label] = parameter
    return asked


def _gate_contexts(
    gates: Sequence[ToolGate | ContextGate[Any]], deps_type: object
) -> dict[int, ContextParameter]:
    asked: dict[int, ContextParameter] = {}
    for place, gate in enumerate(gates):
        parameter = context_parameter(gate.check, f"gates[{place}]")
        if parameter is not None:
            check_deps_type(parameter.deps, deps_type, f"gates[{place}]")
            asked[place] = parameter
        of_approval = approval_context(gate) if isinstance(gate, ToolPolicy) else None
        if of_approval is not None:
            check_deps_type(of_approval.deps, deps_type, f"gates[{place}]: approve")
    return asked


def _conditional(tools: Mapping[str, Tool[..., Any, Any]], deps_type: object) -> tuple[str, ...]:
    conditional: list[str] = []
    for name, tool in tools.items():
        label = f"tool {name}"
        parameter = context_of_tool(tool)
        if parameter is not None:
            check_deps_type(parameter.deps, deps_type, label)
        available = availability(tool)
        if available is not None:
            conditional.append(name)
            asked = context_parameter(available, f"{label}: available")
            if asked is not None:
                check_deps_type(asked.deps, deps_type, f"{label}: available")
    return tuple(conditional)


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
