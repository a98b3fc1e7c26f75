"""The order of roles that servers with strict rules, or strict templates, take. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

# What the model is taken to have said between the result of its call and the user's next words.
BETWEEN = "OK."
# What the user is taken to say where the model has spoken last, or nobody has.
CONTINUE = "Continue."


def in_strict_order(messages: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with one system message, at the start, and the user's never in a row or behind a result.

    What system messages say is put together, in order; so is what the user says in a row. Between a result
    and the user's words, the model says "OK." The user, or a result, comes last: Mistral refuses any other
    ("Expected last role User or Tool"), and elsewhere the model would go on with its own last message.
    """
    system: list[str] = []
    ordered: list[dict[str, Any]] = []
    for message in messages:
        role = message["role"]
        if role == "system":
            system.append(message["content"])
            continue
        before = ordered[-1]["role"] if ordered else ""
        if role == "user" and before == "user":
            ordered[-1] = {"role": "user", "content": _joined(ordered[-1]["content"], message["content"])}
            continue
        if role == "user" and before == "tool":
            ordered.append({"role": "assistant", "content": BETWEEN})
        ordered.append(message)
    if ordered[-1]["role"] == "assistant" if ordered else system:
        ordered.append({"role": "user", "content": CONTINUE})
    if system:
        ordered.insert(0, {"role": "system", "content": "\n\n".join(system)})
    return ordered


def _joined(first: str | list[Any], second: str | list[Any]) -> str | list[Any]:
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*_parts(first), *_parts(second)]


def _parts(content: str | list[Any]) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
