"""Turns the argument ``thinking`` into the field of a Messages request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from finalturn._core.errors import ConfigurationError
from finalturn._core.type_guards import is_mapping
from finalturn._providers.json_types import as_int

Thinking: TypeAlias = Literal["adaptive"] | int | Mapping[str, Any]

# Anthropic's page "Extended thinking": budget_tokens is at least this.
LEAST_BUDGET = 1024

_ADVICE = "it is 'adaptive', a budget in tokens, or the field itself, such as {'type': 'disabled'}"


def thinking_field(thinking: object) -> dict[str, Any] | None:
    """The request's field ``thinking``; ``None`` to leave it out.

    Args:
        thinking: as the user said it.

    Raises:
        ConfigurationError: it cannot be sent.
    """
    if thinking is None:
        return None
    if thinking == "adaptive":
        # Newer models give no words of their thoughts unless they are asked to.
        return {"type": "adaptive", "display": "summarized"}
    if is_mapping(thinking):
        return {str(name): value for name, value in thinking.items()}
    if isinstance(thinking, bool) or not isinstance(thinking, int):
        raise ConfigurationError(f"thinking cannot be {thinking!r}; {_ADVICE}")
    if thinking < LEAST_BUDGET:
        raise ConfigurationError(f"thinking is a budget of {thinking} tokens; the least is {LEAST_BUDGET}")
    return {"type": "enabled", "budget_tokens": thinking}


def budget_of(field: object) -> int | None:
    """The tokens that a model of before adaptive thinking may think for; ``None`` for any other way."""
    if not is_mapping(field) or field.get("type") != "enabled":
        return None
    return as_int(field.get("budget_tokens")) or 0
