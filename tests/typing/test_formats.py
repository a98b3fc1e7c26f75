"""The type of ``parsed`` for formats that are no pydantic model: to the type checkers, and when it runs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Generic, Literal, NewType, TypeAlias, TypeVar, assert_type

import pytest
from pydantic import BaseModel, Field, TypeAdapter
from typing_extensions import TypeAliasType, TypedDict

from finalturn import Agent, AgentResult, AgentStream, SyncStream
from tests.typing._models import Refund, Ticket, scripted

pytestmark = pytest.mark.anyio


@dataclass
class Point:
    x: int


class Shape(TypedDict):
    x: int


class Color(Enum):
    RED = "red"


class Bug(BaseModel):
    kind: Literal["bug"] = "bug"


class Wish(BaseModel):
    kind: Literal["wish"] = "wish"


T = TypeVar("T")


class Box(BaseModel, Generic[T]):
    item: T


class User:
    pass


OrderId = NewType("OrderId", int)
Either: TypeAlias = Ticket | Refund
Reply = TypeAliasType("Reply", Ticket | Refund)
OneOf = Annotated[Bug | Wish, Field(discriminator="kind")]


async def test_a_dataclass() -> None:
    agent = Agent(scripted('{"x": 1}'), response_format=Point)
    assert_type(agent, Agent[Point])
    assert agent.run("go").unwrap() == Point(1)
    plain = Agent(scripted('{"x": 1}'))
    assert_type(plain.run("go", response_format=Point), AgentResult[Point])
    assert_type(await plain.arun("go", response_format=Point), AgentResult[Point])
    assert_type(plain.stream("go", response_format=Point), SyncStream[Point])
    assert_type(plain.astream("go", response_format=Point), AgentStream[Point])


def test_a_typed_dict() -> None:
    agent = Agent(scripted('{"x": 1}'), response_format=Shape)
    assert_type(agent, Agent[Shape])
    assert agent.run("go").unwrap() == {"x": 1}


def test_an_enum_and_a_scalar() -> None:
    assert_type(Agent(scripted('"red"'), response_format=Color), Agent[Color])
    assert Agent(scripted('"red"'), response_format=Color).run("go").unwrap() is Color.RED
    assert_type(Agent(scripted("7"), response_format=int).run("go").unwrap(), int)


def test_a_list() -> None:
    agent = Agent(scripted("[1, 2]"), response_format=list[int])
    assert_type(agent, Agent[list[int]])
    assert agent.run("go").unwrap() == [1, 2]


REFUND = '{"amount": 3}'


async def test_a_union() -> None:
    agent = Agent(scripted(REFUND), response_format=Ticket | Refund)
    assert_type(agent, Agent[Ticket | Refund])
    assert_type(agent.run("go").unwrap(), Ticket | Refund)
    assert agent.run("go").unwrap() == Refund(amount=3)
    plain = Agent(scripted(REFUND))
    assert_type(plain.run("go", response_format=Ticket | Refund), AgentResult[Ticket | Refund])
    assert_type(await plain.arun("go", response_format=Ticket | Refund), AgentResult[Ticket | Refund])
    assert_type(plain.stream("go", response_format=Ticket | None), SyncStream[Ticket | None])
    assert_type(plain.astream("go", response_format=Ticket | None), AgentStream[Ticket | None])


async def test_a_union_of_an_agent_with_deps() -> None:
    agent = Agent(scripted(REFUND), deps_type=User, response_format=OneOf)
    assert_type(agent, Agent[Bug | Wish, User])
    user = User()
    assert_type(agent.run("go", deps=user, response_format=Ticket | Refund), AgentResult[Ticket | Refund])
    assert_type(await agent.arun("go", deps=user, response_format=Reply), AgentResult[Ticket | Refund])
    assert_type(agent.stream("go", deps=user, response_format=OneOf), SyncStream[Bug | Wish])
    assert_type(agent.astream("go", deps=user, response_format=Literal["a"]), AgentStream[Literal["a"]])


def test_an_annotated_type() -> None:
    tagged = scripted('{"kind": "bug"}')
    agent = Agent(tagged, response_format=Annotated[Bug | Wish, Field(discriminator="kind")])
    assert_type(agent, Agent[Bug | Wish])
    assert agent.run("go").unwrap() == Bug()
    assert_type(Agent(scripted(), response_format=OneOf), Agent[Bug | Wish])
    assert_type(
        Agent(scripted(), response_format=Annotated[list[Bug], Field(min_length=1)]), Agent[list[Bug]]
    )
    assert_type(Agent(scripted(), response_format=list[Annotated[Bug, "words"]]), Agent[list[Bug]])


def test_an_alias_and_a_new_type() -> None:
    assert_type(Agent(scripted(), response_format=Reply), Agent[Ticket | Refund])
    assert_type(Agent(scripted(), response_format=Either), Agent[Ticket | Refund])
    assert_type(Agent(scripted(), response_format=OrderId), Agent[OrderId])


def test_a_literal_and_nested_generics() -> None:
    agent = Agent(scripted('"yes"'), response_format=Literal["yes", "no"])
    assert_type(agent, Agent[Literal["yes", "no"]])
    assert agent.run("go").unwrap() == "yes"
    assert_type(Agent(scripted(), response_format=Box[list[Point]]), Agent[Box[list[Point]]])
    nested = Agent(scripted(), response_format=dict[str, list[Ticket | Refund]])
    assert_type(nested, Agent[dict[str, list[Ticket | Refund]]])


def test_a_type_that_only_the_program_knows() -> None:
    def answer(union: UnionType) -> object:
        agent = Agent(scripted(REFUND), response_format=union)
        assert_type(agent, Agent[Any])
        return agent.run("go").unwrap()

    typed: Any = Ticket | Refund
    assert answer(typed) == Refund(amount=3)
    adapter = TypeAdapter[Ticket | Refund](typed)
    assert_type(Agent(scripted(), response_format=adapter), Agent[Ticket | Refund])
