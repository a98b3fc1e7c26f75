"""Each path of a turn, on the machine alone: what is shown, asked for and concluded."""

from __future__ import annotations

import pytest

from finalturn._core.errors import ProviderError
from finalturn._core.messages import Role
from finalturn._core.result import Usage
from finalturn._core.tool_outcome import ToolOutcome
from finalturn._core.turn import Mode
from tests.core.turn._turns import INVALID, VALID, Point, asks, play, says, setup

FINAL = setup(Mode.FINAL_TURN)
DEFAULT = setup(Mode.DEFAULT)


def test_plain() -> None:
    played = play(setup(), says("hello"))
    done = played.done
    assert (played.content, done.content, done.text) == ("hello", "hello", "hello")
    assert done.message is not None and done.message.content == "hello"
    assert (done.structured_status, done.stop_reason, done.answer_call) == (None, "completed", 0)
    assert [m.role for m in done.messages] == [Role.USER, Role.ASSISTANT]


def test_plain_cut_by_the_token_limit() -> None:
    done = play(setup(), says("hel", finish_reason="length")).done
    assert (done.content, done.structured_status, done.stop_reason) == ("hel", None, "truncated")
    assert done.messages[-1].content == "hel"
    empty = play(setup(), says("", finish_reason="length")).done
    assert (empty.content, empty.message, empty.stop_reason) == ("", None, "truncated")


@pytest.mark.parametrize("turn", [setup(), DEFAULT, FINAL], ids=["plain", "default", "final"])
@pytest.mark.parametrize("text", ["I cannot help.", ""])
def test_refused(turn: object, text: str) -> None:
    done = play(turn, says(text, finish_reason="refusal")).done  # type: ignore[arg-type]
    assert (done.content, done.stop_reason, done.answer_call) == (text, "refused", None)
    assert done.structured_status == (None if turn == setup() else "not_attempted")
    assert done.message is None if not text else done.message is not None


def test_tools_then_prose() -> None:
    played = play(setup(), asks("f", "g", text="looking"), says("done"))
    done = played.done
    assert [m.role for m in done.messages] == [
        Role.USER,
        Role.ASSISTANT,
        Role.TOOL,
        Role.TOOL,
        Role.ASSISTANT,
    ]
    assert [m.tool_name for m in done.messages[2:4]] == ["f", "g"]
    assert done.messages[1].content == "looking"
    assert (done.text, done.content, done.answer_call, done.model_calls) == ("lookingdone", "done", 1, 2)
    assert [call.name for call in done.tool_calls] == ["f", "g"]
    assert played.requests[1].messages == done.messages[:-1]


def test_an_outcome_marks_success_by_its_result() -> None:
    outcomes = [ToolOutcome(1, "", None), ToolOutcome(0, "broke", "error")]
    done = play(setup(), asks("f", "g"), says("done"), outcomes=outcomes).done
    first, second = done.messages[2:4]
    assert (first.tool_name, first.content, first.tool_result, first.tool_call_id) == (
        "f",
        "broke",
        None,
        "c0",
    )
    assert (second.tool_name, second.content, second.tool_result) == ("g", "", "")


def test_terminal_tool() -> None:
    outcomes = [ToolOutcome(0, "a"), ToolOutcome(1, "b", terminal=True), ToolOutcome(2, "c", terminal=True)]
    done = play(FINAL, asks("f", "g", "h", text="handing over"), outcomes=outcomes).done
    assert (done.content, done.structured_status, done.stop_reason) == ("b", "not_attempted", "terminal_tool")
    assert done.message is not None and done.message.content == "handing over"
    assert len(done.messages) == 5


def test_iteration_limit() -> None:
    turn = setup(Mode.FINAL_TURN, max_iterations=2)
    played = play(turn, asks("f"), asks("f", text="again"))
    done = played.done
    assert (done.content, done.structured_status, done.stop_reason) == (
        "",
        "not_attempted",
        "iteration_limit",
    )
    assert done.message is not None and done.message.content == "again"
    assert done.messages[-1].role is Role.TOOL
    assert done.answer_call is None


