"""What comes of a tool call, in words for the model."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from finalturn import Tool, ToolCall, ToolError, Usage
from finalturn._core.observers import ToolCallEnded
from finalturn._core.tool_outcome import ToolOutcome
from finalturn._tools.contain import Raised, TimedOut
from finalturn._tools.outcomes import OUT_OF_TIME, Ended, Failure, ReadyCall, ended_event, failed, outcome_of

CALL = ToolCall("wait", {"seconds": 3}, "c")


async def wait(seconds: int) -> str:
    """Waits."""
    return f"{seconds}"


def hold(seconds: int) -> str:
    """Holds a thread."""
    return f"{seconds}"


def ready(fn: Any = wait, **parts: Any) -> ReadyCall:
    return ReadyCall(1, CALL, Tool(fn, timeout=0.5, **parts), partial(fn, seconds=3))


@pytest.mark.parametrize(
    ("ended", "text", "failure"),
    [
        ("3", "3", None),
        (Raised(ToolError("no")), "no", "tool_error"),
        (Raised(ValueError("no")), "ValueError: no", "error"),
        (Raised(ExceptionGroup("", [ToolError("a"), ToolError("b")])), "a; b", "tool_error"),
        (Raised(ExceptionGroup("", [ToolError("a"), ValueError("b")])), "a; ValueError: b", "error"),
        (TimedOut(), "The tool wait did not finish within 0.5 seconds.", "timeout"),
        (TimedOut(deadline=True), "The tool wait was stopped: the turn is out of time.", "timeout"),
        (TimedOut(deadline=True, started=False), OUT_OF_TIME, "timeout"),
    ],
)
def test_each_end_has_its_words(ended: Ended, text: str, failure: Any) -> None:
    assert outcome_of(ready(), ended) == ToolOutcome(1, text, failure)


def test_a_thread_may_go_on() -> None:
    assert outcome_of(ready(hold), TimedOut()).text.endswith(" It may still be running.")


def test_only_a_tool_that_returns_is_terminal() -> None:
    assert outcome_of(ready(terminal=True), "3").terminal
    assert not outcome_of(ready(terminal=True), Raised(ToolError("no"))).terminal


def test_words_are_text_that_can_be_sent() -> None:
    assert failed(0, Failure("error", "a\ud800")).text == "a\ufffd"


def test_who_watches_is_told_all_of_it() -> None:
    error = ValueError("no")
    outcome = ToolOutcome(1, "ValueError: no", "error", usage=Usage(3))
    told = ToolCallEnded(1, CALL, "ValueError: no", "error", error, usage=Usage(3))
    assert ended_event(CALL, outcome, error) == told


def test_another_function_is_called_with_the_same() -> None:
    assert ready().open(hold) == "3"
