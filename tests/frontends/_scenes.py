"""What is served to the front ends, and what a person must see of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from finalturn import Agent, Capabilities, ModelEnd, ProviderError, StructuredOutputConfig, tool
from finalturn.providers import Scripted
from tests.frontends._clients import Line
from tests.frontends._server import Gate

FINAL = StructuredOutputConfig(final_turn_only=True)
HOLD = StructuredOutputConfig(final_turn_only=True, hold_json=True)
SINGLE = StructuredOutputConfig(final_turn_only=True, single_pass=True)
SKIP = StructuredOutputConfig(final_turn_only=True, should_finalize=lambda messages, text: False)
PARTIALS = StructuredOutputConfig(final_turn_only=True, partial_objects=True, max_validation_retries=0)
NO_RETRIES = StructuredOutputConfig(final_turn_only=True, max_validation_retries=0)
PLAIN = {"response_format": None, "structured_output": StructuredOutputConfig()}
COMBINED = Capabilities(native_schema=True, native_schema_with_tools=True)

SECRET = "sk-7f3a9c-SENTINEL"
TICKET = '{"topic": "delivery", "urgent": true}'
CALL = Scripted.call("lookup_order", {"number": "A-17"})
LINE_OF_TOOL = ("tool", "lookup_order: Order A-17 left on Monday.")
LINE_OF_CARD = ("card", "delivery, urgent")
PENDING = ("pending", "Writing the ticket…")
FAILED = "(failed) "
"""Where a format that has no field for it says that a tool failed."""


class Ticket(BaseModel):
    """What a turn ends in."""

    topic: str
    urgent: bool


@tool
def lookup_order(number: str) -> str:
    """Look an order up."""
    return f"Order {number} left on Monday."


@tool
def broken(number: str) -> str:
    """Fail, with words that are not for clients."""
    raise RuntimeError(SECRET)


@dataclass(frozen=True)
class Scene:
    """A turn.

    Attributes:
        script: what the model calls answer, for a gate.
        after: what a person sees at the end, below what was asked.
        parts: of the agent.
        before: what is waited for, each time before the gate opens.
        meanwhile: what is there at some time.
        never: what must not be there at any time.
    """

    script: Callable[[Gate], list[Any]]
    after: list[Line]
    parts: dict[str, Any] = field(default_factory=dict[str, Any])
    before: tuple[str, ...] = ()
    meanwhile: tuple[Line, ...] = ()
    never: str = SECRET

    def agent(self, gate: Gate) -> Agent[Any]:
        """The agent."""
        parts: dict[str, Any] = {"response_format": Ticket, "structured_output": FINAL, **self.parts}
        provider = Scripted(*self.script(gate), capabilities=parts.pop("capabilities", None))
        return Agent(provider, tools=[lookup_order, broken], **parts)


SCENES: dict[str, Scene] = {
    "plain": Scene(
        lambda gate: [["Hel", "lo ", "there."]],
        [("assistant", "Hello there.")],
        PLAIN,
    ),
    "reasoning": Scene(
        lambda gate: [[Scripted.reasoning("Hm"), Scripted.reasoning("m."), "Hello."]],
        [("reasoning", "Hmm."), ("assistant", "Hello.")],
        PLAIN,
    ),
    "tool and synthesis": Scene(
        lambda gate: [["Let me look. ", CALL], "It left on Monday.", [gate.wait, TICKET]],
        [
            ("assistant", "Let me look. "),
            LINE_OF_TOOL,
            ("assistant", "It left on Monday."),
            LINE_OF_CARD,
        ],
        before=(PENDING[1],),
        meanwhile=(PENDING,),
        never='"topic"',
    ),
    "failed tools": Scene(
        lambda gate: [
            [Scripted.call("broken", {"number": "A-17"}), Scripted.call("broken", "[1")],
            "No luck.",
            TICKET,
        ],
        [
            ("tool", f"broken: {FAILED}the tool failed"),
            ("tool", f"broken: {FAILED}the arguments were not valid"),
            ("assistant", "No luck."),
            LINE_OF_CARD,
        ],
    ),
    "reuse": Scene(
        lambda gate: [[CALL], [*Scripted.pieces(TICKET, 9), gate.wait]],
        [LINE_OF_TOOL, LINE_OF_CARD],
        before=("true}",),
        meanwhile=(("assistant", TICKET),),
    ),
    "skip": Scene(lambda gate: ["Hello."], [("assistant", "Hello.")], {"structured_output": SKIP}),
    "single pass": Scene(
        lambda gate: [[CALL], TICKET],
        [LINE_OF_TOOL, LINE_OF_CARD],
        {"structured_output": SINGLE, "capabilities": COMBINED},
        never='"topic"',
    ),
    "single pass without an object": Scene(
        lambda gate: ["Hello."],
        [("assistant", "Hello.")],
        {
            "structured_output": StructuredOutputConfig(
                final_turn_only=True, single_pass=True, should_finalize=lambda messages, text: False
            ),
            "capabilities": COMBINED,
        },
    ),
    "held": Scene(
        lambda gate: [["It left.\n", *Scripted.pieces(TICKET, 5)], TICKET],
        [("assistant", "It left."), LINE_OF_CARD],
        {"structured_output": HOLD},
        never='"topic"',
    ),
    "validation failed": Scene(
        lambda gate: ["It left.", [gate.wait, f'{{"topic": "{SECRET}"}}']],
        [("assistant", "It left."), ("error", "There is no ticket.")],
        {"structured_output": NO_RETRIES},
        before=(PENDING[1],),
        meanwhile=(PENDING,),
    ),
    "object that grows": Scene(
        lambda gate: ["It left.", [TICKET[:14], TICKET[14:18], gate.wait, TICKET[18:]]],
        [("assistant", "It left."), LINE_OF_CARD],
        {"structured_output": PARTIALS},
        before=("deliver",),
        meanwhile=(PENDING, ("growing", "deliver")),
        never='"topic"',
    ),
    "object that grows for nothing": Scene(
        lambda gate: ["It left.", ['{"topic": "deliver', gate.wait, f'y", "urgent": "{SECRET}"}}']],
        [("assistant", "It left."), ("error", "There is no ticket.")],
        {"structured_output": PARTIALS},
        before=("deliver",),
        meanwhile=(PENDING, ("growing", "deliver")),
    ),
    "error while the object grows": Scene(
        lambda gate: ["It left.", ['{"topic": "deliver', gate.wait, ProviderError(SECRET, status=400)]],
        [("assistant", "It left."), ("error", "The model could not answer.")],
        {"structured_output": PARTIALS},
        before=("deliver",),
        meanwhile=(("growing", "deliver"),),
    ),
    "error in the middle": Scene(
        lambda gate: [["It lef", gate.wait, ProviderError(SECRET, status=400)]],
        [("assistant", "It lef"), ("error", "The model could not answer.")],
        before=("It lef",),
    ),
    "error before the object": Scene(
        lambda gate: ["It left.", [gate.wait, ProviderError(SECRET, status=400)]],
        [("assistant", "It left."), ("error", "The model could not answer.")],
        before=(PENDING[1],),
        meanwhile=(PENDING,),
    ),
    "refusal": Scene(
        lambda gate: [["I will not.", ModelEnd("refusal")]],
        [("assistant", "I will not.")],
    ),
}
