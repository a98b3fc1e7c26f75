"""What an agent is made of, checked once, and what one call makes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from finalturn.agent._config import StructuredOutputConfig
from finalturn.core.errors import ConfigurationError
from finalturn.core.messages import Message
from finalturn.core.model import Capabilities, ModelSettings
from finalturn.core.protocols import Provider, SessionStore, StreamingProvider, ToolGate
from finalturn.tools import Tool

if TYPE_CHECKING:
    from finalturn.core.output import Output

Text: TypeAlias = "str | Callable[[], str] | Callable[[], Any]"
"""A text, or a callable, sync or async, that gives it; called once a turn."""


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent's parts. Shared by all its turns, and never changed."""

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


@dataclass(frozen=True, slots=True)
class TurnSpec:
    """One call of an agent: the agent, and what this call gave."""

    agent: AgentSpec
    history: tuple[Message, ...]
    user: tuple[Message, ...]
    output: Output[Any] | None
    session: str | None


def tools_by_name(tools: Sequence[Tool[..., Any]]) -> dict[str, Tool[..., Any]]:
    """The tools under their names.

    Raises:
        ConfigurationError: something is not a tool, cannot be one, or two have one name.
    """
    _expect_tools(tools)
    found: dict[str, Tool[..., Any]] = {}
    for tool in tools:
        name = tool.spec.name
        if name in found:
            raise ConfigurationError(f"two tools are named {name!r}; give one another name")
        found[name] = tool
    return found


def check_provider(provider: object) -> Capabilities:
    """The provider's capabilities.

    Raises:
        ConfigurationError: it is no provider.
    """
    if isinstance(provider, type) or not isinstance(provider, (Provider, StreamingProvider)):
        raise ConfigurationError(
            "the provider must be an object with a method complete(request) or stream(request); got"
            f" {provider.__name__ if isinstance(provider, type) else type(provider).__name__!r}"
        )
    capabilities: object = getattr(provider, "capabilities", None)
    if capabilities is None:
        return Capabilities()
    if not isinstance(capabilities, Capabilities):
        raise ConfigurationError("the provider's attribute 'capabilities' must be a Capabilities")
    return capabilities


def check_images(user: tuple[Message, ...], capabilities: Capabilities) -> None:
    """Refuse images that the provider would not see.

    Raises:
        ConfigurationError: there are some.
    """
    if not capabilities.images and any(message.content_parts for message in user):
        raise ConfigurationError(
            "the input holds an image, and the provider takes none; if its model does, say"
            " capabilities=Capabilities(images=True)"
        )


def check_gates(gates: Sequence[ToolGate]) -> tuple[ToolGate, ...]:
    """The gates.

    Raises:
        ConfigurationError: something is not a gate.
    """
    _expect_gates(gates)
    return tuple(gates)


def _expect_tools(given: Sequence[object]) -> None:
    for index, item in enumerate(given):
        if not isinstance(item, Tool):
            hint = "; decorate it with @tool" if callable(item) else ""
            raise ConfigurationError(f"tools[{index}] is a {type(item).__name__}, not a Tool{hint}")


def _expect_gates(given: Sequence[object]) -> None:
    for index, gate in enumerate(given):
        if isinstance(gate, type) or not isinstance(gate, ToolGate):
            raise ConfigurationError(f"gates[{index}] has no method check(call, messages)")


def check_context(context: Sequence[Text]) -> tuple[Text, ...]:
    """The context injections.

    Raises:
        ConfigurationError: they are one text and not a sequence of them, or something else is in it.
    """
    if isinstance(context, str) or not all(isinstance(text, str) or callable(text) for text in context):
        raise ConfigurationError("context must be a sequence of texts, or of callables that give them")
    return tuple(context)


def warn_of_fallback(agent: AgentSpec) -> None:
    """Log one warning when single_pass can never be active for lack of a capability."""
    missing: list[str] = []
    if not agent.capabilities.native_schema:
        missing.append("native_schema")
    if agent.tools and not agent.capabilities.native_schema_with_tools:
        missing.append("native_schema_with_tools")
    if agent.config.single_pass and missing:
        import logging

        logging.getLogger("finalturn").warning(
            "single_pass falls back to a synthesis call: the provider lacks %s", " and ".join(missing)
        )
