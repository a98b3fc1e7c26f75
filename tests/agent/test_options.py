"""The options of a call and the parts of an agent are those that its methods take."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from finalturn import Agent, RunOptions
from finalturn._agent.options import NOT_GIVEN, AgentParts, NotGiven

OWN = {"self", "input", "deps", "response_format"}
"""What overloads name beside the options."""


def taken(fn: Any) -> set[str]:
    """The parameters of a function."""
    return set(inspect.signature(fn).parameters)


@pytest.mark.parametrize("name", ["run", "arun", "stream", "astream"])
def test_a_call_takes_the_options_and_nothing_that_is_not_said(name: str) -> None:
    handler = {"stream_handler"} if "run" in name else set[str]()
    assert taken(getattr(Agent, name)) == {*RunOptions.__annotations__, *OWN, *handler}


def test_an_agent_takes_its_parts() -> None:
    own = {"self", "provider", "response_format", "deps_type"}
    assert taken(vars(Agent)["__init__"]) == {*AgentParts.__annotations__, *own}


def test_none_of_them_must_be_given() -> None:
    assert RunOptions.__required_keys__ == AgentParts.__required_keys__ == frozenset()
    assert isinstance(NOT_GIVEN, NotGiven)
