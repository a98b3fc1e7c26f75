"""The paths that a turn can take: the model's answers on each, and what the contract promises of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from finalturn import Message, Role, StructuredOutputConfig, StructuredStatus
from finalturn._cli.demo.desk import Ticket
from finalturn._core.json_text import encode
from finalturn.contract import (
    HELD_JSON,
    NO_NEEDLESS_CALL,
    REUSE_SIGNALLED,
    SINGLE_PASS_SUPPRESSES_CONTENT,
    SKIP_IS_SILENT,
    SYNTHESIS_NEVER_STREAMS,
    SYNTHESIS_START_ONCE,
    TOOL_CALLS_ALWAYS_STREAM,
    Clause,
)
from finalturn.providers import Scripted

__all__ = ["PATHS", "Path", "needs_ticket"]

TICKET: Final = Ticket(order="A-1001", topic="delivery", urgent=False, summary="Asks where the kettle is")
JSON: Final = encode(TICKET.model_dump()).decode()
PROSE: Final = "Your kettle has been shipped. It arrives on Friday."
_LOOKUP: Final = Scripted.call("lookup_order", {"order": "A-1001"})

_LOOKED_UP: Final = ("call lookup_order", "result lookup_order")
_START: Final = "event structured_synthesis_start"


def needs_ticket(messages: Sequence[Message], last_response_text: str) -> bool:
    """A turn needs a ticket when an order was looked up in it; small talk does not."""
    return any(message.role is Role.TOOL for message in messages)


@dataclass(frozen=True, slots=True)
class Path:
    """A path of the contract.

    Attributes:
        name: what it is called.
        story: what a person is to see.
        config: how the agent makes its structured answers.
        question: what the person asks.
        says: what each model call answers: its text, or a tool call.
        shows: the purposes of what is shown, in order.
        text: all the content that is shown.
        status: how the structured answer comes out.
        schema_on: for each model call, whether the schema is on its request.
        clauses: the promises that it shows.
    """

    name: str
    story: str
    config: StructuredOutputConfig
    says: tuple[Any, ...]
    shows: tuple[str, ...]
    text: str
    schema_on: tuple[bool, ...]
    clauses: tuple[Clause, ...]
    question: str = "Where is my kettle? The order is A-1001."
    status: StructuredStatus = "ok"


PATHS: Final = (
    Path(
        name="synthesis",
        story="Prose streams; one silent call then makes the object.",
        config=StructuredOutputConfig(final_turn_only=True),
        says=(_LOOKUP, PROSE, JSON),
        shows=(*_LOOKED_UP, "text", _START),
        text=PROSE,
        schema_on=(False, False, True),
        clauses=(SYNTHESIS_NEVER_STREAMS, SYNTHESIS_START_ONCE, TOOL_CALLS_ALWAYS_STREAM),
    ),
    Path(
        name="reuse and convert",
        story="The model writes the object unasked, for all to see: one event turns the bubble into a card.",
        config=StructuredOutputConfig(final_turn_only=True),
        says=(_LOOKUP, JSON),
        shows=(*_LOOKED_UP, "text", "event structured_reuse"),
        text=JSON,
        schema_on=(False, False),
        clauses=(REUSE_SIGNALLED, NO_NEEDLESS_CALL),
    ),
    Path(
        name="hold",
        story="Prose with the object in it: the prose streams, the JSON is never shown.",
        config=StructuredOutputConfig(final_turn_only=True, hold_json=True),
        says=(_LOOKUP, f"{PROSE}\n```json\n{JSON}\n```\nIs there anything else?", JSON),
        shows=(*_LOOKED_UP, "text", _START),
        text=f"{PROSE}\nIs there anything else?",
        schema_on=(False, False, True),
        clauses=(HELD_JSON, SYNTHESIS_NEVER_STREAMS),
    ),
    Path(
        name="hold in a line",
        story="The object in the middle of a line, in code and in tags: what is around it streams.",
        config=StructuredOutputConfig(final_turn_only=True, hold_json=True),
        says=(
            _LOOKUP,
            f"It is shipped: {JSON} The ticket is `{JSON}` <ticket>{JSON}</ticket> and all is {{well}}.",
            JSON,
        ),
        shows=(*_LOOKED_UP, "text", _START),
        text="It is shipped: The ticket is and all is {well}.",
        schema_on=(False, False, True),
        clauses=(HELD_JSON, SYNTHESIS_NEVER_STREAMS),
    ),
    Path(
        name="single pass",
        story="The schema is on every call: no prose is shown, and no call is needed for the object.",
        config=StructuredOutputConfig(final_turn_only=True, single_pass=True),
        says=(_LOOKUP, JSON),
        shows=_LOOKED_UP,
        text="",
        schema_on=(True, True),
        clauses=(SINGLE_PASS_SUPPRESSES_CONTENT, NO_NEEDLESS_CALL),
    ),
    Path(
        name="skip",
        story="Small talk needs no object: should_finalize says so, and the prose is all there is.",
        config=StructuredOutputConfig(final_turn_only=True, should_finalize=needs_ticket),
        question="Thank you!",
        says=("You are welcome. Have a nice day!",),
        shows=("text",),
        text="You are welcome. Have a nice day!",
        status="skipped",
        schema_on=(False,),
        clauses=(SKIP_IS_SILENT,),
    ),
)
