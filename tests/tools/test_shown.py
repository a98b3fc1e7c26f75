"""Tools that show what they do: one after another, as far as their reader asks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from unittest import mock

import anyio
import pytest

from finalturn import NestedActivity, RunContext, StreamChunk, Tool, ToolCall, ToolError
from finalturn._adapters import in_time
from finalturn._adapters.watches import Watches
from finalturn._core.observers import ObservedTurn, ToolCallEnded, ToolCallStarted, TurnEvent
from finalturn._core.tool_outcome import ToolOutcome
from finalturn._tools.run import ToolRunner
from tests.tools._contexts import contexts

pytestmark = pytest.mark.anyio

Piece = str | BaseException | Callable[[], Awaitable[object]]


class Showing:
    """Shows these pieces; the last is its result."""

    def __init__(self, name: str, pieces: list[Piece], log: list[str]) -> None:
        self.name = name
        self.pieces = pieces
        self.log = log

    async def next(self) -> StreamChunk | str:
        piece = self.pieces.pop(0)
        if isinstance(piece, BaseException):
            raise piece
        if not isinstance(piece, str):
            await piece()
            return "never"
        self.log.append(f"{self.name}:{piece}")
        return StreamChunk(content=piece) if self.pieces else piece

    async def aclose(self) -> None:
        self.log.append(f"{self.name}:closed")


def showing(name: str, *pieces: Piece, log: list[str], timeout: float | None = None) -> Tool[..., Any, Any]:
    async def fn(ctx: RunContext[Any]) -> str:
        raise AssertionError("it is opened, not called")

    made: Tool[..., Any, Any] = Tool(fn, name=name, description="", timeout=timeout)

    def opens(ctx: RunContext[Any]) -> Showing:
        return Showing(name, list(pieces), log)

    made._activity = opens  # pyright: ignore[reportPrivateUsage]
    return made


def runner(*tools: Tool[..., Any, Any], **parts: Any) -> ToolRunner:
    return ToolRunner({one.name: one for one in tools}, [], contexts(), parallel=True, **parts)


async def the_rest(of: ToolRunner) -> list[NestedActivity | ToolOutcome]:
    found: list[NestedActivity | ToolOutcome] = []
    while (piece := await of.next_shown()) is not None:
        found.append(piece)
    return found


def calls(*names: str) -> list[ToolCall]:
    return [ToolCall(name, {}, f"c{place}") for place, name in enumerate(names)]


async def test_each_runs_to_its_end_before_the_next_begins() -> None:
    log: list[str] = []
    batch = runner(showing("one", "a", "b", "1", log=log), showing("two", "c", "2", log=log))
    assert await batch.run(calls("one", "two"), []) == []
    assert batch.shows and log == []
    assert await the_rest(batch) == [
        NestedActivity("c0", "one", StreamChunk(content="a"), 0),
        NestedActivity("c0", "one", StreamChunk(content="b"), 0),
        ToolOutcome(0, "1"),
        NestedActivity("c1", "two", StreamChunk(content="c"), 1),
        ToolOutcome(1, "2"),
    ]
    assert log == ["one:a", "one:b", "one:1", "one:closed", "two:c", "two:2", "two:closed"]
    assert not batch.shows


async def test_the_others_have_run_before() -> None:
    log: list[str] = []

    def plain() -> str:
        log.append("plain")
        return "done"

    batch = runner(showing("one", "1", log=log), Tool(plain))
    assert await batch.run(calls("one", "plain", "nobody"), []) == [
        ToolOutcome(1, "done"),
        ToolOutcome(2, 'There is no tool named "nobody". The tools are: one, plain.', "unknown_tool"),
    ]
    assert log == ["plain"]
    assert await the_rest(batch) == [ToolOutcome(0, "1")]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (ToolError("no room"), ToolOutcome(0, "no room", "tool_error")),
        (ValueError("x"), ToolOutcome(0, "ValueError: x", "error")),
        (SystemExit(3), ToolOutcome(0, "SystemExit: 3", "error")),
    ],
)
async def test_what_it_raises_is_its_outcome(error: BaseException, outcome: ToolOutcome) -> None:
    log: list[str] = []
    batch = runner(showing("one", "a", error, log=log), showing("two", "2", log=log))
    await batch.run(calls("one", "two"), [])
    assert (await the_rest(batch))[1:] == [outcome, ToolOutcome(1, "2")]
    assert log[1] == "one:closed"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), BaseExceptionGroup("x", [KeyboardInterrupt()])])
async def test_an_interrupt_is_raised(error: BaseException) -> None:
    batch = runner(showing("one", error, log=[]))
    await batch.run(calls("one"), [])
    with pytest.raises(KeyboardInterrupt):
        await batch.next_shown()


async def test_one_that_cannot_be_opened_has_its_error_for_an_outcome() -> None:
    def refuse(ctx: object) -> Any:
        raise ToolError("not now")

    log: list[str] = []
    refused = showing("one", log=log)
    refused._activity = refuse  # pyright: ignore[reportPrivateUsage]
    batch = runner(refused)
    await batch.run(calls("one"), [])
    assert await the_rest(batch) == [ToolOutcome(0, "not now", "tool_error")]
    assert log == []


async def test_one_that_is_over_its_time_is_stopped() -> None:
    log: list[str] = []
    batch = runner(showing("one", "a", anyio.sleep_forever, log=log, timeout=0.01))
    await batch.run(calls("one"), [])
    text = "The tool one did not finish within 0.01 seconds."
    assert (await the_rest(batch))[-1] == ToolOutcome(0, text, "timeout")
    assert log == ["one:a", "one:closed"]


async def test_none_begins_when_the_turn_is_out_of_time() -> None:
    log: list[str] = []
    now = mock.patch.object(in_time, "monotonic", return_value=100.0)
    batch = runner(showing("one", "1", log=log), deadline=200.0)
    with now:
        await batch.run(calls("one"), [])
    text = "This call was not run: the turn is out of time."
    with mock.patch.object(in_time, "monotonic", return_value=200.0):
        assert await the_rest(batch) == [ToolOutcome(0, text, "timeout")]
    assert log == []


class Notes:
    """Keeps what it is told of tools."""

    def __init__(self) -> None:
        self.events: list[TurnEvent] = []

    def observe(self, turn: ObservedTurn, /) -> Notes:
        return self

    def on_event(self, event: TurnEvent, /) -> None:
        self.events.append(event)


def watched() -> tuple[Watches, Notes]:
    watches, notes = Watches(), Notes()
    watches.open([notes], ObservedTurn((), None, "Scripted", None, None, streams=True))
    return watches, notes


async def test_who_watches_is_told_of_each_begin_and_end() -> None:
    watches, notes = watched()
    error = ValueError("x")
    batch = runner(showing("one", "a", "1", log=[]), showing("two", error, log=[]), watches=watches)
    one, two = calls("one", "two")
    await batch.run([one, two], [])
    await the_rest(batch)
    assert notes.events == [
        ToolCallStarted(0, one),
        ToolCallEnded(0, one, "1"),
        ToolCallStarted(1, two),
        ToolCallEnded(1, two, "ValueError: x", "error", error),
    ]


async def test_closing_stops_the_one_that_runs_and_begins_no_other() -> None:
    watches, notes = watched()
    log: list[str] = []
    batch = runner(showing("one", "a", "1", log=log), showing("two", "2", log=log), watches=watches)
    one, two = calls("one", "two")
    await batch.run([one, two], [])
    await batch.next_shown()
    await batch.aclose()
    await batch.aclose()
    assert log == ["one:a", "one:closed"] and not batch.shows
    assert notes.events == [ToolCallStarted(0, one), ToolCallEnded(0, one, cancelled=True)]


async def test_closing_before_any_has_begun_tells_nothing() -> None:
    watches, notes = watched()
    log: list[str] = []
    batch = runner(showing("one", "1", log=log), watches=watches)
    await batch.run(calls("one"), [])
    await batch.aclose()
    assert (log, notes.events) == ([], [])
