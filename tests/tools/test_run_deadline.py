"""Batches of calls of a turn that has to end in time."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import anyio
import pytest

from finalturn._adapters import in_time
from finalturn._core.messages import Message, ToolCall
from finalturn._core.protocols import Denial
from finalturn._core.tool_outcome import ToolOutcome
from finalturn._tools import Tool, tool
from finalturn._tools.outcomes import OUT_OF_TIME
from finalturn._tools.run import ToolRunner
from tests.tools._contexts import contexts

pytestmark = pytest.mark.anyio
SHORT = 0.01
NOW = 1000.0


class Gate:
    """Denies what it is asked about, or lets it run."""

    def __init__(self, denial: Denial | None = None) -> None:
        self.denial = denial
        self.asked = 0

    def check(self, call: ToolCall, messages: Sequence[Message], /) -> Denial | None:
        self.asked += 1
        return self.denial


@tool
async def echo(text: str = "") -> str:
    """Echoes."""
    return text


@tool
async def later(text: str = "") -> str:
    """Echoes."""
    return text


class TestTheDeadlineOfATurn:
    @pytest.fixture(autouse=True)
    def _clock(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # No time passes on a slow computer.
        self.now = NOW
        monkeypatch.setattr(in_time, "monotonic", lambda: self.now)

    async def run(self, seconds: float, *tools: Tool[..., Any], **parts: Any) -> list[ToolOutcome]:
        items = {item.name: item for item in tools}
        late = ToolRunner(items, contexts=contexts(), deadline=NOW + seconds, **parts)
        return await late.run([ToolCall(name) for name in items], ())

    @pytest.mark.parametrize("parallel", [True, False])
    async def test_what_is_done_stays_and_what_is_not_says_so(self, parallel: bool) -> None:
        @tool
        async def quick() -> str:
            return "done"

        @tool
        async def wait() -> None:
            try:
                await anyio.sleep_forever()
            finally:
                self.now += 3600

        @tool
        def block() -> None:
            released.wait()

        released = threading.Event()
        try:
            found = await self.run(SHORT, quick, wait, block, gates=(), parallel=parallel)
        finally:
            released.set()
        assert found[0] == ToolOutcome(0, "done")
        stopped = "The tool {} was stopped: the turn is out of time."
        assert found[1] == ToolOutcome(1, stopped.format("wait"), "timeout")
        blocked = f"{stopped.format('block')} It may still be running." if parallel else OUT_OF_TIME
        assert found[2] == ToolOutcome(2, blocked, "timeout")

    async def test_after_it_no_gate_is_asked(self) -> None:
        gate = Gate()
        found = await self.run(0, echo, later, gates=[gate], parallel=True)
        assert found == [ToolOutcome(0, OUT_OF_TIME, "timeout"), ToolOutcome(1, OUT_OF_TIME, "timeout")]
        assert gate.asked == 0

    async def test_a_gate_that_thinks_for_too_long_is_stopped(self) -> None:
        class Slow:
            async def check(self, call: ToolCall, messages: Sequence[Message], /) -> Denial | None:
                await anyio.sleep_forever()
                return None

        found = await self.run(SHORT, echo, gates=[Slow()], parallel=True)
        assert found == [ToolOutcome(0, OUT_OF_TIME, "timeout")]

    async def test_in_time_gates_decide(self) -> None:
        found = await self.run(1000, echo, gates=[Gate(Denial("no."))], parallel=True)
        assert found == [ToolOutcome(0, "This call was not run: no.", "policy")]
