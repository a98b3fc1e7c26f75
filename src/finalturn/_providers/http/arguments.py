"""Checks the arguments of a provider's constructor: names, texts, counts and seconds.

A name that is blank is, more often than not, a variable that was not set.
"""

from __future__ import annotations

import math

from finalturn._core.described import described
from finalturn._core.errors import ConfigurationError


def checked_name(name: str, value: object, instead: str) -> str:
    """A text that can stand in a request.

    Args:
        name: what the argument is called.
        value: what was given.
        instead: what to do about one that is blank.

    Raises:
        ConfigurationError: it is no text, it is blank, or it holds what nobody can see, such as a line
            break. What it holds is not told: it may be a key.
    """
    text = expect_text(name, value, instead)
    if not text.strip():
        raise ConfigurationError(f"{name} is empty; {instead}")
    if not text.isprintable():
        raise ConfigurationError(f"{name} holds a control character, such as a line break; {instead}")
    return text


def expect_text(name: str, value: object, instead: str = "") -> str:
    """A text.

    Args:
        name: what the argument is called.
        value: what was given.
        instead: what to do about one that is none.

    Raises:
        ConfigurationError: it is something else. What it holds is not told: it may be a key.
    """
    if isinstance(value, str):
        return value
    hint = f"; {instead}" if instead else ""
    raise ConfigurationError(f"{name} must be a text, not {described(value)}{hint}")


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
