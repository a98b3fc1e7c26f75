"""What to do with something that is given for a part of an agent, or for an agent, and is none.

Each function gives the end of an error's text: what was given, without what it holds, and the cure.
"""

from __future__ import annotations

import os

from finalturn._core.described import described
from finalturn._core.model import ToolSpec
from finalturn._core.type_guards import is_array, is_mapping

__all__ = ["not_a_gate", "not_a_list", "not_a_store", "not_a_tool", "not_an_agent", "not_an_observer"]


def not_a_list(given: object, name: str) -> str:
    """Of what stands where a list of parts belongs."""
    if is_mapping(given):
        return f"{described(given)}; give its values: [*{name}.values()]"
    return described(given)


def not_a_tool(given: object) -> str:
    """Of what stands among the tools."""
    if is_array(given):
        return f"{described(given)}; put what it holds into the list itself"
    if is_mapping(given) or isinstance(given, ToolSpec):
        schema = "Tool.from_schema(name, description, parameters, function)"
        return f"{described(given)}; a tool that is described by a JSON Schema is made with {schema}"
    if isinstance(given, type):
        return f"{described(given)}; give a function that is decorated with @tool"
    if callable(given):
        return f"{described(given)}; decorate it with @tool"
    return described(given)


def not_a_gate(given: object) -> str:
    """Of what stands among the gates."""
    if isinstance(given, type):
        return f"{described(given)}; make one of it: {given.__name__}(...)"
    if callable(given):
        return f"{described(given)}; make a gate of a check: CoherenceGate(check)"
    return described(given)


def not_an_observer(given: object) -> str:
    """Of what stands among the observers."""
    if isinstance(given, type):
        return f"{described(given)}; make one of it: {given.__name__}(...)"
    if callable(getattr(given, "on_event", None)):
        return f"{described(given)}, which watches one turn; give what makes it, with a method observe(turn)"
    if callable(getattr(given, "observe", None)):
        return f"{described(given)}, whose method observe is asynchronous"
    return described(given)


def not_a_store(given: object) -> str:
    """Of what is to keep conversations, and does not."""
    if isinstance(given, type):
        return f"{described(given)}; make one of it: {given.__name__}()"
    if isinstance(given, (str, os.PathLike)):
        kind = described(given)  # pyright: ignore[reportUnknownArgumentType]
        return f'{kind}; for a database, make a store: SQLSessions("sqlite:///chat.db")'
    missing = [name for name in ("load", "append") if not callable(getattr(given, name, None))]
    if len(missing) == 1:
        return f"{described(given)}, which has no {missing[0]}"
    return described(given)


def not_an_agent(given: object) -> str:
    """Of what is to be served or recorded, and runs no turns."""
    if isinstance(given, type):
        return f"{described(given)}; make one of it: {given.__name__}(...)"
    if callable(getattr(given, "stream", None)) or callable(getattr(given, "complete", None)):
        return f"{described(given)}; make an agent of a provider: Agent(provider)"
    return described(given)
