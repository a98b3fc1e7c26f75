"""What of a batch is tried again, and when."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn import (
    Agent,
    BatchItem,
    BatchRetries,
    ConfigurationError,
    MessageFormatError,
    ProviderError,
    RunContext,
    ToolCall,
    tool,
)
from finalturn.providers import Scripted
from tests.agent._batches import Waits, echo

pytestmark = pytest.mark.anyio


def busy(after: float | None = None) -> ProviderError:
    return ProviderError("busy", status=429, retryable=True, retry_after=after)


async def one(agent: Agent[Any, Any], retries: int | BatchRetries, **options: Any) -> BatchItem[Any]:
    """What comes of one input."""
    async with agent.amap(["?"], retries=retries, **options) as batch:
        return await anext(batch)


class TestRetries:
    async def test_wait_longer_each_time(self) -> None:
        waits = Waits()
        retries = BatchRetries(count=4, longest_delay=3.0, sleep=waits.sleep, chance=lambda: 0.5)
        item = await one(Agent(Scripted(busy(), busy(), busy(), busy(), "done")), retries)
        assert (item.unwrap().text, item.attempts) == ("done", 5)
        assert waits.seconds == [0.75, 1.5, 2.25, 2.25]

    async def test_take_away_up_to_half_by_chance(self) -> None:
        waits = Waits()
        retries = BatchRetries(count=50, first_delay=8, longest_delay=8, sleep=waits.sleep)
        await one(Agent(Scripted(*[busy()] * 50, "done")), retries)
        assert all(4 <= seconds <= 8 for seconds in waits.seconds)
        assert len(set(waits.seconds)) > 1

    async def test_wait_as_long_as_the_vendor_says(self) -> None:
        waits = Waits()
        item = await one(Agent(Scripted(busy(17.5), "done")), BatchRetries(sleep=waits.sleep))
        assert (item.attempts, waits.seconds) == (2, [17.5])

    async def test_do_not_wait_longer_than_they_may(self) -> None:
        waits = Waits()
        item = await one(Agent(Scripted(busy(61), "done")), BatchRetries(sleep=waits.sleep))
        assert (item.attempts, waits.seconds) == (1, [])
        assert isinstance(item.error, ProviderError)
        assert item.error.retry_after == 61

    async def test_have_an_end(self) -> None:
        item = await one(Agent(Scripted(busy(0), busy(0), busy(0), "done")), 2)
        assert item.attempts == 3
        with pytest.raises(ProviderError, match="busy"):
            item.unwrap()
        assert item.usage.unreported_calls == 3

    async def test_really_wait_without_a_clock_of_ones_own(self) -> None:
        item = await one(Agent(Scripted(busy(), "done")), BatchRetries(first_delay=0))
        assert item.attempts == 2

    @pytest.mark.parametrize("error", [ProviderError("no"), ValueError("a tool of nobody")])
    async def test_are_for_what_may_be_tried_again(self, error: Exception) -> None:
        item = await one(Agent(Scripted(error, "done")), 2)
        assert item.attempts == 1
        assert item.error is error

    async def test_do_not_run_a_tool_twice_unless_told(self) -> None:
        ran: list[str] = []

        @tool
        def pay(ctx: RunContext[None]) -> str:
            """Pays."""
            ran.append(ctx.run_id)
            return "paid"

        def agent() -> Agent[None]:
            return Agent(Scripted(ToolCall("pay"), busy(0), ToolCall("pay"), "done"), tools=[pay])

        item = await one(agent(), 2)
        assert (item.attempts, len(ran)) == (1, 1)
        ran.clear()
        item = await one(agent(), BatchRetries(after_tools=True))
        assert (item.unwrap().text, item.attempts) == ("done", 2)
        assert len(ran) == 2
        assert len(set(ran)) == 1

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ({"count": -1}, "count must be"),
            ({"count": True}, "count must be"),
            ({"first_delay": -1.0}, "first_delay must be"),
            ({"longest_delay": float("nan")}, "longest_delay must be"),
            ({"longest_delay": "1"}, "longest_delay must be"),
        ],
    )
    def test_that_cannot_be_meant_are_refused(self, wrong: dict[str, Any], message: str) -> None:
        with pytest.raises(ConfigurationError, match=message):
            BatchRetries(**wrong)


class TestItems:
    async def test_of_an_input_that_is_none(self) -> None:
        wrong: Any = 3
        async with Agent(echo()).amap([wrong, "", "a"]) as batch:
            first, second, third = [item async for item in batch]
        assert isinstance(first.error, MessageFormatError)
        assert isinstance(second.error, ConfigurationError)
        assert (first.input, first.attempts, first.result) == (wrong, 0, None)
        assert third.error is None
        assert (batch.done, batch.failed) == (1, 2)

    async def test_have_a_run_id_of_their_own(self) -> None:
        seen: list[str] = []

        @tool
        def note(ctx: RunContext[None]) -> str:
            """Notes."""
            seen.append(ctx.run_id)
            return "noted"

        model = Scripted(then=lambda request: "done" if request.messages[-1].tool_name else ToolCall("note"))
        agent = Agent(model, tools=[note])
        async with agent.amap(["a", "b"], at_a_time=1, run_id="night") as batch:
            assert [item.error async for item in batch] == [None, None]
        assert seen == ["night-0", "night-1"]
        async with agent.amap(["a", "b"], at_a_time=1) as batch:
            assert [item.error async for item in batch] == [None, None]
        assert len(set(seen)) == 4
