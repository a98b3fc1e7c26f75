"""The rules that end a turn: saved, failed, cancelled."""

from __future__ import annotations

from finalturn._core.turn import does as do
from finalturn._core.turn.inputs import Cancelled, Failed, Saved
from finalturn._core.turn.rule import Rule, Table
from finalturn._core.turn.state import Phase

WORKING = (Phase.CALLING, Phase.RUNNING, Phase.DECIDING, Phase.SYNTHESIZING, Phase.SAVING)
"""The phases in which a driver is doing something that can fail or be cancelled."""

SAVED: Table = (
    Rule(
        name="saved",
        phase=Phase.SAVING,
        on=Saved,
        to=Phase.DONE,
        does=(do.finish,),
        upholds=("result-is-last",),
    ),
)

FAILURES: Table = tuple(
    Rule(
        name=f"{phase.value}-failed",
        phase=phase,
        on=Failed,
        to=Phase.FAILED,
        does=(do.raise_error,),
        upholds=("predicate-errors-propagate", "result-is-last")
        if phase is Phase.DECIDING
        else ("result-is-last", "no-doubled-text")
        if phase in (Phase.CALLING, Phase.SYNTHESIZING)
        else ("result-is-last",),
    )
    for phase in WORKING
)

CANCELLATIONS: Table = tuple(
    Rule(
        name=f"{phase.value}-cancelled",
        phase=phase,
        on=Cancelled,
        to=Phase.CANCELLED,
        upholds=("close-stops-work",),
    )
    for phase in (Phase.READY, *WORKING)
)
