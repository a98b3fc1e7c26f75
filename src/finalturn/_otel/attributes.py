"""The names and values of a span's attributes, as the semantic conventions for generative AI have them.

They are in development (https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai). What has
no place there begins with ``finalturn.``. None of them holds anything that was said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

from finalturn._core.errors import ProviderError
from finalturn._core.observers import ModelCallStarted, ObservedTurn
from finalturn._core.result import Usage

__all__ = ["Attributes", "Value", "error_type", "of_model_call", "of_turn", "of_usage", "provider_name"]

Value: TypeAlias = str | bool | int | float | list[str]
Attributes: TypeAlias = dict[str, Value]

# The well-known values of gen_ai.provider.name that are not the vendor's name in small letters.
_VENDORS = {
    "Azure OpenAI": "azure.ai.openai",
    "Bedrock": "aws.bedrock",
    "Gemini": "gcp.gemini",
    "Mistral": "mistral_ai",
    "Vertex AI": "gcp.vertex_ai",
}


def provider_name(turn: ObservedTurn) -> str:
    """The vendor of a turn's model, or else the class of its provider."""
    if turn.vendor is None:
        # A server of an unknown maker that speaks OpenAI's format.
        return "openai" if turn.provider == "OpenAIChat" else turn.provider
    return _VENDORS.get(turn.vendor) or re.sub(r"[^a-z0-9]+", "_", turn.vendor.lower())


def of_turn(turn: ObservedTurn) -> Attributes:
    """What is known of a turn as it begins."""
    return _without_none(
        {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.provider.name": provider_name(turn),
            "gen_ai.request.model": turn.model,
            "gen_ai.conversation.id": turn.session,
        }
    )


def of_model_call(turn: ObservedTurn, started: ModelCallStarted) -> Attributes:
    """What is known of a model call as it begins."""
    settings = started.request.settings
    return _without_none(
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider_name(turn),
            "gen_ai.request.model": turn.model,
            "gen_ai.conversation.id": turn.session,
            "gen_ai.output.type": None if started.request.output is None else "json",
            "gen_ai.request.stream": turn.streams or None,
            "gen_ai.request.temperature": settings.temperature,
            "gen_ai.request.top_p": settings.top_p,
            "gen_ai.request.max_tokens": settings.max_tokens,
            "gen_ai.request.seed": settings.seed,
            "finalturn.call": started.call,
        }
    )


def of_usage(usage: Usage | None) -> Attributes:
    """How many tokens were used, as far as a provider reported them."""
    if usage is None or not (usage.input_tokens or usage.output_tokens):
        return {}
    return {
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        **_without_none(
            {
                "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens or None,
                "gen_ai.usage.reasoning.output_tokens": usage.reasoning_tokens or None,
            }
        ),
    }


def error_type(error: BaseException | None) -> str:
    """What something failed with: the HTTP status of a provider's answer, or the exception's class.

    Args:
        error: the exception; ``None`` where it was cancelled.
    """
    if error is None:
        return "cancelled"
    if isinstance(error, ProviderError) and error.status is not None:
        return str(error.status)
    return type(error).__qualname__


def _without_none(attributes: Mapping[str, Value | None]) -> Attributes:
    return {name: value for name, value in attributes.items() if value is not None}
