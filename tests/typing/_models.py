"""What the type tests ask for."""

from __future__ import annotations

from pydantic import BaseModel, TypeAdapter

from finalturn import StructuredOutputConfig
from finalturn.providers import Scripted


class Ticket(BaseModel):
    topic: str


class Refund(BaseModel):
    amount: int


ANSWER = '{"topic": "order"}'
TICKET = Ticket(topic="order")
EITHER: TypeAdapter[Ticket | Refund] = TypeAdapter(Ticket | Refund)
FINAL = StructuredOutputConfig(final_turn_only=True)


def scripted(answer: str = ANSWER) -> Scripted:
    """A model that always answers the same."""
    return Scripted(then=answer)
