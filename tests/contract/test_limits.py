"""Turns that reach a limit of time. Where other limits end a turn, the paths tell."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn import Limits, Message, Role, SessionHistory, StructuredOutputError, Usage, tool
from finalturn._core.observers import (
    ChunkDelivered,
    ModelCallStarted,
    PredicateAsked,
)
from finalturn.contract import (
    EXPLICIT_OUTCOME,
    HISTORY_IS_WHAT_WAS_SHOWN,
    HISTORY_REPLAYABLE,
    LIMITS_END_CLEANLY,
    USAGE_COMPLETE,
)
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from tests.contract._late import Late, clock
from tests.contract._observed import Observed
from tests.contract._play import Play
from tests.contract._proves import IN_PROCESS, STREAMING, proves
from tests.contract._scenes import (
    ANSWER,
    COMBINED,
    FINAL,
    HOLD,
    INVALID,
    LOOKUP,
    SINGLE,
    Ticket,
    lookup,
    skipping,
)

SPENT = Usage(input_tokens=5, output_tokens=3, total_tokens=8)
STOPPED = Usage(unreported_calls=1)
MINUTE = Limits(seconds=60)


def ends_by_time(observed: Observed, content: str, text: str, model_calls: int, usage: Usage) -> None:
    """Assert how the turn ended."""
    result = observed.result
    assert (result.stop_reason, result.limit) == ("limit_reached", "seconds")
    assert (result.content, result.text) == (content, text)
    assert (result.model_calls, result.usage) == (model_calls, usage)
    assert (result.parsed, result.answer_call) == (None, None)
    assert observed.told(observed.saved) == result.messages
    assert len(observed.requests) == model_calls


@proves(LIMITS_END_CLEANLY)
@pytest.mark.parametrize("structured", [True, False])
def test_time_that_is_up_before_the_first_call_leaves_the_question(play: Play, structured: bool) -> None:
    with clock() as told:

        def prompt() -> str:
            told.an_hour_passes()
            return "Be brief."

        response_format = Ticket if structured else None
        observed = play("never", system_prompt=prompt, response_format=response_format, limits=MINUTE)
    ends_by_time(observed, "", "", 0, Usage())
    assert observed.result.messages == observed.told([Message.user("Where is my order?")])
    assert observed.result.structured_status == ("not_attempted" if structured else None)


@proves(LIMITS_END_CLEANLY)
def test_once_time_is_up_nothing_more_is_made_ready(play: Play) -> None:
    with clock() as told:

        class Slow(InMemorySessions):
            def load(self, session: str) -> SessionHistory:
                told.an_hour_passes()
                return super().load(session)

        def never() -> str:
            raise AssertionError("the time is up")

        observed = play("never", system_prompt=never, sessions=Slow(), limits=MINUTE)
    ends_by_time(observed, "", "", 0, Usage())


@proves(LIMITS_END_CLEANLY)
def test_time_that_is_up_when_tools_are_done_keeps_their_results(play: Play) -> None:
    with clock() as told:

        @tool
        async def work() -> str:
            told.an_hour_passes()
            return "done"

        observed = play(["Look. ", Scripted.call("work", {}), SPENT], tools=[work], limits=MINUTE)
    ends_by_time(observed, "", "Look. ", 1, SPENT)
    assert [(m.content, m.tool_failure) for m in observed.saved if m.role is Role.TOOL] == [("done", None)]


@proves(LIMITS_END_CLEANLY, HISTORY_REPLAYABLE)
def test_tools_that_time_does_not_allow_are_answered_and_not_run(play: Play) -> None:
    with clock() as told:
        late = Late(told, ChunkDelivered, 2)
        observed = play(
            ["Look. ", LOOKUP, SPENT], tools=[lookup], limits=MINUTE, observers=[late], parallel_tools=False
        )
    ends_by_time(observed, "", "Look. ", 1, SPENT)
    (answered,) = [message for message in observed.saved if message.role is Role.TOOL]
    assert (answered.content, answered.tool_failure) == (
        "This call was not run: the turn is out of time.",
        "timeout",
    )
    assert answered.tool_call_id == observed.saved[1].tool_calls[0].id


@proves(
    LIMITS_END_CLEANLY,
    EXPLICIT_OUTCOME,
    HISTORY_IS_WHAT_WAS_SHOWN,
    USAGE_COMPLETE,
    kinds=["streaming", "sync-stream"],
)
@pytest.mark.parametrize("structured", [True, False])
def test_a_call_that_takes_too_long_leaves_what_was_shown(play: Play, structured: bool) -> None:
    with clock() as told:
        observed = play(
            ["Your ", told.an_hour_passes, "order ", "is on its way.", SPENT],
            response_format=Ticket if structured else None,
            config=FINAL if structured else None,
            limits=MINUTE,
        )
    ends_by_time(observed, "Your order ", "Your order ", 1, STOPPED)
    assert observed.result.message == Message.assistant("Your order ")
    assert observed.result.structured_status == ("not_attempted" if structured else None)


@proves(LIMITS_END_CLEANLY, kinds=["streaming", "sync-stream"])
def test_of_a_held_text_what_was_released_is_left(play: Play) -> None:
    with clock() as told:
        observed = play(
            ["Look.", '\n{"topic": ', told.an_hour_passes, '"t"}'],
            response_format=Ticket,
            config=HOLD,
            limits=MINUTE,
        )
    ends_by_time(observed, "Look.", "Look.", 1, STOPPED)


@proves(LIMITS_END_CLEANLY, kinds=["streaming", "sync-stream"])
def test_of_a_suppressed_text_nothing_is_left(play: Play) -> None:
    with clock() as told:
        observed = play(
            [told.an_hour_passes, '{"topic": ', '"t"}'],
            response_format=Ticket,
            config=SINGLE,
            capabilities=COMBINED,
            limits=MINUTE,
        )
    ends_by_time(observed, "", "", 1, STOPPED)
    assert observed.result.message is None


@proves(LIMITS_END_CLEANLY)
def test_a_call_that_time_does_not_allow_is_stopped_before_its_first_word(play: Play) -> None:
    with clock() as told:
        late = Late(told, ModelCallStarted, 2)
        model = (["Look. ", LOOKUP, SPENT], "never")
        observed = play(*model, tools=[lookup], limits=MINUTE, observers=[late])
    result = observed.result
    assert (result.limit, result.text, result.content) == ("seconds", "Look. ", "")
    assert (result.usage, result.model_calls) == (SPENT + STOPPED, 2)


@proves(LIMITS_END_CLEANLY, EXPLICIT_OUTCOME, HISTORY_IS_WHAT_WAS_SHOWN, USAGE_COMPLETE)
@pytest.mark.parametrize("wanted", [True, False])
def test_a_predicate_that_time_does_not_allow_is_not_asked(play: Play, wanted: bool) -> None:
    with clock() as told:
        late = Late(told, PredicateAsked)
        observed = play(
            ["Done.", SPENT],
            response_format=Ticket,
            config=skipping(not wanted),
            limits=MINUTE,
            observers=[late],
        )
    ends_by_time(observed, "Done.", "Done.", 1, SPENT)
    assert observed.result.structured_status == "not_attempted"


@proves(LIMITS_END_CLEANLY, EXPLICIT_OUTCOME, HISTORY_IS_WHAT_WAS_SHOWN, USAGE_COMPLETE)
def test_a_synthesis_that_takes_too_long_leaves_the_prose(play: Play) -> None:
    with clock() as told:
        late = Late(told, ModelCallStarted, 2)
        observed = play(
            ["Done.", SPENT], ANSWER, response_format=Ticket, config=FINAL, limits=MINUTE, observers=[late]
        )
    result = observed.result
    assert (result.limit, result.content, result.text) == ("seconds", "Done.", "Done.")
    assert (result.structured_status, result.parsed) == ("not_attempted", None)
    assert (result.usage, result.model_calls) == (SPENT + STOPPED, 2)
    assert observed.told(observed.saved) == result.messages


@proves(LIMITS_END_CLEANLY, drivers=STREAMING, kinds=["streaming", "sync-stream"])
def test_a_stop_shows_nothing(play: Play) -> None:
    with clock() as told:
        observed = play(["Your ", told.an_hour_passes, "order ", "is on its way."], limits=MINUTE)
        assert observed.shape == ["content@0"]
        for kind, number, shape in (
            (PredicateAsked, 1, ["content@0"]),
            (ModelCallStarted, 2, ["content@0", "event:structured_synthesis_start@1"]),
        ):
            late = Late(told, kind, number)
            parts: dict[str, Any] = {"response_format": Ticket, "config": skipping(False)}
            observed = play("Done.", ANSWER, limits=MINUTE, observers=[late], **parts)
            assert (observed.shape, observed.result.limit) == (shape, "seconds")


@proves(LIMITS_END_CLEANLY, drivers=IN_PROCESS)
def test_the_text_that_did_not_validate_can_be_looked_at(play: Play) -> None:
    result = play(INVALID, response_format=Ticket, limits=Limits(requests=1)).result
    with pytest.raises(StructuredOutputError) as caught:
        result.unwrap()
    assert caught.value.rejected == INVALID


@proves(LIMITS_END_CLEANLY, drivers=STREAMING)
def test_no_call_is_announced_that_does_not_begin(play: Play) -> None:
    for limits in (Limits(requests=1), Limits(total_tokens=8)):
        observed = play(["Done.", SPENT], response_format=Ticket, config=FINAL, limits=limits)
        assert observed.shape == ["content@0"]


@proves(LIMITS_END_CLEANLY, drivers=IN_PROCESS)
def test_in_time_a_limit_changes_nothing(play: Play) -> None:
    with clock():
        for limits in (MINUTE, Limits(requests=2, tool_calls=1, total_tokens=17)):
            model: list[Any] = [["Look. ", LOOKUP, SPENT], [ANSWER, SPENT]]
            result = play(*model, tools=[lookup], response_format=Ticket, limits=limits).result
            assert (result.structured_status, result.stop_reason, result.limit) == ("ok", "completed", None)
