"""Names that a user gives. One that is blank is, more often than not, a variable that was not set."""

from __future__ import annotations

from finalturn.core.errors import ConfigurationError


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
    if not isinstance(value, str):
        raise ConfigurationError(f"{name} must be a text, not {type(value).__name__}; {instead}")
    if not value.strip():
        raise ConfigurationError(f"{name} is empty; {instead}")
    if not value.isprintable():
        raise ConfigurationError(f"{name} holds a control character, such as a line break; {instead}")
    return value
