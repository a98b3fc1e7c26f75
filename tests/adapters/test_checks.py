"""What a provider must have put into its events."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn import (
    Message,
    ModelEnd,
    ModelResponse,
    ProviderError,
    ProviderSwitch,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
)
from finalturn._adapters.checks import (
    expect_calls,
    expect_end,
    expect_event,
    expect_pieces,
    misfit,
    no_event,
)
from finalturn._adapters.events import WholeReply
from finalturn._core.described import described

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
        ("from_text", "x", "a ToolCall or None"),
    ],
)
def test_a_piece_that_does_not(field: str, value: Any, wanted: str) -> None:
    delta = ToolCallDelta(**{field: value})
    with pytest.raises(ProviderError, match=rf"{described(value)} as ToolCallDelta.{field}; .*{wanted}"):
        expect_pieces(delta)


def test_calls_that_fit() -> None:
    calls = (ToolCall("f"), ToolCall("g"))
    assert expect_calls(calls) == calls
    assert expect_calls(list(calls)) == calls
    assert expect_calls(()) == ()


@pytest.mark.parametrize(
    ("calls", "problem"),
    [
        (None, "None as ModelResponse.tool_calls"),
        ("calls", "a str as ModelResponse.tool_calls"),
        ({"name": "f"}, "a dict as ModelResponse.tool_calls"),
        ([ToolCall("f"), {"name": "f"}], "a dict as an item of ModelResponse.tool_calls"),
    ],
)
def test_calls_that_do_not(calls: object, problem: str) -> None:
    with pytest.raises(ProviderError, match=problem):
        expect_calls(calls)


SWITCH = ProviderSwitch(0, "a", "b", "down", 503, None)


@pytest.mark.parametrize("kind", [ModelEnd, ModelResponse])
class TestEnds:
    def test_that_fit(self, kind: type[ModelEnd | ModelResponse]) -> None:
        expect_end(kind())
        expect_end(kind(usage=Usage(), switches=(SWITCH,)))

    @pytest.mark.parametrize(
        ("field", "value", "problem"),
        [
            ("usage", {"input_tokens": 1}, "a dict as usage; it must be a Usage or None"),
            ("switches", None, "None as switches; it must be a tuple of ProviderSwitch"),
            ("switches", [SWITCH], "a list as switches"),
            ("switches", (SWITCH, "b"), "a str as an item of switches; it must be a ProviderSwitch"),
        ],
    )
    def test_that_do_not(
        self, kind: type[ModelEnd | ModelResponse], field: str, value: Any, problem: str
    ) -> None:
        with pytest.raises(ProviderError, match=problem):
            expect_end(kind(**{field: value}))


@pytest.mark.parametrize(
    "event",
    [
        TextDelta(""),
        ReasoningDelta("a"),
        ToolCallDelta(0, "id"),
        ModelEnd(),
        WholeReply(ModelResponse("a", tool_calls=(ToolCall("f"),))),
    ],
    ids=lambda event: type(event).__name__,
)
def test_an_event_that_fits(event: Any) -> None:
    expect_event(event)


BAD_DELTA: Any = ToolCallDelta(0, None, None)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("event", "problem"),
    [
        (None, "yielded None; it must yield ModelEvents, the last a ModelEnd"),
        (Message.user("hi"), "yielded a Message"),
        (ModelResponse("whole"), "yielded a ModelResponse"),
        (TextDelta(None), "None as text"),  # type: ignore[arg-type]  # pyright: ignore
        (ReasoningDelta(b"a"), "a bytes as reasoning"),  # type: ignore[arg-type]  # pyright: ignore
        (BAD_DELTA, "None as ToolCallDelta.name"),
        (ModelEnd(usage=7), "an int as usage"),  # type: ignore[arg-type]  # pyright: ignore
        (WholeReply(ModelResponse(None)), "None as text"),  # type: ignore[arg-type]  # pyright: ignore
        (WholeReply(ModelResponse("", None)), "as reasoning"),  # type: ignore[arg-type]  # pyright: ignore
        (
            WholeReply(ModelResponse(tool_calls=None)),  # type: ignore[arg-type]  # pyright: ignore
            "as ModelResponse.tool_calls",
        ),
        (WholeReply(ModelResponse(usage=7)), "an int as usage"),  # type: ignore[arg-type]  # pyright: ignore
    ],
)
def test_an_event_that_does_not(event: Any, problem: str) -> None:
    with pytest.raises(ProviderError, match=problem) as caught:
        expect_event(event)
    assert not caught.value.retryable


def test_what_is_no_event_is_named_by_its_type() -> None:
    assert MODEL_TEXT not in str(no_event(MODEL_TEXT))
