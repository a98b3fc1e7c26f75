"""The driver of an observed turn: what observers are told, in order, and that the turn is the same."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from finalturn import (
    AgentResult,
    ProviderError,
    StreamChunk,
    StructuredOutputConfig,
    TurnObserver,
    Usage,
    tool,
)
from finalturn._agent import AgentStream
from finalturn._agent.driver import Driver
from finalturn._agent.observed import ObservedDriver
from finalturn._agent.spec import OBSERVERS_OF_ALL, TurnSpec
from finalturn._response_format import output_of
from finalturn.observers import (
    ChunkDelivered,
    ModelCallEnded,
    ModelCallStarted,
    ObservedTurn,
    RuleFired,
    TurnEnded,
    TurnEvent,
    TurnPrepared,
)
from finalturn.providers import Fallback, Scripted
from tests.agent._parts import ANSWER, Ticket, turn_of

pytestmark = pytest.mark.anyio


class Notes:
    """An observer, and the watch of its only turn, that keeps what it is told."""

    def __init__(self) -> None:
        self.turn: ObservedTurn | None = None
        self.events: list[TurnEvent] = []

    def observe(self, turn: ObservedTurn, /) -> Notes:
        assert self.turn is None
        self.turn = turn
        return self

    def on_event(self, event: TurnEvent, /) -> None:
        self.events.append(event)

    @property
    def names(self) -> list[str]:
        return [
            f"{type(event).__name__} {event.rule}" if isinstance(event, RuleFired) else type(event).__name__
            for event in self.events
        ]

    @property
    def end(self) -> TurnEnded:
        """The last event, which is the only end."""
        (ended,) = [event for event in self.events if isinstance(event, TurnEnded)]
        assert self.events[-1] is ended
        return ended


class Waiting:
    """Waits without an event loop."""

    def __await__(self) -> Generator[None]:
        yield


@tool
def act() -> str:
    """Acts."""
    return "done"


def observed(*calls: Any, observers: int = 1) -> tuple[TurnSpec, list[Notes]]:
    notes = [Notes() for _ in range(observers)]
    return turn_of(Scripted(*calls), tools=[act], observers=notes), notes


async def to_the_end(stream: AgentStream[Any]) -> list[StreamChunk | AgentResult[Any]]:
    return [item async for item in stream]


async def test_an_observer_is_told_of_everything_in_order() -> None:
    turn, (notes,) = observed([Scripted.call("act")], "ok")
    await to_the_end(AgentStream(turn))
    assert notes.names == [
        "TurnPrepared",
        "RuleFired start",
        "ModelCallStarted",
        *["ModelEventReceived"] * 4,
        "ModelCallEnded",
        "RuleFired tools-requested",
        "ChunkDelivered",
        "ToolBatchStarted",
        "ToolCallStarted",
        "ToolCallEnded",
        "RuleFired tool-returned",
        "RuleFired tools-done",
        "ChunkDelivered",
        "ModelCallStarted",
        "ModelEventReceived",
        "RuleFired loop-text",
        "ChunkDelivered",
        "ModelEventReceived",
        "ModelCallEnded",
        "RuleFired plain-answer",
        "SaveStarted",
        "SaveEnded",
        "RuleFired saved",
        "TurnEnded",
    ]


async def test_an_observer_is_told_whose_turn_it_is() -> None:
    turn, (notes,) = observed("a")
    await to_the_end(AgentStream(turn))
    assert notes.turn == ObservedTurn(turn.user, None, "Scripted", None, None, streams=True)
    assert not ObservedDriver(turn_of(Scripted("a").whole_reply())).usage.total_tokens


async def test_a_turn_that_is_observed_is_the_same() -> None:
    turn, _ = observed("a", observers=2)
    plain = turn_of(Scripted("a"), tools=[act])
    assert await to_the_end(AgentStream(turn)) == await to_the_end(AgentStream(plain))


async def test_a_turn_that_nobody_observes_has_the_plain_driver() -> None:
    stream: AgentStream[Any] = AgentStream(turn_of(Scripted("a")))
    await anext(stream)
    assert type(vars(stream)["_driver"]) is Driver
    await stream.aclose()


async def test_each_observer_is_told() -> None:
    turn, notes = observed("a", observers=2)
    await to_the_end(AgentStream(turn))
    assert notes[0].events == notes[1].events != []


async def test_an_observer_of_all_turns_is_told_of_any(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = Notes()
    monkeypatch.setattr("finalturn._agent.spec.OBSERVERS_OF_ALL", [*OBSERVERS_OF_ALL, notes])
    await to_the_end(AgentStream(turn_of(Scripted("a"))))
    assert notes.end.error is None


async def test_usage_can_be_read_of_an_observed_turn() -> None:
    turn, (notes,) = observed("a")
    stream: AgentStream[Any] = AgentStream(turn)
    await to_the_end(stream)
    assert stream.usage == stream.result.usage == notes.end.usage


async def test_what_providers_used_before_they_failed_still_counts() -> None:
    spent = Usage(input_tokens=5, output_tokens=1, total_tokens=6)
    failure = ProviderError("down")
    failure.usage = spent
    provider = Fallback(Scripted(failure), Scripted(["a", "b"]))
    turn = turn_of(provider, observers=[Notes()])
    stream: AgentStream[Any] = AgentStream(turn)
    await anext(stream)
    await stream.aclose()
    assert stream.usage == spent + Usage(unreported_calls=1)


@pytest.mark.parametrize("reuse", [True, False])
async def test_an_observer_is_told_what_a_response_was_judged_to_be(reuse: bool) -> None:
    config = StructuredOutputConfig(final_turn_only=True, reuse_loop_answer=reuse, hold_json=True)
    script, notes = Scripted(ANSWER, "no", f"It is {ANSWER}."), Notes()
    turn = turn_of(script, output=output_of(Ticket), structured_output=config, observers=[notes])
    await to_the_end(AgentStream(turn))
    verdicts = [event.verdict for event in notes.events if isinstance(event, RuleFired) and event.verdict]
    assert verdicts == (["valid"] if reuse else ["valid", "invalid", "valid"])
    purposes = [event.purpose for event in notes.events if isinstance(event, ModelCallStarted)]
    assert purposes == (["loop"] if reuse else ["loop", "synthesis", "synthesis"])
    (prepared,) = [event for event in notes.events if isinstance(event, TurnPrepared)]
    assert prepared.schema == Ticket.model_json_schema()


class TestEnds:
    async def test_a_failure(self) -> None:
        error = ProviderError("down")
        turn, (notes,) = observed(error)
        stream: AgentStream[Any] = AgentStream(turn)
        with pytest.raises(ProviderError):
            await anext(stream)
        await stream.aclose()
        assert notes.names[-3:] == ["ModelCallEnded", "RuleFired calling-failed", "TurnEnded"]
        assert ModelCallEnded(0, error=error) in notes.events
        assert notes.end.error is error

    async def test_a_failure_before_the_turn_is_prepared(self) -> None:
        notes = Notes()
        turn = turn_of(Scripted("a"), system_prompt=lambda: 1 / 0, observers=[notes])
        with pytest.raises(ZeroDivisionError):
            await to_the_end(AgentStream(turn))
        assert notes.names == ["TurnEnded"]
        assert isinstance(notes.end.error, ZeroDivisionError)

    async def test_a_turn_that_is_never_read_is_not_told_of(self) -> None:
        turn, (notes,) = observed("a")
        await AgentStream(turn).aclose()
        assert notes.turn is None

    async def test_closing_between_two_items(self) -> None:
        turn, (notes,) = observed(["a", "b"])
        stream: AgentStream[Any] = AgentStream(turn)
        await anext(stream)
        await stream.aclose()
        assert notes.events[-4:] == [
            ChunkDelivered(StreamChunk("a")),
            RuleFired("calling-cancelled", "Cancelled"),
            ModelCallEnded(0),
            TurnEnded(None, None, Usage(unreported_calls=1)),
        ]
        await stream.aclose()
        assert notes.end.result is None

    async def test_a_step_that_is_thrown_away(self) -> None:
        async def wait() -> str:
            await Waiting()
            return ""

        notes = Notes()
        driver = ObservedDriver(turn_of(Scripted("a"), system_prompt=wait, observers=[notes]))
        step = driver.next()
        step.send(None)
        step.close()
        assert notes.names == ["TurnEnded"]
        await driver.aclose()
        assert notes.end.error is None

    async def test_nothing_comes_after_the_result(self) -> None:
        turn, (notes,) = observed("a")
        driver = ObservedDriver(turn)
        while not isinstance(item := await driver.next(), AgentResult):
            pass
        await driver.aclose()
        assert notes.end.result is item


class Failing:
    """An observer that fails where it is told to, and counts what it is told."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.told = 0

    def fail(self, here: str) -> None:
        if self.where == here:
            raise LookupError("SECRET")

    def observe(self, turn: ObservedTurn, /) -> Failing:
        self.fail("observe")
        return self

    def on_event(self, event: TurnEvent, /) -> None:
        self.told += 1
        self.fail("on_event")

    def around(self, part: object, /) -> Failing:
        self.fail("around")
        return self

    def __enter__(self) -> None:
        self.fail("enter")

    def __exit__(self, *error: object) -> bool:
        self.fail("exit")
        return True


@pytest.mark.parametrize("where", ["observe", "on_event", "around", "enter", "exit"])
async def test_an_observer_that_fails_does_not_break_the_turn(
    where: str, caplog: pytest.LogCaptureFixture
) -> None:
    failing, notes = Failing(where), Notes()
    observers: list[TurnObserver] = [failing, notes]
    turn = turn_of(Scripted([Scripted.call("act")], "ok"), tools=[act], observers=observers)
    stream: AgentStream[Any] = AgentStream(turn)
    await to_the_end(stream)
    assert stream.result.text == "ok"
    assert notes.end.result is stream.result
    (record,) = caplog.records
    assert record.getMessage() == "an observer is told nothing more of a turn: Failing raised LookupError"
    assert failing.told <= 3


async def test_an_observer_hides_no_exception() -> None:
    turn = turn_of(Scripted(ProviderError("down")), observers=[Failing("nowhere")])
    with pytest.raises(ProviderError):
        await to_the_end(AgentStream(turn))
