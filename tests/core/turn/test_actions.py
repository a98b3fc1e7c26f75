"""What the machine asks for is plain frozen values, and there are six kinds."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from typing import Any, get_args

import pytest

from finalturn._core.model import ModelRequest
from finalturn._core.turn import Action, AskFinalize, CallModel, Finish, Raise, RunTools, SaveTurn
from tests.core.turn._turns import USER, asks, play, says, setup

RESULT = play(setup(), says("hi")).done
ACTIONS: list[Any] = [
    CallModel(ModelRequest(USER)),
    RunTools(asks("f").tool_calls, USER),
    AskFinalize(USER, "text"),
    SaveTurn(RESULT),
    Finish(RESULT),
    Raise(ValueError("x")),
]


def test_these_are_all() -> None:
    assert [type(action) for action in ACTIONS] == list(get_args(Action))


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: type(action).__name__)
def test_an_action_is_frozen_and_is_no_other(action: Any) -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(action, fields(action)[0].name, None)
    assert [other for other in ACTIONS if other == action] == [action]
