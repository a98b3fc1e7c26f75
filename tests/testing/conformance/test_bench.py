"""A provider on the bench."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, cast

import pytest

from finalturn import (
    ConfigurationError,
    Message,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ModelSettings,
    TextDelta,
    ToolCall,
)
from finalturn._testing.conformance.bench import Bench, NotRunError, UnansweredError, Way
from finalturn._testing.conformance.scene import Desk
from finalturn.providers import Scripted
from tests.testing._kits import ScriptedKit

ASKED = ModelRequest([Message.user("Hi")])
LOOKUP = Scripted.call("zq7xlookup", {"zq7xorder": "A-1"}, id="call_a")
WAYS: tuple[Way, ...] = ("stream", "complete")


def bench(provider: Any, way: Way = "stream") -> Bench:
    return Bench(provider, way, ScriptedKit())


class Odd:
    """Streams what is no event, and goes on after its end."""

    async def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        yield cast("Any", "Hel")
        yield TextDelta("lo")
        yield ModelEnd()
        yield ModelEnd("length")


@pytest.mark.anyio
@pytest.mark.parametrize("way", WAYS)
async def test_an_answer_is_read(way: Way) -> None:
    script = Scripted([Scripted.reasoning("hm"), "Hel", "lo", LOOKUP])
    answered = (await bench(script, way).ask(ASKED)).well()
    assert (answered.text, answered.reasoning, answered.unexpected_types) == ("Hello", "hm", [])
    assert answered.calls == (ToolCall("zq7xlookup", {"zq7xorder": "A-1"}, "call_a"),)
    assert [end.finish_reason for end in answered.ends] == ["tool_calls"]
    assert bool(answered.deltas) is (way == "stream")


@pytest.mark.anyio
async def test_it_is_read_past_its_end() -> None:
    answered = await bench(Odd()).ask(ASKED)
    assert [end.finish_reason for end in answered.ends] == ["stop", "length"]
    assert (answered.text, answered.unexpected_types) == ("lo", ["str"])


@pytest.mark.anyio
@pytest.mark.parametrize("way", WAYS)
async def test_what_it_raises_is_kept(way: Way) -> None:
    answered = await bench(Scripted(ConnectionError("gone")), way).ask(ASKED)
    assert isinstance(answered.error, ConnectionError)
    with pytest.raises(UnansweredError, match="the call raised ConnectionError"):
        answered.well()


@pytest.mark.anyio
@pytest.mark.parametrize("way", WAYS)
async def test_a_turn_is_played_by_one_way_and_recorded(way: Way) -> None:
    desk = Desk()
    found = bench(Scripted([Scripted.reasoning("hm"), LOOKUP], ["Hel", "lo"]), way)
    turn = await found.turn(tools=desk.tools())
    assert (turn.content, turn.reasoning, turn.result.content) == ("Hello", "hm", "Hello")
    assert desk.looked_up == ["A-1"]
    assert len([chunk for chunk in turn.chunks if chunk.content]) == (2 if way == "stream" else 1)
    assert len(found.traces) == 1


@pytest.mark.parametrize("way", WAYS)
def test_what_it_cannot_take_is_known_whichever_way_it_is_asked(way: Way) -> None:
    script = Scripted("Hello")
    script.unsupported_settings = frozenset({"seed"})  # type: ignore[attr-defined]  # pyright: ignore
    found = bench(script, way)
    assert found.unsupported_settings == {"seed"}
    with pytest.raises(ConfigurationError, match="'seed'"):
        found.agent(settings=ModelSettings(seed=7))


@pytest.mark.anyio
async def test_a_turn_that_raises_has_no_result() -> None:
    turn = await bench(Scripted(ConnectionError("gone"))).turn()
    with pytest.raises(UnansweredError, match="the turn raised ConnectionError"):
        _ = turn.result


def test_a_way_that_the_provider_lacks() -> None:
    with pytest.raises(NotRunError, match="the provider has no method stream"):
        bench(Scripted("a").whole_reply())
    with pytest.raises(NotRunError, match="the provider has no method complete"):
        bench(Scripted("a").sync_stream(), "complete")
