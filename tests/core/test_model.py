"""Requests and answers are plain frozen values."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any, get_args

import pytest

from finalturn._core import model
from finalturn._core.messages import Message, ToolCall
from finalturn._core.model import (
    Capabilities,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    ModelSettings,
    OutputSchema,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
    ToolSpec,
)
from finalturn._core.result import ProviderSwitch, Usage

SWITCH = ProviderSwitch(0, "a", "b", "down", 503, "overloaded")
VALUES: list[Any] = [
    Capabilities(native_schema=True),
    ModelSettings(temperature=0.5),
    ToolSpec("f", "Does f.", {"type": "object"}),
    OutputSchema("answer", {"type": "object"}),
    ModelRequest((Message.user("hi"),), "be brief"),
    ModelResponse("hi", "hm", (ToolCall("f"),), "tool_calls", Usage(1), (SWITCH,)),
    TextDelta("a"),
    ReasoningDelta("a"),
    ToolCallDelta(0, "c1", "f", "{}"),
    ModelEnd("stop", Usage(1), (SWITCH,)),
    SWITCH,
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_is_frozen_compared_and_pickled(value: Any) -> None:
    name = fields(value)[0].name
    with pytest.raises(FrozenInstanceError):
        setattr(value, name, None)
    assert not hasattr(value, "__dict__")
    assert replace(value) == value
    assert pickle.loads(pickle.dumps(value)) == value
    assert getattr(replace(value, **{name: 7}), name) == 7


def test_native_tools_are_assumed_and_everything_else_is_opt_in() -> None:
    assert {one.name for one in fields(Capabilities) if getattr(Capabilities(), one.name)} == {"native_tools"}


def test_what_is_not_said_is_left_to_the_provider() -> None:
    assert {getattr(ModelSettings(), one.name) for one in fields(ModelSettings)} == {None}


def test_the_least_request() -> None:
    request = ModelRequest([Message.user("hi")])
    assert (request.system, request.tools, request.output, request.call) == ("", (), None, 0)
    assert request.settings == ModelSettings()


def test_the_least_answer() -> None:
    assert ModelResponse() == ModelResponse("", "", (), "stop", None, ())
    assert ModelEnd() == ModelEnd("stop", None, ())
    assert ToolCallDelta() == ToolCallDelta(None, None, "", "", None)


def test_the_events_are_distinct_types() -> None:
    assert set(get_args(ModelEvent)) == {TextDelta, ReasoningDelta, ToolCallDelta, ModelEnd}
    assert len({TextDelta("a"), ReasoningDelta("a")}) == 2


def test_every_public_name_is_there() -> None:
    assert all(hasattr(model, name) for name in model.__all__)
