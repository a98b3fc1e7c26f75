"""The parts that cases are made of. Each word that must not go astray occurs nowhere else."""

from __future__ import annotations

from copy import deepcopy

from finalturn._core.messages import Message
from finalturn._core.model import ModelRequest, OutputSchema, ToolSpec
from finalturn._tools import Tool, tool

LOOKUP_PARAMETERS = {
    "type": "object",
    "properties": {"zq7xorder": {"type": "string"}},
    "required": ["zq7xorder"],
    "additionalProperties": False,
}
LOOKUP = ToolSpec("zq7xlookup", "Look an order up.", LOOKUP_PARAMETERS)
CANCEL = ToolSpec("zq7xcancel", "Cancel an order.", LOOKUP_PARAMETERS)

TICKET = {
    "type": "object",
    "properties": {"zq7xtopic": {"type": "string"}, "urgent": {"type": "boolean"}},
    "required": ["zq7xtopic", "urgent"],
    "additionalProperties": False,
}
TICKET_JSON = '{"zq7xtopic": "refund", "urgent": true}'
TICKET_VALUE = {"zq7xtopic": "refund", "urgent": True}

PROSE = ("Your order ", "is on its way.")


def arguments(order: str) -> str:
    """The arguments of a lookup."""
    return f'{{"zq7xorder": "{order}"}}'


def plain(*tools: ToolSpec) -> ModelRequest:
    """The simplest request."""
    return ModelRequest([Message.user("Where is my order?")], "Be brief.", fresh(*tools))


def fresh(*tools: ToolSpec) -> list[ToolSpec]:
    """Copies, so that a provider that changes them changes no other case's."""
    return [ToolSpec(tool.name, tool.description, deepcopy(tool.parameters)) for tool in tools]


def ticket() -> OutputSchema:
    """A schema to enforce, likewise."""
    return OutputSchema("ticket", deepcopy(TICKET))


class Desk:
    """Tools that remember what they were called with."""

    def __init__(self) -> None:
        self.looked_up: list[str] = []

    def tools(self) -> list[Tool[..., str]]:
        """The tools."""

        @tool(name=LOOKUP.name, description=LOOKUP.description)
        def lookup(zq7xorder: str) -> str:
            self.looked_up.append(zq7xorder)
            return f"{zq7xorder} has been sent"

        return [lookup]
