"""Turns the argument ``thinking`` into the field ``thinkingConfig`` of a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, get_args

from finalturn._core.errors import ConfigurationError
from finalturn._core.type_guards import is_mapping

Level: TypeAlias = Literal["minimal", "low", "medium", "high"]
Thinking: TypeAlias = bool | int | Level | Mapping[str, Any]

_LEVELS = get_args(Level)
# A budget that the model is to find itself.
_DYNAMIC = -1


def thinking_config(thinking: object) -> dict[str, Any] | None:
    """The request's field ``thinkingConfig``; ``None`` to leave it out, as models that do not think want it.

    Args:
        thinking: as the user said it.

    Raises:
        ConfigurationError: it cannot be sent.
    """
    if thinking is None:
        return None
    if thinking is True:
        return {"includeThoughts": True}
    if is_mapping(thinking):
        return {str(name): value for name, value in thinking.items()}
    if isinstance(thinking, int) and thinking >= _DYNAMIC:
        # False is 0: no thinking, where a model can do without.
        return {"thinkingBudget": int(thinking)} | ({"includeThoughts": True} if thinking else {})
    if isinstance(thinking, str) and thinking in _LEVELS:
        return {"thinkingLevel": thinking.upper(), "includeThoughts": True}
    levels = ", ".join(map(repr, _LEVELS))
    raise ConfigurationError(
        f"thinking is True or False, a budget in tokens (-1 leaves it to the model), one of {levels}, "
        "or the field itself, such as {'thinkingBudget': 0}"
    )
