"""What a provider must have put into its events."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn import ProviderError, ToolCall, ToolCallDelta, Usage
from finalturn.agent._expect import expect_calls, expect_pieces, expect_usage, misfit

MODEL_TEXT = "zq7xsentinel"


def test_an_error_names_types_and_no_values() -> None:
    error = misfit("text", MODEL_TEXT.encode(), "a str")
    assert str(error) == "the provider gave a bytes as text; it must be a str"
    assert not error.retryable


@pytest.mark.parametrize(
    "delta",
    [
        ToolCallDelta(),
        ToolCallDelta(0, "id", "name", "{", {"a": 1}),
        ToolCallDelta(None, None, "", ""),
    ],
)
def test_a_piece_that_fits(delta: ToolCallDelta) -> None:
    expect_pieces(delta)


@pytest.mark.parametrize(
    ("field", "value", "wanted"),
    [
        ("name", None, "a str"),
        ("name", b"f", "a str"),
        ("arguments", None, "a str"),
        ("arguments", {"a": 1}, "a str"),
        ("id", 7, "a str or None"),
        ("index", "0", "an int or None"),
        ("provider_data", "x", "a mapping or None"),
    ],
)
def test_a_piece_that_does_not(field: str, value: Any, wanted: str) -> None:
    delta = ToolCallDelta(**{field: value})
    with pytest.raises(
        ProviderError, match=rf"a {type(value).__name__} as ToolCallDelta.{field}; .*{wanted}"
    ):
        expect_pieces(delta)


def test_calls_that_fit() -> None:
    calls = (ToolCall("f"), ToolCall("g"))
    assert expect_calls(calls) == calls
    assert expect_calls(list(calls)) == calls
    assert expect_calls(()) == ()


@pytest.mark.parametrize(
    ("calls", "problem"),
    [
        (None, "a NoneType as ModelResponse.tool_calls"),
        ("calls", "a str as ModelResponse.tool_calls"),
        ({"name": "f"}, "a dict as ModelResponse.tool_calls"),
        ([ToolCall("f"), {"name": "f"}], "a dict as an item of ModelResponse.tool_calls"),
    ],
)
def test_calls_that_do_not(calls: object, problem: str) -> None:
    with pytest.raises(ProviderError, match=problem):
        expect_calls(calls)


def test_usage_is_a_usage_or_nothing() -> None:
    expect_usage(None)
    expect_usage(Usage())
    with pytest.raises(ProviderError, match="a dict as usage"):
        expect_usage({"input_tokens": 1})
