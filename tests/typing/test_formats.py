"""The type of ``parsed`` for formats that are no pydantic model: to the type checkers, and when it runs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, assert_type

import pytest
from pydantic import TypeAdapter
from typing_extensions import TypedDict

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


def test_a_union_runs_and_an_adapter_of_it_is_typed() -> None:
    either = TypeAdapter[Ticket | Refund](Ticket | Refund)
    typed = Agent(scripted('{"amount": 3}'), response_format=either)
    assert_type(typed, Agent[Ticket | Refund])
    anything: Any = Ticket | Refund
    for agent in (typed, Agent(scripted('{"amount": 3}'), response_format=anything)):
        assert agent.run("go").unwrap() == Refund(amount=3)
