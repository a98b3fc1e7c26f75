"""What something is, in words for an error about it. Never what it holds, which may be a secret."""

from __future__ import annotations

__all__ = ["described"]


def described(given: object) -> str:
    """Its kind with an article, such as ``"an int"``; ``"the class Agent"`` for a class, and ``"None"``."""
    if given is None:
        return "None"
    if isinstance(given, type):
        return f"the class {given.__name__}"
    name = type(given).__name__
    # With u as in Usage and UUID.
    return f"{'an' if name[:1].lower() in 'aeio' else 'a'} {name}"
