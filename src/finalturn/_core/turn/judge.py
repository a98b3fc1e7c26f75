"""Judges a finished response: does it ask for tools, is it the object, is it cut, empty or refused?"""

from __future__ import annotations

from finalturn._core.model import ModelResponse
from finalturn._core.output import Answer, Rejection
from finalturn._core.turn.inputs import Judged, Verdict
from finalturn._core.turn.setup import Mode
from finalturn._core.turn.state import Phase, State

CUT = Rejection(
    "the answer was cut by the token limit", "The answer was cut off. Give it whole, but shorter."
)
REFUSED = Rejection("the model refused to give the answer", "The answer was refused.")
EMPTY = Rejection("the model gave an empty answer", "The answer was empty. Give it.")


def judge(phase: Phase, state: State, response: ModelResponse) -> Judged:
    """Judge a response and settle what was held of its text."""
    if phase is Phase.SYNTHESIZING:
        return _judge_synthesis(state, response)
    settled, shown = _settle(state, response)
    judged = _judge_loop(state, response)
    return Judged(judged.verdict, response, judged.answer, judged.rejection, settled, shown)


def _settle(state: State, response: ModelResponse) -> tuple[str, str]:
    """What the call shows at its end, and all that it has shown."""
    if state.setup.single_pass:
        return "", ""
    if state.hold is None:
        return "", response.content
    settled = state.hold.finish()
    return settled, state.hold.shown


def _judge_loop(state: State, response: ModelResponse) -> Judged:
    mode = state.setup.mode
    if response.tool_calls:
        return Judged(Verdict.CALLS, response)
    if response.finish_reason == "refusal":
        return Judged(Verdict.REFUSED, response)
    if response.finish_reason == "length":
        return Judged(Verdict.CUT, response, rejection=CUT)
    if not response.content.strip():
        return Judged(Verdict.EMPTY, response, rejection=EMPTY)
    if mode is Mode.PLAIN:
        return Judged(Verdict.PLAIN, response)
    native = state.setup.native_loop
    return _validated(state, response, whole=mode is Mode.FINAL_TURN, native=native)


def _judge_synthesis(state: State, response: ModelResponse) -> Judged:
    """A synthesis answer: stray tool calls are dropped."""
    if response.finish_reason == "refusal":
        return Judged(Verdict.REFUSED, response, rejection=REFUSED)
    if response.finish_reason == "length":
        return Judged(Verdict.CUT, response, rejection=CUT)
    if not response.content.strip():
        return Judged(Verdict.INVALID, response, rejection=EMPTY)
    return _validated(state, response, whole=False, native=state.setup.native_synthesis)


def _validated(state: State, response: ModelResponse, *, whole: bool, native: bool) -> Judged:
    output = state.setup.judge_of(native=native)
    assert output is not None, "only a turn with a response_format is validated"
    verdict = output.reuse(response.content) if whole else output.extract(response.content)
    if isinstance(verdict, Answer):
        return Judged(Verdict.VALID, response, answer=verdict)
    return Judged(Verdict.INVALID, response, rejection=verdict)
