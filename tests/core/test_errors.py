"""Errors: one base, attributes beside the text, and no loss on the way through another process."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from finalturn._core import errors
from finalturn._core.errors import (
    ConfigurationError,
    FinalturnError,
    MessageFormatError,
    ProtocolError,
    ProviderError,
    SessionConflictError,
    SessionDamagedError,
    SessionError,
    SessionTimeoutError,
    StreamClosedError,
    StreamError,
    StructuredOutputError,
    ToolError,
    charge,
)
from finalturn._core.result import ProviderSwitch, Usage
from tests.core.test_result import DONE


def provider_error() -> ProviderError:
    error = ProviderError(
        "the provider refused (429)", status=429, code="rate_limit", retryable=True, detail="slow down, sk-1"
    )
    error.usage = Usage(3)
    error.switches = (ProviderSwitch(0, "a", "b", "down", None, None),)
    return error


EXAMPLES: list[FinalturnError] = [
    ConfigurationError("two tools are called 'f'"),
    provider_error(),
    ProviderError("broke off"),
    StructuredOutputError("no structured answer", rejected='{"a": 1}'),
    StreamError("this stream is already being read by another task"),
    StreamClosedError("the stream has ended without a result"),
    ToolError("no such order"),
    MessageFormatError("tool_calls[1].arguments", "must be a JSON object"),
    MessageFormatError("", "a Message is read from a mapping"),
    SessionError("could not be saved", result=DONE),
    SessionError("could not be loaded"),
    SessionConflictError("another turn was saved"),
    SessionDamagedError("another turn was saved"),
    SessionTimeoutError("another turn was saved"),
    ProtocolError("calling", "Saved", "start", "this phase does not take it"),
    ProtocolError("ready", "Saved", None, "this phase does not take it"),
]


def test_there_is_an_example_of_every_one() -> None:
    public = {getattr(errors, name) for name in errors.__all__} - {FinalturnError}
    assert {type(error) for error in EXAMPLES} == public
    assert all(issubclass(kind, FinalturnError) for kind in public)


@pytest.mark.parametrize("error", EXAMPLES, ids=repr)
def test_nothing_of_it_is_lost_in_a_copy(error: FinalturnError) -> None:
    for again in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert vars(again) == vars(error)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (MessageFormatError("role", "is missing"), "role: is missing"),
        (MessageFormatError("", "is no mapping"), "is no mapping"),
        (
            ProtocolError("calling", "Saved", "start", "this phase does not take it"),
            "Saved is not legal in phase calling (last rule: start): this phase does not take it",
        ),
        (
            ProtocolError("ready", "Saved", None, "why"),
            "Saved is not legal in phase ready (last rule: none): why",
        ),
        (provider_error(), "the provider refused (429)"),
        (StructuredOutputError("no answer", rejected="x"), "no answer"),
        (ToolError("no such order"), "no such order"),
    ],
)
def test_texts(error: FinalturnError, text: str) -> None:
    assert str(error) == text


def test_what_is_for_a_developer_s_eyes_is_not_in_the_text() -> None:
    error = provider_error()
    assert (error.status, error.code, error.retryable, error.detail) == (
        429,
        "rate_limit",
        True,
        "slow down, sk-1",
    )
    for shown in (str(error), repr(error), repr(StructuredOutputError("no answer", rejected="sk-1"))):
        assert "sk-1" not in shown


def test_defaults() -> None:
    bare = ProviderError("broke off")
    found: tuple[Any, ...] = (bare.status, bare.code, bare.retryable, bare.detail, bare.usage)
    assert found == (None, None, False, None, None)
    assert bare.switches == ()
    assert StructuredOutputError("x").rejected is None
    assert SessionError("x").result is None


def test_a_malformed_message_is_a_value_error_too() -> None:
    error = MessageFormatError("content", "must be a str")
    assert isinstance(error, ValueError)
    assert (error.field, error.problem) == ("content", "must be a str")


def test_a_protocol_error_tells_where_the_machine_stood() -> None:
    error = ProtocolError("calling", "Saved", "start", "why")
    assert (error.phase, error.input, error.last_rule, error.reason) == ("calling", "Saved", "start", "why")


def test_the_usage_of_an_error_is_charged_once_however_often_it_is_raised() -> None:
    error = ProviderError("down")
    error.usage = Usage(input_tokens=1)
    for _ in range(2):
        charge(error, Usage(input_tokens=5), Usage(unreported_calls=1))
        assert error.usage == Usage(input_tokens=6)
    silent = ProviderError("down")
    charge(silent, Usage(input_tokens=5), Usage(unreported_calls=1))
    assert silent.usage == Usage(input_tokens=5, unreported_calls=1)
