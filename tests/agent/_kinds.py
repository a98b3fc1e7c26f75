"""Every kind of type that may be a response_format, each with answers to it."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    TypeVar,
    Union,
)
from uuid import UUID

from pydantic import BaseModel, Discriminator, Field, RootModel, Tag, TypeAdapter
from pydantic.dataclasses import dataclass as pydantic_dataclass
from typing_extensions import TypeAliasType, TypedDict

T = TypeVar("T")


class Ticket(BaseModel):
    kind: Literal["ticket"] = "ticket"
    topic: str


class Refund(BaseModel):
    kind: Literal["refund"] = "refund"
    amount: int


class Node(BaseModel):
    name: str
    kids: list[Node] = []


class Box(BaseModel, Generic[T]):
    item: T


class Lines(RootModel[list[Ticket]]):
    pass


@dataclass
class Point:
    x: int
    labels: list[str] = field(default_factory=list[str])


@dataclass
class Pair(Generic[T]):
    first: T


@pydantic_dataclass
class Checked:
    x: Annotated[int, Field(ge=1)]


class Shape(TypedDict):
    x: int
    note: NotRequired[str]


class Place(NamedTuple):
    x: int
    y: int


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1


class Size(StrEnum):
    BIG = "big"


def _tag(value: Any) -> str:
    """Of what is read, and of what is written."""
    is_ticket = isinstance(value, Ticket) if isinstance(value, (Ticket, Point)) else "topic" in value
    return "ticket" if is_ticket else "point"


OrderId = NewType("OrderId", int)
FirstTicket = NewType("FirstTicket", Ticket)
Reply = TypeAliasType("Reply", Ticket | Refund)
Replies = TypeAliasType("Replies", list[Reply])
Many = TypeAliasType("Many", list[T], type_params=(T,))
Tree = TypeAliasType("Tree", "dict[str, Tree] | int")
OneOf = Annotated[Ticket | Refund, Field(discriminator="kind")]
ByFunction = Annotated[Annotated[Ticket, Tag("ticket")] | Annotated[Point, Tag("point")], Discriminator(_tag)]

TICKET = {"kind": "ticket", "topic": "order"}
ORDER = Ticket(topic="order")
REFUND = {"kind": "refund", "amount": 3}


class Kind(NamedTuple):
    """A kind of response_format.

    Attributes:
        given: the response_format.
        answer: what the model answers, as JSON.
        value: what that is.
        wrong: what is no answer to it.
    """

    given: Any
    answer: Any
    value: Any
    wrong: Any = "wrong"

    @property
    def text(self) -> str:
        """The answer as the model writes it."""
        return json.dumps(self.answer)


KINDS: dict[str, Kind] = {
    "model": Kind(Ticket, TICKET, ORDER),
    "recursive model": Kind(
        Node, {"name": "a", "kids": [{"name": "b"}]}, Node(name="a", kids=[Node(name="b")])
    ),
    "generic model": Kind(Box[list[Ticket]], {"item": [TICKET]}, Box[list[Ticket]](item=[ORDER])),
    "nested generics": Kind(
        Box[dict[str, Box[Ticket | Refund]]],
        {"item": {"a": {"item": REFUND}}},
        Box[dict[str, Box[Ticket | Refund]]](item={"a": Box[Ticket | Refund](item=Refund(amount=3))}),
    ),
    "root model": Kind(Lines, [TICKET], Lines([ORDER])),
    "dataclass": Kind(Point, {"x": 1, "labels": ["a"]}, Point(1, ["a"]), {"x": "a"}),
    "generic dataclass": Kind(Pair[int], {"first": 1}, Pair(1), {"first": "a"}),
    "pydantic dataclass": Kind(Checked, {"x": 1}, Checked(1), {"x": 0}),
    "typed dict": Kind(Shape, {"x": 1}, {"x": 1}, {"note": "a"}),
    "named tuple": Kind(Place, [1, 2], Place(1, 2), [1]),
    "union": Kind(Ticket | Refund, REFUND, Refund(amount=3)),
    "union, as some write it": Kind(Union[Ticket, Refund], TICKET, ORDER),  # noqa: UP007
    "optional": Kind(Optional[Ticket], TICKET, ORDER),  # noqa: UP045
    "union of kinds": Kind(Ticket | list[Ticket] | int, [TICKET], [ORDER]),
    "union of a dataclass and a typed dict": Kind(
        Point | Shape, {"x": 1, "labels": ["a"]}, Point(1, ["a"]), {"x": "a"}
    ),
    "discriminated union": Kind(OneOf, REFUND, Refund(amount=3), {**REFUND, "kind": "ticket"}),
    "union by a function": Kind(ByFunction, {"x": 1}, Point(1)),
    "annotated model": Kind(Annotated[Ticket, "what it is about"], TICKET, ORDER),
    "annotated list": Kind(Annotated[list[Ticket], Field(min_length=1)], [TICKET], [ORDER], []),
    "list": Kind(list[Ticket], [TICKET], [ORDER]),
    "list of a union": Kind(list[Ticket | Refund], [TICKET, REFUND], [ORDER, Refund(amount=3)]),
    "list of a discriminated union": Kind(list[OneOf], [REFUND], [Refund(amount=3)], [{"kind": "other"}]),
    "bare list": Kind(list, [1, "a"], [1, "a"]),
    "tuple": Kind(tuple[Ticket, int], [TICKET, 1], (ORDER, 1), [TICKET]),
    "set": Kind(set[int], [1, 1], {1}),
    "dict": Kind(dict[str, Ticket], {"a": TICKET}, {"a": ORDER}),
    "enum": Kind(Color, "red", Color.RED),
    "enum of numbers": Kind(Level, 1, Level.LOW),
    "enum of texts": Kind(Size, "big", Size.BIG),
    "literal": Kind(Literal["yes", "no"], "yes", "yes"),
    "literal of an enum": Kind(Literal[Size.BIG], "big", Size.BIG),
    "new type": Kind(OrderId, 7, 7),
    "new type of a model": Kind(FirstTicket, TICKET, ORDER),
    "alias": Kind(Reply, REFUND, Refund(amount=3)),
    "alias of an alias": Kind(Replies, [REFUND], [Refund(amount=3)]),
    "generic alias": Kind(Many[Ticket], [TICKET], [ORDER]),
    "recursive alias": Kind(Tree, {"a": {"b": 1}}, {"a": {"b": 1}}),
    "number": Kind(float, 1.5, 1.5),
    "decimal": Kind(Decimal, "1.50", Decimal("1.50")),
    "date": Kind(date, "2026-01-31", date(2026, 1, 31)),
    "uuid": Kind(UUID, "12345678-1234-5678-1234-567812345678", UUID("12345678-1234-5678-1234-567812345678")),
    "adapter": Kind(TypeAdapter(Ticket | Refund), REFUND, Refund(amount=3)),
    "schema": Kind({"type": "array", "items": {"type": "integer"}}, [1], [1]),
}

if sys.version_info >= (3, 12):
    # Python 3.11 cannot read the statement.
    _STATEMENT: dict[str, Any] = {"Ticket": Ticket, "Refund": Refund}
    exec("type Written = Ticket | Refund", _STATEMENT)
    KINDS["type statement"] = Kind(_STATEMENT["Written"], REFUND, Refund(amount=3))