def test_empty_is_asked_for_once_more() -> None:
    played = play(setup(max_iterations=1), says(" "), says("hello"))
    assert (played.done.content, played.done.model_calls, played.done.answer_call) == ("hello", 2, 1)
    twice = play(setup(), says(""), says(""))
    assert isinstance(twice.error, ProviderError) and twice.error.retryable
    assert twice.result is None


def test_empty_after_tools_completes() -> None:
    done = play(setup(), asks("f"), says(""), says("")).done
    assert (done.content, done.stop_reason, done.model_calls) == ("", "completed", 3)
    assert done.message is not None and done.message.tool_calls
    structured = play(DEFAULT, asks("f"), says(""), says("")).done
    assert (structured.structured_status, structured.content) == ("validation_failed", "")


def test_default_mode() -> None:
    played = play(DEFAULT, says(INVALID), says(f"Here: {VALID}"))
    done = played.done
    assert played.content == INVALID + f"Here: {VALID}"
    assert played.events == []
    assert (done.content, done.parsed, done.structured_status, done.answer_call) == (
        VALID,
        Point(x=1),
        "ok",
        1,
    )
    assert done.message is not None and (done.message.content, done.message.structured) == ("", VALID)
    assert len(done.messages) == 2
    assert {chunk.call for chunk in played.shown} == {0, 1}


def test_default_mode_gives_up() -> None:
    turn = setup(Mode.DEFAULT, max_retries=1, max_iterations=1)
    done = play(turn, says(INVALID), says("nonsense")).done
    assert (done.structured_status, done.content, done.parsed) == ("validation_failed", "nonsense", None)
    assert done.message is not None and done.message.content == "nonsense"
    assert done.structured_error and "nonsense" not in done.structured_error


def test_default_mode_takes_a_cut_answer_as_invalid() -> None:
    done = play(DEFAULT, says('{"x": 1', finish_reason="length"), says(VALID)).done
    assert (done.structured_status, done.model_calls) == ("ok", 2)


def test_reuse_signals_what_was_shown() -> None:
    played = play(FINAL, says(VALID))
    done = played.done
    assert (played.content, played.events) == (VALID, ["structured_reuse"])
    assert played.shown[-1].event and played.shown[-1].call == 0
    assert (done.content, done.parsed, done.text, done.model_calls) == (VALID, Point(x=1), VALID, 1)
    assert done.message is not None and (done.message.content, done.message.structured) == ("", VALID)


def test_reuse_off_synthesizes_without_asking() -> None:
    turn = setup(Mode.FINAL_TURN, reuse=False, asks=True)
    played = play(turn, says(VALID), says('{"x": 2}'))
    assert played.asked == []
    assert played.events == ["structured_synthesis_start"]
    assert played.done.parsed == Point(x=2)
    assert played.done.message is not None and played.done.message.content == VALID


def test_synthesis_is_silent() -> None:
    played = play(FINAL, says("prose"), says(VALID, reasoning="hmm"))
    done = played.done
    assert (played.content, played.events) == ("prose", ["structured_synthesis_start"])
    assert played.shown[-1].call == 1
    assert not any(chunk.reasoning for chunk in played.shown)
    assert (done.content, done.text, done.answer_call, done.structured_status) == (VALID, "prose", 1, "ok")
    assert done.message is not None and (done.message.content, done.message.structured) == ("prose", VALID)


def test_stray_calls_in_synthesis_are_dropped() -> None:
    stray = says(VALID, tool_calls=asks("f").tool_calls)
    played = play(FINAL, says("prose"), stray)
    assert (played.done.structured_status, played.done.tool_calls) == ("ok", ())


def test_retries_repeat_no_event() -> None:
    played = play(FINAL, says("prose"), says(INVALID), says(""), says(VALID))
    assert played.events == ["structured_synthesis_start"]
    assert (played.done.parsed, played.done.answer_call, played.done.model_calls) == (Point(x=1), 3, 4)


def test_retries_are_bounded() -> None:
    played = play(FINAL, says("prose"), *[says(INVALID)] * 3)
    done = played.done
    assert (done.structured_status, done.content, done.model_calls) == ("validation_failed", "prose", 4)
    assert done.message is not None and (done.message.content, done.message.structured) == ("prose", None)
    with pytest.raises(Exception, match="int_parsing at x") as caught:
        done.unwrap()
    assert getattr(caught.value, "rejected") == INVALID  # noqa: B009
    assert "one" not in str(caught.value)


