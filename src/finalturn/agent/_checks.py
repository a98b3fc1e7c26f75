"""Checks of what an agent is made of, and of what one call gives it. None needs a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Any, TypeAlias, TypeVar, cast

from finalturn._asking._provider_hint import is_provider, not_a_provider
from finalturn.core._narrow import is_dict
from finalturn.core.errors import ConfigurationError
from finalturn.core.messages import Message
from finalturn.core.model import Capabilities, ModelSettings
from finalturn.core.protocols import SessionStore, ToolGate
from finalturn.tools import Tool
from finalturn.tools._seconds import checked_seconds

T = TypeVar("T")

Text: TypeAlias = "str | Callable[[], str] | Callable[[], Any]"
"""A text, or a callable, sync or async, that gives it; called once a turn."""

# What a store may take that does not say so itself.
_STORE_SECONDS = 30.0


def tools_by_name(tools: Sequence[Tool[..., Any]]) -> dict[str, Tool[..., Any]]:
    """The tools under their names.

    Raises:
        ConfigurationError: something is not a tool, cannot be one, or two have one name.
    """
    tools = _listed(tools, "tools", "[tool]")
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


def check_gates(gates: Sequence[ToolGate]) -> tuple[ToolGate, ...]:
    """The gates.

    Raises:
        ConfigurationError: something is not a gate.
    """
    gates = _listed(gates, "gates", "[gate]")
    _expect_gates(gates)
    return gates


def _listed(given: Sequence[T], name: str, example: str) -> tuple[T, ...]:
    try:
        return tuple(given)
    except TypeError:
        found = type(given).__name__
        raise ConfigurationError(f"{name} must be a list, such as {example}, not a {found}") from None


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
    texts = () if isinstance(context, str) else tuple(context)
    if isinstance(context, str) or not all(map(_is_text, texts)):
        raise ConfigurationError("context must be a sequence of texts, or of callables that give them")
    return texts


def check_text(text: Text, name: str) -> Text:
    """A text, or a callable that gives one.

    Raises:
        ConfigurationError: it is something else.
    """
    if not _is_text(text):
        raise ConfigurationError(f"{name} must be a str or a callable, not a {type(text).__name__}")
    return text


def _is_text(text: object) -> bool:
    return isinstance(text, str) or callable(text)


def check_sessions(sessions: object) -> None:
    """Check where conversations are kept.

    Raises:
        ConfigurationError: it is no store, or has a ``session_timeout`` that is no time.
    """
    if sessions is not None and (isinstance(sessions, type) or not isinstance(sessions, SessionStore)):
        hint = '; for a database, make a store: SQLSessions("sqlite:///chat.db")'
        raise ConfigurationError(
            "sessions must be an object with methods load(session) and append(...)"
            f"{hint if isinstance(sessions, str) else ''}"
        )
    if sessions is not None:
        store_seconds(sessions)


def store_seconds(store: object) -> float | None:
    """How long one call of a session store may take; ``None`` for no limit.

    Raises:
        ConfigurationError: its ``session_timeout`` is no time.
    """
    found: object = getattr(store, "session_timeout", _STORE_SECONDS)
    return checked_seconds("session_timeout of a session store", found)


def check_type(value: object, kind: type, name: str) -> None:
    """Check an argument that has one type.

    Raises:
        ConfigurationError: it has another.
    """
    if not isinstance(value, kind):
        hint = f"; write {name}={kind.__name__}(...)" if is_dict(value) else ""
        raise ConfigurationError(f"{name} must be of type {kind.__name__}, not {type(value).__name__}{hint}")
