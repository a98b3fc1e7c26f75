"""Checks a number of seconds that a user gave."""

from __future__ import annotations

import math

from finalturn._core.errors import ConfigurationError

__all__ = ["checked_seconds"]


def checked_seconds(label: str, value: object) -> float | None:
    """A number above 0, or ``None`` for no limit.

    Raises:
        ConfigurationError: it is neither.
    """
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < math.inf:
        return float(value)
    raise ConfigurationError(f"{label} is a number of seconds above 0, or None for no limit, not {value!r}")