@pytest.mark.parametrize(("reason", "words"), [("length", "cut"), ("refusal", "refused")])
def test_a_cut_or_refused_synthesis_is_not_retried(reason: str, words: str) -> None:
    played = play(FINAL, says("prose"), says('{"x": 1', finish_reason=reason))
    assert played.done.structured_status == "validation_failed"
    assert words in (played.done.structured_error or "")


def test_the_predicate_decides() -> None:
    turn = setup(Mode.FINAL_TURN, asks=True)
    skipped = play(turn, says("prose"), finalize=False)
    done = skipped.done
    assert (done.structured_status, done.content, done.answer_call, done.model_calls) == (
        "skipped",
        "prose",
        0,
        1,
    )
    assert skipped.events == []
    assert done.message is not None and done.message.content == "prose"
    assert skipped.asked[0].last_response_text == "prose"
    made = play(turn, says("prose"), says(VALID), finalize=True)
    assert (made.done.structured_status, made.events) == ("ok", ["structured_synthesis_start"])


def test_the_predicate_fails() -> None:
    error = RuntimeError("mine")
    played = play(setup(Mode.FINAL_TURN, asks=True), says("prose"), finalize=error)
    assert played.error is error
    assert played.result is None


def test_an_empty_converged_answer_goes_on_to_synthesis() -> None:
    played = play(FINAL, says(""), says(VALID))
    assert (played.done.structured_status, played.events) == ("ok", ["structured_synthesis_start"])
    asked = play(setup(Mode.FINAL_TURN, asks=True), says(""), finalize=False)
    assert (asked.done.structured_status, asked.done.message) == ("skipped", None)


def test_single_pass_shows_nothing() -> None:
    turn = setup(Mode.FINAL_TURN, single_pass=True, native_loop=True)
    played = play(turn, asks("f", text="looking"), says(VALID))
    assert (played.content, played.events, played.done.text) == ("", [], "")
    assert played.done.structured_status == "ok"
    assert played.done.messages[1].content == ""
    fallen = play(turn, says("prose"), says(VALID))
    assert (fallen.content, fallen.events) == ("", ["structured_synthesis_start"])
    skipped = play(setup(Mode.FINAL_TURN, single_pass=True, asks=True), says("prose"), finalize=False)
    assert skipped.done.message is not None and skipped.done.message.content == "prose"


def test_hold_hides_the_answer() -> None:
    turn = setup(Mode.FINAL_TURN, hold=True)
    reused = play(turn, says(f"```json\n{VALID}\n```"))
    assert (reused.content, reused.events, reused.done.structured_status) == ("", [], "ok")
    mixed = play(turn, says(f"Here it is.\n{VALID}\nBye."), says(VALID))
    assert VALID not in mixed.content
    assert "Here it is." in mixed.content and "Bye." in mixed.content
    assert mixed.events == ["structured_synthesis_start"]
    assert mixed.done.message is not None and mixed.done.message.content == mixed.content
    before_tools = play(turn, asks("f", text=f"Look.\n{VALID}"), says("done"), says(VALID))
    assert VALID not in before_tools.content
    assert VALID not in before_tools.done.messages[1].content


def test_hold_settles_what_is_undecided_at_the_end() -> None:
    turn = setup(Mode.FINAL_TURN, hold=True)
    played = play(turn, says('Look:\n{"other": '), says(VALID))
    assert played.content == 'Look:\n{"other": '
    skipped = play(setup(Mode.FINAL_TURN, hold=True, asks=True), says(INVALID), finalize=False)
    assert skipped.content == ""
    assert skipped.done.message is not None and skipped.done.message.content == INVALID
    assert skipped.asked[0].last_response_text == INVALID


def test_usage_counts_every_call() -> None:
    one = Usage(input_tokens=3, output_tokens=2, total_tokens=5)
    responses = [asks("f"), says("prose", usage=one), says(INVALID, usage=one), says(VALID)]
    usage = play(FINAL, *responses).done.usage
    assert usage == Usage(6, 0, 4, 0, 10, unreported_calls=2)


def test_a_failed_call_ends_the_turn() -> None:
    error = ProviderError("broke off")
    played = play(FINAL, asks("f"), error)
    assert (played.error, played.result) == (error, None)
