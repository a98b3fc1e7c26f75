"""The results that turns end with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from finalturn._core.errors import StructuredOutputError
from finalturn._core.messages import Message, Role
from finalturn._core.output import Answer
from finalturn._core.result import AgentResult, ProviderSwitch, Usage
from finalturn._core.tool_outcome import ToolOutcome
from finalturn._core.turn import Decided, Judged, LimitReached, Mode, State, ToolsFinished, Verdict
from finalturn._core.turn import results as results
from finalturn._core.turn.state import Rejected
from tests.core.turn._turns import USER, VALID, Point, asks, says, setup

CALLING = Message.assistant("Look. ", tool_calls=asks("f").tool_calls)
TOLD = Message(Role.TOOL, "done", tool_name="f", tool_call_id="c0", tool_result="done")
STATE = State(
    setup(Mode.FINAL_TURN),
    call=2,
    added=(CALLING, TOLD),
    texts=("Look. ", "Done."),
    calls=asks("f").tool_calls,
    usage=Usage(3),
    switches=(ProviderSwitch(0, "a", "b", "down", 503, None),),
)
PLAIN = replace(STATE, setup=setup())
PROSE = Judged(Verdict.INVALID, says("Done. {x}"), shown="Done.")
ANSWER = Judged(Verdict.VALID, says(f"```\n{VALID}\n```"), Answer(VALID, Point(x=1)), shown="```")
CONVERGED = replace(STATE, converged=PROSE)
FAILED = replace(STATE, rejected=Rejected("bad text", "x: missing", "Add x."))


def end(update: Callable[[State, Any], State], state: State, item: object = None) -> AgentResult[Any]:
    after = update(state, item)
    assert after.result is not None and replace(after, result=None) == state
    return after.result


@pytest.mark.parametrize(
    ("update", "state", "item", "status", "stop", "content", "bubble", "answer_call"),
    [
        (results.end_plain, PLAIN, PROSE, None, "completed", "Done. {x}", "Done. {x}", 2),
        (results.end_cut, PLAIN, PROSE, None, "truncated", "Done. {x}", "Done. {x}", 2),
        (results.end_refused, STATE, PROSE, "not_attempted", "refused", "Done. {x}", "Done.", None),
        (results.end_refused, PLAIN, PROSE, None, "refused", "Done. {x}", "Done.", None),
        (results.end_answered, STATE, ANSWER, "ok", "completed", VALID, "", 2),
        (results.end_synthesized, CONVERGED, ANSWER, "ok", "completed", VALID, "Done.", 2),
        (results.end_synthesized, STATE, ANSWER, "ok", "completed", VALID, "", 2),
        (results.end_skipped, CONVERGED, None, "skipped", "completed", "Done. {x}", "Done.", 2),
        (
            results.end_unvalidated,
            FAILED,
            PROSE,
            "validation_failed",
            "completed",
            "Done. {x}",
            "Done.",
            None,
        ),
        (
            results.end_unvalidated,
            replace(FAILED, converged=PROSE),
            ANSWER,
            "validation_failed",
            "completed",
            "Done. {x}",
            "Done.",
            None,
        ),
    ],
)
def test_an_end_with_a_last_message(
    update: Any, state: State, item: Any, status: str | None, stop: str, content: str, bubble: str,
    answer_call: int | None,
) -> None:  # fmt: skip
    result = end(update, state, item)
    assert (result.structured_status, result.stop_reason, result.content) == (status, stop, content)
    assert result.answer_call == answer_call
    structured = VALID if status == "ok" else None
    assert result.message == Message(Role.ASSISTANT, bubble, structured=structured)
    assert result.messages == (*USER, CALLING, TOLD, result.message)
    assert result.parsed == (Point(x=1) if status == "ok" else None)


@pytest.mark.parametrize("state", [STATE, PLAIN], ids=["structured", "plain"])
def test_an_end_within_the_loop(state: State) -> None:
    status = "not_attempted" if state is STATE else None
    outcomes = (ToolOutcome(0, "a"), ToolOutcome(1, "b", terminal=True), ToolOutcome(2, "c", terminal=True))
    ended = end(results.end_terminal_tool, replace(state, outcomes=(None, *outcomes)))
    assert (ended.content, ended.structured_status, ended.stop_reason) == ("b", status, "terminal_tool")
    spent = end(results.end_iteration_limit, state)
    assert (spent.content, spent.structured_status, spent.stop_reason) == ("", status, "iteration_limit")
    for result in (ended, spent):
        assert result.message is CALLING
        assert result.messages == (*USER, CALLING, TOLD)
        assert result.answer_call is None


@pytest.mark.parametrize("state", [STATE, PLAIN], ids=["structured", "plain"])
def test_a_limit_within_the_loop_leaves_no_text(state: State) -> None:
    status = "not_attempted" if state is STATE else None
    for result in (
        end(results.end_limited, state, ToolsFinished("tool_calls")),
        end(results.end_tool_limit, state, Judged(Verdict.CALLS, asks("f"))),
    ):
        assert (result.content, result.structured_status, result.stop_reason) == ("", status, "limit_reached")
        assert (result.limit, result.answer_call) == ("tool_calls", None)
        assert result.message is CALLING


@pytest.mark.parametrize(
    ("state", "item"),
    [
        (STATE, replace(PROSE, limit="requests")),
        (CONVERGED, replace(ANSWER, limit="requests")),
        (CONVERGED, Decided(True, "requests")),
        (CONVERGED, LimitReached("requests", "not said")),
    ],
    ids=["an answer", "a synthesis", "a decision", "a stop"],
)
def test_a_limit_leaves_the_text_that_the_loop_ended_with(state: State, item: Any) -> None:
    result = end(results.end_limited, state, item)
    assert (result.content, result.message) == ("Done. {x}", Message.assistant("Done."))
    assert (result.stop_reason, result.limit, result.answer_call) == ("limit_reached", "requests", None)
    assert (result.structured_status, result.structured_error) == ("not_attempted", None)


def test_a_limit_in_the_middle_of_a_call_leaves_what_was_shown() -> None:
    result = end(results.end_limited, STATE, LimitReached("seconds", "Done. {x"))
    assert (result.content, result.message) == ("Done.", Message.assistant("Done."))
    assert (result.limit, result.answer_call) == ("seconds", None)


def test_a_limit_after_an_answer_that_did_not_validate_says_why() -> None:
    result = end(results.end_limited, FAILED, LimitReached("seconds"))
    assert (result.structured_status, result.structured_error) == ("validation_failed", "x: missing")
    with pytest.raises(Exception, match="x: missing") as caught:
        result.unwrap()
    assert getattr(caught.value, "rejected", None) == "bad text"


def test_without_an_answer_unwrap_says_which_limit() -> None:
    result = end(results.end_limited, STATE, ToolsFinished("seconds"))
    with pytest.raises(StructuredOutputError, match="the turn reached its limit of time"):
        result.unwrap()


def test_every_end_says_what_the_turn_did() -> None:
    result = end(results.end_plain, PLAIN, PROSE)
    assert (result.text, result.usage, result.model_calls) == ("Look. Done.", Usage(3), 3)
    assert result.tool_calls == asks("f").tool_calls
    assert result.switches == STATE.switches


def test_a_failed_validation_says_why_and_keeps_the_text_apart() -> None:
    result = end(results.end_unvalidated, FAILED, PROSE)
    assert result.structured_error == "x: missing"
    assert "bad text" not in repr(result)
    with pytest.raises(Exception, match="x: missing") as caught:
        result.unwrap()
    assert getattr(caught.value, "rejected", None) == "bad text"


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_turn_that_said_nothing_has_no_message(text: str) -> None:
    nothing = replace(PLAIN, added=(), texts=(text,))
    for update in (results.end_plain, results.end_cut, results.end_refused):
        result = end(update, nothing, Judged(Verdict.REFUSED, says(text), shown=text))
        assert (result.message, result.messages, result.content) == (None, USER, text)


def test_an_answer_without_prose_is_a_message_all_the_same() -> None:
    result = end(results.end_synthesized, replace(STATE, added=()), ANSWER)
    assert result.messages == (*USER, Message(Role.ASSISTANT, "", structured=VALID))
