"""Names the type of a value for an error message, and never quotes the value: it may be a secret."""

from __future__ import annotations

__all__ = ["described"]


def described(value: object) -> str:
    """Its kind with an article, such as ``"an int"``; ``"the class Agent"`` for a class, and ``"None"``."""
    if value is None:
        return "None"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name = type(value).__name__
    # With u as in Usage and UUID.
    return f"{'an' if name[:1].lower() in 'aeio' else 'a'} {name}"
