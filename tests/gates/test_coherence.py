"""Whether a call fits its conversation."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import anyio
import pytest

from finalturn import CoherenceGate
from finalturn._core.errors import ConfigurationError
from finalturn._core.messages import Message, ToolCall
from finalturn._core.protocols import Denial, ToolGate

pytestmark = pytest.mark.anyio
CALL = ToolCall("send", {"to": "ann"})
MESSAGES = (Message.user("Write to Ann."), Message.assistant("", tool_calls=[CALL]))


def refused(reason: str) -> Denial:
    return Denial(f"its coherence check {reason}", "coherence")


def test_it_is_a_gate() -> None:
    assert isinstance(CoherenceGate(lambda call, messages: True), ToolGate)


@pytest.mark.parametrize("is_async", [True, False])
@pytest.mark.parametrize(
    ("answer", "denial"),
    [
        (True, None),
        (False, refused("was refused.")),
        (None, refused("gave no yes or no (a NoneType).")),
        ("true", refused("gave no yes or no (a str).")),
        (RuntimeError("secret"), refused("failed (RuntimeError).")),
    ],
)
async def test_what_a_check_gives(answer: Any, denial: Denial | None, is_async: bool) -> None:
    asked: list[tuple[ToolCall, Sequence[Message]]] = []

    def check(call: ToolCall, messages: Sequence[Message]) -> Any:
        asked.append((call, messages))
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def check_later(call: ToolCall, messages: Sequence[Message]) -> Any:
        await anyio.lowlevel.checkpoint()
        return check(call, messages)

    gate = CoherenceGate(check_later if is_async else check)
    assert await gate.check(CALL, MESSAGES) == denial
    assert asked == [(CALL, MESSAGES)]


@pytest.mark.parametrize("is_async", [True, False])
async def test_a_check_that_takes_too_long(is_async: bool) -> None:
    release = threading.Event()

    def check(call: ToolCall, messages: Sequence[Message]) -> bool:
        return release.wait(10)

    async def check_later(call: ToolCall, messages: Sequence[Message]) -> bool:
        await anyio.sleep_forever()
        return True

    gate = CoherenceGate(check_later if is_async else check, timeout=0.01)
    try:
        assert await gate.check(CALL, MESSAGES) == refused("took too long.")
    finally:
        release.set()


def test_mistakes() -> None:
    with pytest.raises(ConfigurationError, match="check is a function of a call and its messages, not a str"):
        CoherenceGate("check")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with pytest.raises(ConfigurationError, match="CoherenceGate: timeout is a number of seconds"):
        CoherenceGate(lambda call, messages: True, timeout=-1)
