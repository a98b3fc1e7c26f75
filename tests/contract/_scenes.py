"""The parts that contract tests build turns of."""

from __future__ import annotations

from pydantic import BaseModel, Field

from finalturn import Capabilities, StructuredOutputConfig, tool
from finalturn.providers import Scripted

SENTINEL = "zq7xsentinel"


class Ticket(BaseModel):
    """A support ticket."""

    topic: str = Field(description="schemadescription of the topic")
    urgent: bool


ANSWER = f'{{"topic": "{SENTINEL}", "urgent": true}}'
"""A valid answer, in which a word stands that occurs nowhere else."""

INVALID = f'{{"topic": "{SENTINEL}", "urgent": "perhaps"}}'
"""A failed attempt at one."""

FINAL = StructuredOutputConfig(final_turn_only=True)
HOLD = StructuredOutputConfig(final_turn_only=True, hold_json=True)
SINGLE = StructuredOutputConfig(final_turn_only=True, single_pass=True)
PARTIALS = StructuredOutputConfig(final_turn_only=True, partial_objects=True)
NO_REUSE = StructuredOutputConfig(final_turn_only=True, reuse_loop_answer=False)

COMBINED = Capabilities(native_schema=True, native_schema_with_tools=True)
"""A provider that can do everything single_pass needs."""

TEXT_TOOLS = Capabilities(native_tools=False)


@tool
async def lookup(order: str) -> str:
    """Look an order up."""
    return f"order {order} is on its way"


@tool
def fail(order: str) -> str:
    """Always fails."""
    raise ValueError("no such order")


@tool(terminal=True)
def hand_over(order: str) -> str:
    """Hand the person over to a colleague."""
    return f"handed over {order}"


LOOKUP = Scripted.call("lookup", {"order": "A1"})
PROSE = ["Your order ", "is on its way."]


def skipping(skip: bool, **more: bool) -> StructuredOutputConfig:
    """final_turn_only with a predicate that always answers the same."""
    return StructuredOutputConfig(
        final_turn_only=True, should_finalize=lambda messages, text: not skip, **more
    )
