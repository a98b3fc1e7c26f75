"""What the spans of a provider call it and its model."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from finalturn._support.public_home import defined_in

__all__ = ["Named", "named"]


class Named(NamedTuple):
    """A provider.

    Attributes:
        provider: ``gen_ai.provider.name``.
        model: ``gen_ai.request.model``; ``None`` where it is not known.
    """

    provider: str
    model: str | None


# The well-known values of gen_ai.provider.name, by class, and for chat completions by the server's profile.
_CLASSES = {
    "Anthropic": "anthropic",
    "Bedrock": "aws.bedrock",
    "Gemini": "gcp.gemini",
    "OpenAIResponses": "openai",
    "OpenAIChat": "openai",
}
_PROFILES = {"Azure OpenAI": "azure.ai.openai", "Mistral": "mistral_ai", "the server": "openai"}


def named(provider: object) -> Named:
    """What a provider is called: the vendor of one of ours, or else its class."""
    kind = next(
        (one for one in type(provider).__mro__ if defined_in(one).startswith("finalturn._providers.")), None
    )
    if kind is None or kind.__name__ not in _CLASSES:
        return Named(type(provider).__name__, None)
    parts = _parts(provider)
    model = parts.get("_model")
    vendor = _CLASSES[kind.__name__]
    if kind.__name__ == "Gemini" and parts.get("_token") is not None:
        vendor = "gcp.vertex_ai"
    if kind.__name__ == "OpenAIChat" and isinstance(
        profile := getattr(parts.get("_profile"), "name", None), str
    ):
        vendor = _PROFILES.get(profile, re.sub(r"[^a-z0-9]+", "_", profile.lower()))
    return Named(vendor, model if isinstance(model, str) else None)


def _parts(provider: object) -> dict[str, Any]:
    """Its attributes. Providers are not imported here, and have no public name for these."""
    found: dict[str, Any] = getattr(provider, "__dict__", {})
    return found
