"""Numbers that a user gives: how often, how many, how long."""

from __future__ import annotations

import math

from finalturn._core.errors import ConfigurationError

__all__ = ["expect_count", "expect_seconds"]


def expect_count(name: str, value: object, *, least: int) -> None:
    """Check a whole number.

    Args:
        name: what the argument is called.
        value: what was given.
        least: the smallest that makes sense.

    Raises:
        ConfigurationError: it is none, or smaller.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ConfigurationError(f"{name} must be a whole number of at least {least}, not {value!r}")


def expect_seconds(name: str, value: float | None) -> float | None:
    """Check a number of seconds; ``None`` leaves it to a default.

    Args:
        name: what the argument is called.
        value: what was given; infinity is no limit.

    Raises:
        ConfigurationError: it is no number above 0.
    """
    if value is None or (_is_number(value) and value > 0):
        return value
    raise ConfigurationError(f"{name} must be a number of seconds above 0, not {value!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and not math.isnan(value)
