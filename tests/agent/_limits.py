"""What tests of limits build turns of."""

from __future__ import annotations

from typing import Any

import anyio

from finalturn import AgentResult, Limits, tool
from finalturn.providers import Scripted

SHORT = Limits(seconds=0.02)
LONG = Limits(seconds=1000)


class Clock:
    """Tells the time. An hour passes where a test says so, and none on a slow computer."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def an_hour_passes(self) -> None:
        self.now += 3600.0


CLOCK = Clock()


@tool
async def act(number: int = 0) -> str:
    """Acts."""
    return str(number)


@tool
async def wait() -> None:
    """Waits for ever."""
    try:
        await anyio.sleep_forever()
    finally:
        CLOCK.an_hour_passes()


ACT, WAIT = Scripted.call("act", {"number": 1}), Scripted.call("wait", {})


def ended(result: AgentResult[Any]) -> tuple[str, str | None, str, int]:
    return result.stop_reason, result.limit, result.content, result.model_calls


BY_TIME = "limit_reached", "seconds"
