"""What tests of the agent's mechanics build turns of."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from finalturn import ModelEnd, ModelEvent, ModelRequest, ModelSettings, StructuredOutputConfig, TextDelta
from finalturn._agent.input import read_input
from finalturn._agent.spec import TurnSpec, make_spec
from finalturn._core.output import Output

ROOT = Path(__file__).resolve().parents[2]


class Ticket(BaseModel):
    """A support ticket."""

    topic: str
    urgent: bool


ANSWER = '{"topic": "order", "urgent": true}'
FINAL = StructuredOutputConfig(final_turn_only=True)


class Counting:
    """A streaming provider that counts what is read of it and how often it was closed."""

    def __init__(self, *events: ModelEvent) -> None:
        self.events = events
        self.reads = 0
        self.closed = 0

    async def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        try:
            for event in self.events:
                self.reads += 1
                yield event
        finally:
            self.closed += 1


def texts(*pieces: str) -> tuple[ModelEvent, ...]:
    """Deltas, and the end."""
    return (*map(TextDelta, pieces), ModelEnd())


def turn_of(
    provider: Any,
    given: Any = "hi",
    *,
    output: Output[Any] | None = None,
    session: str | None = None,
    **parts: Any,
) -> TurnSpec:
    """One call of an agent of these parts."""
    spec: dict[str, Any] = {
        "tools": (),
        "system_prompt": "",
        "structured_output": StructuredOutputConfig(),
        "max_iterations": 10,
        "parallel_tools": True,
        "gates": (),
        "context": (),
        "sessions": None,
        "settings": ModelSettings(),
        "observers": (),
    }
    history, user = read_input(given)
    return TurnSpec(make_spec(provider=provider, **{**spec, **parts}), history, user, output, session)


async def until(condition: Callable[[], bool], step: Callable[[], Awaitable[object]]) -> None:
    """Take steps until the condition holds; a test that would never end fails."""
    for _ in range(10_000):
        if condition():
            return
        await step()
    raise AssertionError("it did not come to hold")


def run_script(code: str, *arguments: str, warnings: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own, where a warning is an error."""
    strict = ["-W", "error"] if warnings else []
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", *strict, "-c", textwrap.dedent(code), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin"},
    )
