"""A batch of tool calls that is watched: what is told of each call, whatever becomes of it."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from finalturn import Denial, Message, Tool, ToolCall, tool
from finalturn._adapters.watches import Watches
from finalturn._core.observers import ObservedTurn, ToolCallEnded, ToolCallStarted, TurnEvent
from finalturn._tools.run import ToolRunner
from tests.tools._contexts import contexts

pytestmark = pytest.mark.anyio

TURN = ObservedTurn((), None, "Scripted", None, None, streams=True)
ERROR = LookupError("gone")


@tool(terminal=True)
def good(number: int) -> str:
    """Give a text."""
    return f"number {number}"


@tool
async def bad() -> str:
    """Fail."""
    raise ERROR


@tool(timeout=0.001)
async def endless() -> str:
    """Never end, until it is late."""
    await anyio.sleep_forever()
    return ""


@tool(timeout=None)
async def waiting() -> str:
    """Never end."""
    await anyio.sleep_forever()
    return ""


class NoGood:
    """A gate that lets no number 13 pass."""

    def check(self, call: ToolCall, messages: Any, /) -> Denial | None:
        return Denial("no") if call.arguments.get("number") == 13 else None


class Notes:
    """Keeps what it is told of tools."""

    def __init__(self) -> None:
        self.events: list[TurnEvent] = []
        self.started = anyio.Event()

    def observe(self, turn: ObservedTurn, /) -> Notes:
        return self

    def on_event(self, event: TurnEvent, /) -> None:
        self.events.append(event)
        self.started.set()


def watched() -> tuple[ToolRunner, Notes]:
    tools: list[Tool[..., Any]] = [good, bad, endless, waiting]
    watches, notes = Watches(), Notes()
    watches.open([notes], TURN)
    return ToolRunner(
        {one.name: one for one in tools}, [NoGood()], contexts(), parallel=False, watches=watches
    ), notes


async def test_a_tool_that_runs_starts_and_ends() -> None:
    runner, notes = watched()
    call = ToolCall("good", {"number": 1}, "c")
    await runner.run([call], [])
    assert notes.events == [ToolCallStarted(0, call), ToolCallEnded(0, call, "number 1", terminal=True)]


async def test_what_a_tool_raises_is_told_as_it_is() -> None:
    runner, notes = watched()
    call = ToolCall("bad", {}, "c")
    await runner.run([call], [])
    assert notes.events[1:] == [ToolCallEnded(0, call, "LookupError: gone", "error", ERROR)]


async def test_a_tool_that_is_late_has_a_timeout() -> None:
    runner, notes = watched()
    [outcome] = await runner.run([call := ToolCall("endless", {}, "c")], [])
    assert notes.events[1:] == [ToolCallEnded(0, call, outcome.text, "timeout")]


@pytest.mark.parametrize(
    ("call", "failure"),
    [
        (ToolCall("nothing", {}), "unknown_tool"),
        (ToolCall("good", {"number": "x"}), "arguments"),
        (ToolCall("good", {"number": 13}), "policy"),
    ],
)
async def test_a_call_that_is_not_run_only_ends(call: ToolCall, failure: Any) -> None:
    runner, notes = watched()
    [outcome] = await runner.run([call], [])
    assert notes.events == [ToolCallEnded(0, call, outcome.text, failure)]


async def test_a_tool_that_runs_when_the_turn_is_left_is_cancelled() -> None:
    runner, notes = watched()
    call = ToolCall("waiting", {}, "c")
    async with anyio.create_task_group() as group:
        conversation: list[Message] = []
        group.start_soon(runner.run, [call], conversation)
        await notes.started.wait()
        group.cancel_scope.cancel()
    assert notes.events == [ToolCallStarted(0, call), ToolCallEnded(0, call, cancelled=True)]


async def test_outcomes_are_those_of_a_batch_that_nobody_watches() -> None:
    runner, _ = watched()
    plain = ToolRunner({"good": good, "bad": bad}, [NoGood()], contexts(), parallel=True)
    calls = [ToolCall("good", {"number": number}, f"c{number}") for number in (1, 13)] + [ToolCall("bad", {})]
    assert await runner.run(calls, []) == await plain.run(calls, [])
