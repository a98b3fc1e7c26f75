"""Watching a turn: a witness is told of everything, in order, and nothing changes for it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import pytest

from finalturn import AgentResult, ProviderError, StreamChunk, StructuredOutputConfig, tool
from finalturn._agent import AgentStream
from finalturn._agent.driver import Driver
from finalturn._agent.spec import TurnSpec
from finalturn._agent.watch import Moment, WatchedDriver
from finalturn._core.turn import Action, Input
from finalturn._response_format import output_of
from finalturn.providers import Scripted
from tests.agent._parts import ANSWER, Ticket, turn_of

pytestmark = pytest.mark.anyio


class Notes:
    """A witness that notes what it is told."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def begins(self, turn: TurnSpec, now: Moment, /) -> None:
        self.said.append(f"begins {now.phase.value}")

    def takes(self, item: Input, before: Moment, after: Moment, validated: bool, /) -> None:
        answer = " validated" if validated else ""
        self.said.append(f"takes {type(item).__name__} {before.phase.value}-{after.phase.value}{answer}")

    def acts(self, action: Action, /) -> None:
        self.said.append(f"acts {type(action).__name__}")

    def delivers(self, item: object, /) -> None:
        self.said.append(f"delivers {type(item).__name__}")

    def fails(self, error: BaseException, /) -> None:
        self.said.append(f"fails {error}")

    def leaves(self) -> None:
        self.said.append("leaves")


class Waiting:
    """Waits without an event loop."""

    def __await__(self) -> Generator[None]:
        yield


@tool
def act() -> str:
    """Acts."""
    return "done"


def watched(*calls: Any, watchers: int = 1) -> tuple[TurnSpec, list[Notes]]:
    turn = turn_of(Scripted(*calls), tools=[act])
    notes = [Notes() for _ in range(watchers)]
    for one in notes:
        send: Callable[[], Notes] = lambda one=one: one  # type: ignore[misc]  # noqa: E731
        turn.agent.watchers.append(send)
    return turn, notes


async def to_the_end(stream: AgentStream[Any]) -> list[StreamChunk | AgentResult[Any]]:
    return [item async for item in stream]


async def test_a_witness_is_told_of_everything_in_order() -> None:
    turn, (notes,) = watched([Scripted.call("act")], "ok")
    await to_the_end(AgentStream(turn))
    assert notes.said == [
        "begins calling",
        "acts CallModel",
        "takes Finished calling-running",
        "delivers StreamChunk",
        "acts RunTools",
        "takes ToolReturned running-running",
        "takes ToolsFinished running-calling",
        "delivers StreamChunk",
        "acts CallModel",
        "takes TextDelta calling-calling",
        "delivers StreamChunk",
        "takes Finished calling-saving",
        "acts SaveTurn",
        "takes Saved saving-done",
        "delivers AgentResult",
    ]


async def test_a_turn_that_is_watched_is_the_same() -> None:
    turn, _ = watched("a", watchers=2)
    plain = turn_of(Scripted("a"), tools=[act])
    assert await to_the_end(AgentStream(turn)) == await to_the_end(AgentStream(plain))


async def test_a_turn_that_nobody_watches_has_the_plain_driver() -> None:
    stream: AgentStream[Any] = AgentStream(turn_of(Scripted("a")))
    await anext(stream)
    assert type(vars(stream)["_driver"]) is Driver
    await stream.aclose()


async def test_each_witness_is_told() -> None:
    turn, notes = watched("a", watchers=2)
    await to_the_end(AgentStream(turn))
    assert notes[0].said == notes[1].said != []


async def test_usage_can_be_read_of_a_watched_turn() -> None:
    turn, _ = watched("a")
    stream: AgentStream[Any] = AgentStream(turn)
    await to_the_end(stream)
    assert stream.usage == stream.result.usage


@pytest.mark.parametrize("reuse", [True, False])
async def test_a_witness_is_told_what_validated(reuse: bool) -> None:
    config = StructuredOutputConfig(final_turn_only=True, reuse_loop_answer=reuse, hold_json=True)
    script = Scripted(ANSWER, "no", f"It is {ANSWER}.")
    turn, notes = turn_of(script, output=output_of(Ticket), structured_output=config), Notes()
    turn.agent.watchers.append(lambda: notes)
    await to_the_end(AgentStream(turn))
    finished = [one for one in notes.said if "Finished" in one]
    assert finished == (
        ["takes Finished calling-saving validated"]
        if reuse
        else [
            "takes Finished calling-synthesizing validated",
            "takes Finished synthesizing-synthesizing",
            "takes Finished synthesizing-saving validated",
        ]
    )


class TestEnds:
    async def test_a_failure(self) -> None:
        turn, (notes,) = watched(ProviderError("down"))
        stream: AgentStream[Any] = AgentStream(turn)
        with pytest.raises(ProviderError):
            await anext(stream)
        await stream.aclose()
        assert notes.said[-2:] == ["takes Failed calling-failed", "fails down"]

    async def test_a_failure_before_the_turn_is_prepared(self) -> None:
        turn = turn_of(Scripted("a"), system_prompt=lambda: 1 / 0)
        notes = Notes()
        turn.agent.watchers.append(lambda: notes)
        with pytest.raises(ZeroDivisionError):
            await to_the_end(AgentStream(turn))
        assert notes.said == ["fails division by zero"]

    async def test_closing_between_two_items(self) -> None:
        turn, (notes,) = watched("a")
        stream: AgentStream[Any] = AgentStream(turn)
        await anext(stream)
        await stream.aclose()
        assert notes.said[-2:] == ["delivers StreamChunk", "leaves"]
        await stream.aclose()
        assert notes.said.count("leaves") == 1

    async def test_a_step_that_is_thrown_away(self) -> None:
        async def wait() -> str:
            await Waiting()
            return ""

        turn, notes = turn_of(Scripted("a"), system_prompt=wait), Notes()
        turn.agent.watchers.append(lambda: notes)
        driver = WatchedDriver(turn)
        step = driver.next()
        step.send(None)
        step.close()
        assert notes.said == ["leaves"]
        await driver.aclose()
        assert notes.said == ["leaves"]

    async def test_nothing_is_left_after_the_result(self) -> None:
        turn, (notes,) = watched("a")
        driver = WatchedDriver(turn)
        while not isinstance(await driver.next(), AgentResult):
            pass
        await driver.aclose()
        assert notes.said[-1] == "delivers AgentResult"
