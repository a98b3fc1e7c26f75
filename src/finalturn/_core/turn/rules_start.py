"""The rule of phase READY."""

from __future__ import annotations

from finalturn._core.turn import does as do
from finalturn._core.turn import updates as update
from finalturn._core.turn.inputs import Started
from finalturn._core.turn.rule import Rule, Table
from finalturn._core.turn.state import Phase

LOOP_CALL = (update.next_call, update.next_iteration, update.open_hold)
"""What every loop call that counts as an iteration starts with."""

RULES: Table = (
    Rule(
        name="start",
        phase=Phase.READY,
        on=Started,
        to=Phase.CALLING,
        updates=LOOP_CALL,
        does=(do.call_model,),
        upholds=(
            "schema-stays-out",
            "answer-call-known",
            "held-json",
        ),
    ),
)
