"""What a provider, its vendor or its fake must be able to do for a case to be run."""

from __future__ import annotations

from finalturn._core.model import Capabilities
from finalturn._testing.conformance.case import Need
from finalturn._testing.conformance.hooks import KitHooks


def reasoning(hooks: KitHooks, capabilities: Capabilities) -> str | None:
    """The vendor sends reasoning apart."""
    return None if hooks.supports_reasoning else "supports_reasoning is False"


def usage(hooks: KitHooks, capabilities: Capabilities) -> str | None:
    """The vendor reports tokens."""
    return None if hooks.reports_usage else "reports_usage is False"


def refusals(hooks: KitHooks, capabilities: Capabilities) -> str | None:
    """The vendor marks refusals."""
    return None if hooks.reports_refusals else "reports_refusals is False"


def call_ids(hooks: KitHooks, capabilities: Capabilities) -> str | None:
    """The vendor gives calls ids."""
    return None if hooks.keeps_call_ids else "keeps_call_ids is False"


def sent(hooks: KitHooks, capabilities: Capabilities) -> str | None:
    """The author shows what the model was sent."""
    return "sent() is not overridden" if hooks.sent() is None else None


def capable(name: str, *, of: bool = True) -> Need:
    """The provider's capabilities have this value under this name."""

    def need(hooks: KitHooks, capabilities: Capabilities) -> str | None:
        value: bool = getattr(capabilities, name)
        return None if value is of else f"capabilities.{name} is {value}"

    return need


native_tools = capable("native_tools")
text_tools = capable("native_tools", of=False)
native_schema = capable("native_schema")
schema_with_tools = capable("native_schema_with_tools")
images = capable("images")
