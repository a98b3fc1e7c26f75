"""Agents that run as tools: what they show is told apart, and what they use counts."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn import Agent, Capabilities, Limits, StreamChunk, Usage
from finalturn.contract import CLOSE_STOPS_WORK, NESTED_ACTIVITY_APART, NESTED_AGENTS_COUNT
from finalturn.providers import Scripted
from tests.contract._http_drivers import HTTP_DRIVERS
from tests.contract._leave import Leave
from tests.contract._observed import Observed
from tests.contract._play import Play, agent_of
from tests.contract._proves import IN_PROCESS, STREAMING, proves
from tests.contract._scenes import LOOKUP, PROSE, SENTINEL, TEXT_TOOLS, fail, lookup
from tests.contract.test_leaving import Silence

ASK = Scripted.call("ask", {"task": "find it"})
ASK_AGAIN = Scripted.call("ask", {"task": "find more"})
SPENT = Usage(input_tokens=5, output_tokens=3, total_tokens=8)
INNER = Usage(input_tokens=7, output_tokens=1, total_tokens=8)
NARRATION = f"{SENTINEL} looks. "

Shown = pytest.mark.parametrize("show", [False, True], ids=["hidden", "shown"])


def asking(inner: Agent[Any], *, show: bool) -> Any:
    return inner.as_tool("ask", "Finds things out.", show=show)


def activity_of(observed: Observed) -> list[StreamChunk]:
    """What was shown of the agent, on a surface that carries chunks."""
    return [chunk.activity.chunk for chunk in observed.seen or () if chunk.activity is not None]


@proves(NESTED_ACTIVITY_APART)
@Shown
@pytest.mark.parametrize("capabilities", [Capabilities(), TEXT_TOOLS], ids=["native", "text"])
def test_what_it_shows_is_activity_of_its_call_and_nothing_else(
    play: Play, show: bool, capabilities: Capabilities
) -> None:
    thought = Scripted.reasoning(NARRATION)
    with play.model([thought, NARRATION, LOOKUP], ["It is ", "here."]) as model:
        tools = [asking(agent_of(model, tools=[lookup]), show=show), lookup]
        calls = ["Wait. ", ASK, LOOKUP] if capabilities.native_tools else [_in_text("Wait. ")]
        observed = play(calls, PROSE, tools=tools, capabilities=capabilities)
    assert observed.content == "Wait. Your order is on its way."
    result = observed.result
    assert result.text == observed.content
    assert [call.name for call in result.tool_calls] == ["ask", "lookup"]
    outcomes = [message.tool_result for message in result.messages if message.tool_name]
    assert outcomes == ["It is here.", "order A1 is on its way"]
    assert SENTINEL not in repr((result, observed.saved, observed.requests))
    assert show or SENTINEL not in observed.wire
    if not observed.carries_chunks:
        return
    shown = activity_of(observed)
    if not show:
        assert shown == []
        return
    assert "".join(chunk.content for chunk in shown) == f"{NARRATION}It is here."
    assert "".join(chunk.reasoning for chunk in shown) == NARRATION
    assert [chunk.tool_calls[0].name for chunk in shown if chunk.tool_calls] == ["lookup"]
    results = [chunk.tool_message for chunk in shown if chunk.tool_message is not None]
    assert [message.tool_result for message in results] == ["order A1 is on its way"]
    assert [chunk.call for chunk in shown] == sorted(chunk.call for chunk in shown)
    assert observed.shape == [
        "content@0",
        "call:ask@0",
        "call:lookup@0",
        "activity:ask.0@0",
        "result:ask@0",
        "result:lookup@0",
        "content@1",
    ]
    assert "".join(chunk.content for chunk in observed.chunks) == observed.content


def _in_text(text: str) -> str:
    calls = (
        '{"name": "ask", "arguments": {"task": "find it"}}',
        '{"name": "lookup", "arguments": {"order": "A1"}}',
    )
    return text + "".join(f"<tool_call>{call}</tool_call>" for call in calls)


@proves(NESTED_ACTIVITY_APART, drivers=STREAMING)
def test_each_piece_names_its_call_and_one_agent_speaks_after_the_other(play: Play) -> None:
    with play.model("one", "two") as lowest_model, play.model([ASK], "up", [ASK], "up") as model:
        middle = agent_of(model, tools=[asking(agent_of(lowest_model), show=True)])
        tools = [lookup, asking(middle, show=True)]
        observed = play([LOOKUP], [LOOKUP, ASK, ASK_AGAIN], PROSE, tools=tools)
    assert {chunk.call for chunk in observed.chunks if chunk.activity is not None} == {1}
    pieces = [chunk.activity for chunk in observed.chunks if chunk.activity is not None]
    assert [piece.tool for piece in pieces] == ["ask"] * len(pieces)
    assert sorted({piece.index for piece in pieces}) == [1, 2]
    assert [piece.index for piece in pieces] == sorted(piece.index for piece in pieces)
    asked = {call.id for call in observed.result.tool_calls if call.name == "ask"}
    assert {piece.call_id for piece in pieces} == asked
    deeper = [piece.chunk.activity for piece in pieces if piece.chunk.activity is not None]
    assert "".join(one.chunk.content for one in deeper) == "onetwo"


@proves(NESTED_ACTIVITY_APART, drivers=STREAMING)
def test_what_a_tool_of_it_raises_stays_where_it_is(play: Play) -> None:
    with play.model([Scripted.call("fail", {"order": "A1"})], "It failed.") as model:
        inner = agent_of(model, tools=[fail])
        observed = play([ASK], PROSE, tools=[asking(inner, show=True)])
    [failed] = [chunk.tool_message for chunk in activity_of(observed) if chunk.tool_message is not None]
    assert failed.content == ("the tool failed" if play.over_http else "ValueError: no such order")
    assert not play.over_http or "no such order" not in observed.wire


@proves(NESTED_AGENTS_COUNT)
@Shown
def test_what_it_uses_counts_and_its_calls_are_its_own(play: Play, show: bool) -> None:
    with play.model([LOOKUP, INNER], ["7", INNER], ["8", INNER]) as model:
        inner = asking(agent_of(model, tools=[lookup]), show=show)
        observed = play([ASK, ASK_AGAIN, SPENT], [*PROSE, SPENT], tools=[inner], parallel_tools=False)
    result = observed.result
    assert result.usage == SPENT + SPENT + INNER + INNER + INNER
    assert (result.model_calls, result.answer_call) == (2, 1)


@proves(NESTED_AGENTS_COUNT)
@Shown
def test_what_it_has_used_counts_when_it_fails(play: Play, show: bool) -> None:
    with play.model([LOOKUP, INNER], [Scripted.CUT]) as model:
        inner = asking(agent_of(model, tools=[lookup]), show=show)
        observed = play([ASK, SPENT], [*PROSE, SPENT], tools=[inner])
    result = observed.result
    assert [message.tool_failure for message in result.messages if message.tool_name] == ["error"]
    assert result.usage == SPENT + SPENT + INNER + Usage(unreported_calls=1)


@proves(NESTED_AGENTS_COUNT)
@Shown
def test_limits_of_the_outer_turn_hold_in_it(play: Play, show: bool) -> None:
    with play.model([LOOKUP, INNER], then="never") as model:
        inner = asking(agent_of(model, tools=[lookup]), show=show)
        observed = play([ASK, SPENT], tools=[inner], limits=Limits(requests=2))
        assert len(model.requests) == 1
    result = observed.result
    assert (result.stop_reason, result.limit) == ("limit_reached", "requests")
    assert result.usage == SPENT + INNER
    [outcome] = [message for message in result.messages if message.tool_name]
    assert outcome.tool_failure == "tool_error"
    assert outcome.content.endswith("it reached its limit of requests to the model.")


LEFT_FROM_OUTSIDE = [driver for driver in (*IN_PROCESS, *HTTP_DRIVERS) if driver != "run"]


@proves(CLOSE_STOPS_WORK, drivers=LEFT_FROM_OUTSIDE)
@Shown
def test_leaving_stops_an_agent_that_runs_as_a_tool(play: Play, show: bool) -> None:
    silence = Silence(play)
    with (
        play.over_sockets.model([silence.item, LOOKUP], then="never") as model,
        play.over_sockets.model([ASK], then="never") as outer,
    ):

        def stopped() -> None:
            if play.kind.startswith("sync"):
                assert model.under_way == 1
            else:
                model.wait_until(lambda: (model.under_way, model.abandoned) == (0, 1))
            silence.over.set()

        tools = [asking(agent_of(model, tools=[lookup]), show=show)]
        leave = Leave(when=silence.begun, then=stopped)
        observed = play.turn(outer, tools=tools, leave=leave)
        assert len(model.requests) == 1
    assert (observed.error, observed.results, observed.saved) == (None, [], ())
    assert len(observed.requests) == 1
