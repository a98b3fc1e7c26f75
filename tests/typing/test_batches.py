"""What the types of a batch and of its items are: to the type checkers, and when it runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, assert_type

import pytest

from finalturn import Agent, AgentResult, Batch, BatchItem, BatchRetries, SyncBatch
from tests.typing._models import EITHER, TICKET, Refund, Ticket, scripted

pytestmark = pytest.mark.anyio

SCHEMA: Mapping[str, Any] = {"type": "object"}


class TestItems:
    async def test_are_of_the_agents_format(self) -> None:
        agent = Agent(scripted(), response_format=Ticket)
        with agent.map(["a"], at_a_time=2) as batch:
            assert_type(batch, SyncBatch[Ticket])
            for item in batch:
                assert_type(item, BatchItem[Ticket])
                assert_type(item.result, AgentResult[Ticket] | None)
                assert_type(item.unwrap().unwrap(), Ticket)
                assert item.unwrap().parsed == TICKET
        async with agent.amap(["a"], retries=BatchRetries(count=0), ordered=False) as awaited:
            assert_type(awaited, Batch[Ticket])
            async for item in awaited:
                assert_type(item, BatchItem[Ticket])
                assert item.unwrap().parsed == TICKET

    async def test_are_of_the_calls_format(self) -> None:
        agent = Agent(scripted())
        assert_type(agent.map(["a"]), SyncBatch[None])
        assert_type(agent.map(["a"], response_format=Ticket | None), SyncBatch[Ticket | None])
        assert_type(agent.amap(["a"], response_format=Annotated[Ticket, "words"]), Batch[Ticket])
        assert_type(agent.amap(["a"]), Batch[None])
        assert_type(agent.map(["a"], response_format=Ticket), SyncBatch[Ticket])
        assert_type(agent.amap(["a"], response_format=EITHER), Batch[Ticket | Refund])
        assert_type(agent.amap(["a"], response_format=SCHEMA), Batch[Any])
        agent_of_tickets = Agent(scripted(), response_format=Ticket)
        assert_type(agent_of_tickets.map(["a"], response_format=None), SyncBatch[None])
        with agent.map(["a"], response_format=Ticket) as batch:
            assert next(batch).unwrap().parsed == TICKET


class TestDeps:
    async def test_are_those_of_the_agent(self) -> None:
        agent = Agent(scripted(), deps_type=int, response_format=Ticket)
        assert_type(agent.map(["a"], deps=1), SyncBatch[Ticket])
        assert_type(agent.amap(["a"], deps=1, response_format=Refund), Batch[Refund])
        assert_type(agent.amap(["a"], deps=1, response_format=None), Batch[None])
        assert_type(agent.map(["a"], deps=1, response_format=SCHEMA), SyncBatch[Any])
        with agent.map(["a"], deps=1) as batch:
            assert next(batch).unwrap().parsed == TICKET
