"""What rules show: one function for each thing that anyone can see."""

from __future__ import annotations

import pickle
from dataclasses import replace

from finalturn._core.chunks import NestedActivity, PartialObject, StreamChunk, StreamEvent
from finalturn._core.messages import Message, Role
from finalturn._core.model import ReasoningDelta, TextDelta
from finalturn._core.output.growing import GrowingObject
from finalturn._core.tool_outcome import ToolOutcome
from finalturn._core.turn import Judged, Mode, State, ToolsFinished, ToolShows, Verdict
from finalturn._core.turn import shows as shows
from finalturn._core.turn.messages import refusals
from finalturn._core.turn.state import HeldText
from tests.core.turn._turns import OUTPUT, VALID, asks, says, setup

STATE = State(setup(Mode.FINAL_TURN), call=3)


def test_text_is_shown_as_it_comes_and_never_empty() -> None:
    assert shows.content(STATE, TextDelta("a")) == (StreamChunk("a", call=3),)
    assert shows.content(STATE, TextDelta("")) == ()


def test_of_held_text_what_the_hold_lets_through() -> None:
    state = replace(STATE, hold=HeldText(OUTPUT))
    assert shows.content_past_the_hold(state, TextDelta("Hi.")) == (StreamChunk("Hi.", call=3),)
    assert shows.content_past_the_hold(state, TextDelta("\n" + VALID)) == ()
    assert shows.content_past_the_hold(STATE, TextDelta("Hi.")) == ()


def test_a_growing_object_is_shown_when_more_of_it_is_known() -> None:
    state = replace(STATE, growing=GrowingObject(OUTPUT))
    assert shows.partial_object(state, TextDelta('{"x": 1')) == ()
    (chunk,) = shows.partial_object(state, TextDelta("2}"))
    assert chunk == StreamChunk(partial=PartialObject({"x": 12}), call=3)
    assert hash(chunk) == hash(pickle.loads(pickle.dumps(chunk)))


def test_reasoning_has_its_own_field() -> None:
    assert shows.reasoning(STATE, ReasoningDelta("hm")) == (StreamChunk(reasoning="hm", call=3),)
    assert shows.reasoning(STATE, ReasoningDelta("")) == ()


def test_settled_text_is_shown_where_there_is_some() -> None:
    judged = Judged(Verdict.PLAIN, says("a{"), settled="{", shown="a{")
    assert shows.settled_text(STATE, judged) == (StreamChunk("{", call=3),)
    assert shows.settled_text(STATE, replace(judged, settled="")) == ()


def test_each_call_has_a_chunk_of_its_own() -> None:
    response = asks("f", "g")
    first, second = response.tool_calls
    assert shows.tool_calls(STATE, Judged(Verdict.CALLS, response)) == [
        StreamChunk(tool_calls=(first,), call=3),
        StreamChunk(tool_calls=(second,), call=3),
    ]


def test_what_an_agent_shows_in_a_tool_is_activity_of_the_call_that_asks_for_it() -> None:
    activity = NestedActivity("c1", "ask", StreamChunk("a", call=1), 1)
    assert shows.activity(STATE, ToolShows(activity)) == (StreamChunk(activity=activity, call=3),)


def test_each_outcome_has_one_in_call_order() -> None:
    batch = asks("f", "g", "h").tool_calls
    outcomes = (ToolOutcome(0, ""), None, ToolOutcome(2, "broke", "error"))
    state = replace(STATE, batch=batch, outcomes=outcomes)
    assert shows.tool_results(state, ToolsFinished()) == [
        StreamChunk(
            tool_message=Message(Role.TOOL, "", tool_name="f", tool_call_id="c0", tool_result=""), call=3
        ),
        StreamChunk(
            tool_message=Message(Role.TOOL, "broke", tool_name="h", tool_call_id="c2", tool_failure="error"),
            call=3,
        ),
    ]


def test_each_call_that_is_refused_has_one_in_call_order() -> None:
    refused = Judged(Verdict.CALLS, asks("f", "g"))
    assert shows.refused_calls(STATE, refused) == [
        StreamChunk(tool_message=message, call=3) for message in refusals(refused)
    ]


def test_an_event_carries_the_call_that_it_is_about() -> None:
    judged = Judged(Verdict.VALID, says(VALID))
    assert shows.reuse_event(STATE, judged) == (StreamChunk(event=StreamEvent.STRUCTURED_REUSE, call=3),)
    assert shows.synthesis_event(STATE, judged) == (
        StreamChunk(event=StreamEvent.STRUCTURED_SYNTHESIS_START, call=4),
    )
