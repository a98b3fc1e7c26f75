"""Hints for errors: what to give instead of a value that is no tool, gate, observer, store or agent.

Each function gives the end of an error's text: what was given, without what it holds, and the cure.
"""

from __future__ import annotations

import os

from finalturn._core.described import described
from finalturn._core.model import ToolSpec
from finalturn._core.type_guards import is_array, is_mapping

__all__ = ["not_a_gate", "not_a_list", "not_a_store", "not_a_tool", "not_an_agent", "not_an_observer"]


def not_a_list(value: object, name: str) -> str:
    """Of what stands where a list of parts belongs."""
    if is_mapping(value):
        return f"{described(value)}; give its values: [*{name}.values()]"
    return described(value)


def not_a_tool(value: object) -> str:
    """Of what stands among the tools."""
    if is_array(value):
        return f"{described(value)}; put what it holds into the list itself"
    if is_mapping(value) or isinstance(value, ToolSpec):
        schema = "Tool.from_schema(name, description, parameters, function)"
        return f"{described(value)}; a tool that is described by a JSON Schema is made with {schema}"
    if isinstance(value, type):
        return f"{described(value)}; give a function that is decorated with @tool"
    if callable(value):
        return f"{described(value)}; decorate it with @tool"
    return described(value)


def not_a_gate(value: object) -> str:
    """Of what stands among the gates."""
    if isinstance(value, type):
        return f"{described(value)}; make one of it: {value.__name__}(...)"
    if callable(value):
        return f"{described(value)}; make a gate of a check: CoherenceGate(check)"
    return described(value)


def not_an_observer(value: object) -> str:
    """Of what stands among the observers."""
    if isinstance(value, type):
        return f"{described(value)}; make one of it: {value.__name__}(...)"
    if callable(getattr(value, "on_event", None)):
        return f"{described(value)}, which watches one turn; give what makes it, with a method observe(turn)"
    if callable(getattr(value, "observe", None)):
        return f"{described(value)}, whose method observe is asynchronous"
    return described(value)


def not_a_store(value: object) -> str:
    """Of what is to keep conversations, and does not."""
    if isinstance(value, type):
        return f"{described(value)}; make one of it: {value.__name__}()"
    if isinstance(value, (str, os.PathLike)):
        kind = described(value)  # pyright: ignore[reportUnknownArgumentType]
        return f'{kind}; for a database, make a store: SQLSessions("sqlite:///chat.db")'
    missing = [name for name in ("load", "append") if not callable(getattr(value, name, None))]
    if len(missing) == 1:
        return f"{described(value)}, which has no {missing[0]}"
    return described(value)


def not_an_agent(value: object) -> str:
    """Of what is to be served or recorded, and runs no turns."""
    if isinstance(value, type):
        return f"{described(value)}; make one of it: {value.__name__}(...)"
    if callable(getattr(value, "stream", None)) or callable(getattr(value, "complete", None)):
        return f"{described(value)}; make an agent of a provider: Agent(provider)"
    return described(value)
