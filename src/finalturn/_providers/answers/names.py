"""Names that a user gives. One that is blank is, more often than not, a variable that was not set."""

from __future__ import annotations

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
