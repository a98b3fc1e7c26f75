"""What a finished response is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from finalturn._core.messages import ToolCall
from finalturn._core.model import FinishReason, ModelResponse
from finalturn._core.turn import Mode, Phase, State, Verdict
from finalturn._core.turn.held import HeldText
from finalturn._core.turn.judge import judge
from tests.core.turn._turns import INVALID, OUTPUT, VALID, Point, asks, says, setup

PLAIN, DEFAULT, FINAL = Mode.PLAIN, Mode.DEFAULT, Mode.FINAL_TURN


@pytest.mark.parametrize(
    ("mode", "response", "verdict"),
    [
        (PLAIN, says("hi"), Verdict.PLAIN),
        (PLAIN, says(VALID), Verdict.PLAIN),
        (PLAIN, says(), Verdict.EMPTY),
        (PLAIN, says(" \n"), Verdict.EMPTY),
        (PLAIN, says("hi", finish_reason="length"), Verdict.CUT),
        (PLAIN, says("", finish_reason="length"), Verdict.CUT),
        (PLAIN, says("", finish_reason="refusal"), Verdict.REFUSED),
        (DEFAULT, says(VALID), Verdict.VALID),
        (DEFAULT, says(f"Here: {VALID}"), Verdict.VALID),
        (DEFAULT, says(INVALID), Verdict.INVALID),
        (DEFAULT, says(VALID, finish_reason="length"), Verdict.CUT),
        (DEFAULT, says(VALID, finish_reason="refusal"), Verdict.REFUSED),
        (DEFAULT, says(), Verdict.EMPTY),
        (FINAL, says(VALID), Verdict.VALID),
        (FINAL, says(f"```json\n{VALID}\n```"), Verdict.VALID),
        (FINAL, says(f"Here: {VALID}"), Verdict.INVALID),
        (FINAL, says("prose"), Verdict.INVALID),
        (FINAL, says(VALID, finish_reason="length"), Verdict.CUT),
        (FINAL, says(VALID, finish_reason="refusal"), Verdict.REFUSED),
        (FINAL, says(" "), Verdict.EMPTY),
    ],
)
def test_a_loop_answer(mode: Mode, response: ModelResponse, verdict: Verdict) -> None:
    judged = judge(Phase.CALLING, State(setup(mode)), response)
    assert (judged.verdict, judged.response) == (verdict, response)
    assert (judged.answer is not None) == (verdict is Verdict.VALID)
    rejected = verdict in (Verdict.INVALID, Verdict.CUT, Verdict.EMPTY)
    assert (judged.rejection is not None) == rejected
    assert (judged.shown, judged.settled) == (response.content, "")


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("text", ["", "Look.", VALID])
@pytest.mark.parametrize("reason", ["stop", "length", "refusal", "tool_calls"])
def test_calls_decide_and_not_the_finish_reason(mode: Mode, text: str, reason: FinishReason) -> None:
    response = ModelResponse(text, tool_calls=(ToolCall("f", {}, "c0"),), finish_reason=reason)
    assert judge(Phase.CALLING, State(setup(mode)), response).verdict is Verdict.CALLS


@pytest.mark.parametrize("text", ["hi", ""])
def test_a_reason_without_calls_is_no_call(text: str) -> None:
    response = says(text, finish_reason="tool_calls")
    verdict = judge(Phase.CALLING, State(setup()), response).verdict
    assert verdict is (Verdict.PLAIN if text else Verdict.EMPTY)


@pytest.mark.parametrize(
    ("response", "verdict", "reason"),
    [
        (says(VALID), Verdict.VALID, None),
        (says(f"Sure:\n```json\n{VALID}\n```"), Verdict.VALID, None),
        (says(f"hm</think>{VALID}"), Verdict.VALID, None),
        (says(INVALID), Verdict.INVALID, "x"),
        (says(), Verdict.INVALID, "empty"),
        (says(" "), Verdict.INVALID, "empty"),
        (says(VALID[:-1], finish_reason="length"), Verdict.CUT, "token limit"),
        (says("", finish_reason="length"), Verdict.CUT, "token limit"),
        (says("", finish_reason="refusal"), Verdict.REFUSED, "refused"),
        (says(VALID, finish_reason="refusal"), Verdict.REFUSED, "refused"),
    ],
)
def test_a_synthesis_answer(response: ModelResponse, verdict: Verdict, reason: str | None) -> None:
    judged = judge(Phase.SYNTHESIZING, State(setup(FINAL)), response)
    assert judged.verdict is verdict
    assert (judged.shown, judged.settled) == ("", "")
    if reason is None:
        assert judged.answer is not None and judged.answer.value == Point(x=1)
    else:
        assert judged.rejection is not None and reason in judged.rejection.reason


def test_stray_calls_do_not_keep_a_synthesis_from_being_judged_by_its_text() -> None:
    response = asks("f", text=VALID)
    assert judge(Phase.SYNTHESIZING, State(setup(FINAL)), response).verdict is Verdict.VALID
    assert judge(Phase.SYNTHESIZING, State(setup(FINAL)), asks("f")).verdict is Verdict.INVALID


@pytest.mark.parametrize("response", [says("Hi"), says(VALID), asks("f", text="Hi")])
def test_single_pass_has_shown_nothing(response: ModelResponse) -> None:
    judged = judge(Phase.CALLING, State(setup(FINAL, single_pass=True)), response)
    assert (judged.shown, judged.settled) == ("", "")


@pytest.mark.parametrize(
    ("text", "shown", "settled"),
    [
        (f"Hi.\n{VALID}", "Hi.", ""),
        ('Hi.\n{"port": ', 'Hi.\n{"port": ', '\n{"port": '),
        ("Hi. \n", "Hi. \n", " \n"),
    ],
)
def test_what_was_held_is_settled(text: str, shown: str, settled: str) -> None:
    held = HeldText(OUTPUT)
    for letter in text:
        held.feed(letter)
    judged = judge(Phase.CALLING, State(setup(FINAL, hold=True), hold=held), says(text))
    assert (judged.shown, judged.settled) == (shown, settled)


def test_a_response_is_validated_once() -> None:
    asked: list[str] = []

    class Counted:
        def reuse(self, text: str) -> Any:
            asked.append(text)
            return OUTPUT.reuse(text)

    state = State(replace(setup(FINAL), output=cast("Any", Counted())))
    judge(Phase.CALLING, state, says(VALID))
    assert asked == [VALID]
