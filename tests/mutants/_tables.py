"""A tiny table."""

from __future__ import annotations

from finalturn._core.turn import Phase, Rule, Started, Table, ToolsFinished
from finalturn._core.turn import does as _does
from finalturn._core.turn import guards as _guards
from finalturn._core.turn import shows as _shows
from finalturn._core.turn import updates as _updates
from finalturn._core.turn.inputs import Judged

START = Rule(
    name="start",
    phase=Phase.READY,
    on=Started,
    to=Phase.CALLING,
    updates=(_updates.next_call,),
    does=(_does.call_model,),
    upholds=("answer-call-known",),
)
CALLS = Rule(
    name="calls",
    phase=Phase.CALLING,
    on=Judged,
    to=Phase.RUNNING,
    when=(_guards.asks_for_tools,),
    shows=(_shows.settled_text, _shows.tool_calls),
    does=(_does.run_tools,),
    upholds=("tool-calls-always-stream",),
)
REST = Rule(name="rest", phase=Phase.CALLING, on=Judged, to=Phase.DONE, upholds=("result-is-last",))
TOOLS = Rule(name="tools", phase=Phase.RUNNING, on=ToolsFinished, to=Phase.DONE, upholds=("result-is-last",))

TABLE: Table = (START, CALLS, REST, TOOLS)
