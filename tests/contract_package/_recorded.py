"""Turns that are recorded, and what the contract says of them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import anyio

from finalturn import Agent
from finalturn.contract import Trace, verify
from finalturn.testing import record
from tests.contract._play import Play


def broken(*traces: Trace) -> list[str]:
    """The violations, as text: the clause, the record that breaks it, and what was expected."""
    found: list[str] = []
    for trace in traces:
        for one in verify(trace):
            if one.outcome == "violated":
                assert one.record is not None
                found.append(f"{one.clause}: {trace.records[one.record]!r}: {one.text}")
    return found


@dataclass(frozen=True)
class RecordedPlay(Play):
    """Records what it drives.

    Attributes:
        items: after how many items the turn is left; ``None`` drives it to its end, on the play's driver.
        traces: of the turns that were driven.
    """

    items: int | None = None
    traces: list[Trace] = field(default_factory=list[Trace], compare=False)

    def drive(self, agent: Agent[Any], *given: Any, **call: Any) -> None:
        if self.items is not None:
            self.traces.append(left_after(agent, given[0], self.items))
            return
        with record(agent) as recording:
            super().drive(agent, *given, **call)
        self.traces.extend(recording.traces)


def left_after(agent: Agent[Any], given: Any, items: int | None) -> Trace:
    """Record one turn that is closed after so many items; ``None`` reads it to its end."""

    async def main() -> None:
        read = 0
        async with agent.astream(given) as stream:
            async for _ in stream:
                read += 1
                if read == items:
                    return

    # Whatever a turn raises is in its trace.
    with record(agent) as recording, suppress(Exception):
        anyio.run(main)
    (trace,) = recording.traces
    return trace
