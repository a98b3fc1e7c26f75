"""What rules ask the driver to do."""

from __future__ import annotations

from dataclasses import replace

from finalturn._core.errors import ProviderError
from finalturn._core.messages import Message
from finalturn._core.turn import (
    AskFinalize,
    CallModel,
    Failed,
    Finish,
    Judged,
    Mode,
    Raise,
    RunTools,
    SaveTurn,
    State,
    Verdict,
)
from finalturn._core.turn import does as does
from finalturn._core.turn.requests import loop_request, synthesis_request
from tests.core.turn._turns import USER, asks, play, says, setup

STATE = State(setup(Mode.FINAL_TURN), call=0)
JUDGED = Judged(Verdict.INVALID, says("raw {text}"), shown="raw")


def test_calls_are_made_with_their_requests() -> None:
    assert does.call_model(STATE, None) == CallModel(loop_request(STATE))
    converged = replace(STATE, converged=JUDGED, call=1)
    assert does.synthesize(converged, None) == CallModel(synthesis_request(converged))


def test_tools_are_run_with_the_conversation_that_asks_for_them() -> None:
    calls = asks("f").tool_calls
    asking = Message.assistant("", tool_calls=calls)
    state = replace(STATE, batch=calls, added=(asking,))
    assert does.run_tools(state, None) == RunTools(calls, (*USER, asking))


def test_the_predicate_is_told_the_raw_text() -> None:
    assert does.ask_finalize(STATE, JUDGED) == AskFinalize(USER, "raw {text}")


def test_a_result_is_saved_and_then_delivered() -> None:
    result = play(setup(), says("hi")).done
    state = replace(STATE, result=result)
    assert does.save(state, None) == SaveTurn(result)
    assert does.finish(state, None) == Finish(result)


def test_a_failure_is_raised_unchanged() -> None:
    error = ValueError("mine")
    action = does.raise_error(STATE, Failed(error))
    assert isinstance(action, Raise) and action.error is error


def test_a_model_that_says_nothing_is_given_up() -> None:
    action = does.raise_empty(STATE, None)
    assert isinstance(action, Raise) and isinstance(action.error, ProviderError)
    assert action.error.retryable
