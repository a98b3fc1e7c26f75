"""Checks of what an agent is made of, and of what one call gives it. None needs a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from inspect import iscoroutinefunction
from typing import Any, TypeVar, cast

from finalturn._agent.not_a_part import not_a_gate, not_a_list, not_a_store, not_a_tool, not_an_observer
from finalturn._agent.options import NOT_GIVEN, Text
from finalturn._core.described import described
from finalturn._core.errors import ConfigurationError
from finalturn._core.messages import Message
from finalturn._core.model import Capabilities, ModelSettings
from finalturn._core.observers import TurnObserver
from finalturn._core.protocols import ContextGate, SessionStore, ToolGate
from finalturn._core.type_guards import is_dict
from finalturn._providers.provider_hint import is_provider, not_a_provider
from finalturn._tools import Tool
from finalturn._tools.context_parameter import is_plain_class, name_of_type, takes_none
from finalturn._tools.seconds import checked_seconds

T = TypeVar("T")

# What a store may take that does not say so itself.
_STORE_SECONDS = 30.0


def tools_by_name(tools: Sequence[Tool[..., Any, Any]]) -> dict[str, Tool[..., Any, Any]]:
    """The tools under their names.

    Raises:
        ConfigurationError: something is not a tool, cannot be one, or two have one name.
    """
    tools = _listed(tools, "tools", "[tool]")
    _expect_tools(tools)
    by_name: dict[str, Tool[..., Any, Any]] = {}
    for tool in tools:
        name = tool.spec.name
        if name in by_name:
            raise ConfigurationError(f"two tools are named {name!r}; give one another name")
        by_name[name] = tool
    return by_name


def check_provider(provider: object) -> Capabilities:
    """The provider's capabilities.

    Raises:
        ConfigurationError: it is no provider.
    """
    if not is_provider(provider):
        raise ConfigurationError(
            "the provider must be an object with a method complete(request) or stream(request), not"
            f" {not_a_provider(provider)}"
        )
    capabilities: object = getattr(provider, "capabilities", None)
    if capabilities is None:
        return Capabilities()
    if not isinstance(capabilities, Capabilities):
        raise ConfigurationError("the provider's attribute 'capabilities' must be a Capabilities")
    return capabilities


def check_settings(settings: ModelSettings, provider: object) -> ModelSettings:
    """The settings.

    Raises:
        ConfigurationError: there is one that the provider says it cannot take.
    """
    unsupported: object = getattr(provider, "unsupported_settings", frozenset[str]())
    if not isinstance(unsupported, Set):
        raise ConfigurationError("the provider's attribute 'unsupported_settings' must be a set of names")
    for name in sorted(map(str, cast("Set[object]", unsupported))):
        if getattr(settings, name, None) is not None:
            raise ConfigurationError(
                f"the provider {type(provider).__name__} cannot take the setting {name!r}; leave it out"
            )
    return settings


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


def check_gates(
    gates: Sequence[ToolGate | ContextGate[Any]],
) -> tuple[ToolGate | ContextGate[Any], ...]:
    """The gates.

    Raises:
        ConfigurationError: something is not a gate.
    """
    gates = _listed(gates, "gates", "[gate]")
    _expect_gates(gates)
    return gates


def check_observers(observers: Sequence[TurnObserver]) -> tuple[TurnObserver, ...]:
    """The observers.

    Raises:
        ConfigurationError: something is not an observer.
    """
    observers = _listed(observers, "observers", "[observer]")
    _expect_observers(observers)
    return observers


def _listed(parts: Sequence[T], name: str, example: str) -> tuple[T, ...]:
    if isinstance(parts, (str, bytes, Mapping)) or not hasattr(parts, "__iter__"):
        raise ConfigurationError(f"{name} must be a list, such as {example}, not {not_a_list(parts, name)}")
    return tuple(parts)


def _expect_tools(parts: Sequence[object]) -> None:
    for index, tool in enumerate(parts):
        if not isinstance(tool, Tool):
            raise ConfigurationError(f"tools[{index}] must be a Tool, not {not_a_tool(tool)}")


def _expect_gates(parts: Sequence[object]) -> None:
    for index, gate in enumerate(parts):
        if isinstance(gate, type) or not isinstance(gate, ToolGate):
            form = "an object with a method check(call, messages)"
            raise ConfigurationError(f"gates[{index}] must be {form}, not {not_a_gate(gate)}")


def _expect_observers(parts: Sequence[object]) -> None:
    for index, observer in enumerate(parts):
        plain = isinstance(observer, TurnObserver) and not iscoroutinefunction(observer.observe)
        if isinstance(observer, type) or not plain:
            form = "an object with a plain method observe(turn)"
            raise ConfigurationError(f"observers[{index}] must be {form}, not {not_an_observer(observer)}")


def check_context(context: Sequence[Text[Any]]) -> tuple[Text[Any], ...]:
    """The context injections.

    Raises:
        ConfigurationError: they are one text and not a sequence of them, or something else is in it.
    """
    texts = _listed(context, "context", "[text]")
    for index, text in enumerate(texts):
        check_text(text, f"context[{index}]")
    return texts


def check_text(text: Text[Any], name: str) -> Text[Any]:
    """A text, or a callable that gives one.

    Raises:
        ConfigurationError: it is something else.
    """
    if not isinstance(text, str) and not callable(text):  # pyright: ignore[reportUnnecessaryComparison]
        raise ConfigurationError(f"{name} must be a str or a callable that gives one, not {described(text)}")
    return text


def check_sessions(sessions: object) -> None:
    """Check where conversations are kept.

    Raises:
        ConfigurationError: it is no store, or has a ``session_timeout`` that is no time.
    """
    if sessions is not None and (isinstance(sessions, type) or not isinstance(sessions, SessionStore)):
        raise ConfigurationError(
            "sessions must be an object with methods load(session) and append(session, messages, version),"
            f" not {not_a_store(sessions)}"
        )
    if sessions is not None:
        store_seconds(sessions)


def store_seconds(store: object) -> float | None:
    """How long one call of a session store may take; ``None`` for no limit.

    Raises:
        ConfigurationError: its ``session_timeout`` is no time.
    """
    seconds: object = getattr(store, "session_timeout", _STORE_SECONDS)
    return checked_seconds("session_timeout of a session store", seconds)


def check_type(value: object, kind: type, name: str) -> None:
    """Check an argument that has one type.

    Raises:
        ConfigurationError: it has another.
    """
    # A bool is an int for Python, and counts nothing.
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        hint = f"; write {name}={kind.__name__}(...)" if is_dict(value) or value is kind else ""
        raise ConfigurationError(f"{name} must be of type {kind.__name__}, not {described(value)}{hint}")


def check_handler(handler: object) -> None:
    """Check what is to be told of each piece of content.

    Raises:
        ConfigurationError: it cannot be called.
    """
    if handler is not None and not callable(handler):
        raise ConfigurationError(f"stream_handler must be a function of a text, not {described(handler)}")


def check_deps(deps: object, deps_type: object) -> object:
    """The deps of one call.

    Args:
        deps: what the call gives, or `NOT_GIVEN`.
        deps_type: what the agent says they are; ``None`` where it has none.

    Raises:
        ConfigurationError: they are missing, or something else.
    """
    if deps is NOT_GIVEN:
        if not takes_none(deps_type):
            raise ConfigurationError(
                f"this agent has deps of type {name_of_type(deps_type)}, and the call gives none: "
                "add deps=..."
            )
        return None
    if deps_type is None and deps is not None:
        raise ConfigurationError(
            f"the call gives deps, and the agent has none: give the agent deps_type={type(deps).__qualname__}"
        )
    if is_plain_class(deps_type) and not isinstance(deps, deps_type):
        raise ConfigurationError(f"deps must be of type {deps_type.__qualname__}, not {described(deps)}")
    return deps
