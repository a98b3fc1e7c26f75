"""What rules ask the driver to do. Each takes the state after the rule's updates, and the input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from finalturn._core.errors import ProviderError
from finalturn._core.turn.actions import Action, AskFinalize, CallModel, Finish, Raise, RunTools, SaveTurn
from finalturn._core.turn.inputs import Failed, Judged
from finalturn._core.turn.messages import conversation
from finalturn._core.turn.requests import loop_request, synthesis_request
from finalturn._core.turn.state import State

Do: TypeAlias = Callable[[State, Any], Action]


def call_model(state: State, item: object) -> Action:
    """Make a loop call."""
    return CallModel(loop_request(state))


def synthesize(state: State, item: object) -> Action:
    """Make a synthesis call."""
    return CallModel(synthesis_request(state))


def run_tools(state: State, item: object) -> Action:
    """Run the batch."""
    return RunTools(state.batch, conversation(state))


def ask_finalize(state: State, item: Judged) -> Action:
    """Ask the predicate."""
    return AskFinalize(conversation(state), item.response.content)


def save(state: State, item: object) -> Action:
    """Save the turn."""
    assert state.result is not None, "a turn is saved once its result is known"
    return SaveTurn(state.result)


def finish(state: State, item: object) -> Action:
    """Deliver the result."""
    assert state.result is not None, "a turn finishes once its result is known"
    return Finish(state.result)


def raise_error(state: State, item: Failed) -> Action:
    """Raise what failed, unchanged."""
    return Raise(item.error)


def raise_empty(state: State, item: object) -> Action:
    """Give up on a model that says nothing."""
    return Raise(
        ProviderError("the model gave an empty answer twice; the same call may succeed later", retryable=True)
    )
