"""The rule of phase READY."""

from __future__ import annotations

from finalturn.core.turn import _does as do
from finalturn.core.turn import _updates as update
from finalturn.core.turn._inputs import Started
from finalturn.core.turn._rule import Rule, Table
from finalturn.core.turn._state import Phase

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
