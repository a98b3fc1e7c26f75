"""The table of rules, and the theory behind it.

A turn is a walk through phases. In each phase the driver is doing exactly one thing, and tells the
machine what comes of it; the first rule of that phase and input whose guards hold says what is
remembered, what is shown, and what to do next.

    READY -> CALLING -> SAVING -> DONE              a plain answer, or one that is the object itself
             CALLING -> RUNNING -> CALLING ...      the model asks for tools, and is told their outcomes
                        RUNNING -> SAVING           a terminal tool, or the last iteration, ends the turn
             CALLING -> DECIDING -> SAVING          the predicate says that no object is needed
             CALLING [-> DECIDING] -> SYNTHESIZING -> SAVING    a silent call makes the object

*What is visible* is what a rule shows. ``synthesis-text`` shows nothing: that row, and no ``if``
anywhere, is why synthesis never streams. All that a step shows is delivered before its actions start,
so ``structured_synthesis_start`` reaches a surface before the call that it announces begins.

*Convergence* is decided when a response is complete, never while it streams: a response that asks for
tools goes on, whatever text came with it and whatever finish reason it gives.

*User code* (tools, gates, the predicate, the store) is an action; what it returns or raises is an
input. The machine calls none of it, but for validation, which counts as pure.

*Order matters* among rules of one phase and input. For a finished loop call: calls and refusals first;
then what ends a turn without structured output; then default mode; what is left is `final_turn_only`,
where a valid answer wins over the predicate, and the predicate over synthesis.

Every pair of phase and input is ruled here, ignored in `IGNORED` with a reason, or illegal.
"""

from __future__ import annotations

from finalturn._core.turn import rules_answer as answer
from finalturn._core.turn import rules_end as ending
from finalturn._core.turn import rules_loop as loop
from finalturn._core.turn import rules_start as start
from finalturn._core.turn import rules_text as text
from finalturn._core.turn.inputs import Cancelled, Input
from finalturn._core.turn.rule import Table
from finalturn._core.turn.state import Phase

TABLE: Table = (
    *start.RULES,
    *text.RULES,
    *loop.CALLS,
    *loop.PLAIN,
    *answer.DEFAULT_MODE,
    *answer.FINAL_TURN,
    *loop.TOOLS,
    *answer.DECISION,
    *answer.SYNTHESIS,
    *ending.SAVED,
    *ending.FAILURES,
    *ending.CANCELLATIONS,
)

IGNORED: dict[tuple[Phase, type[Input]], str] = {
    (phase, Cancelled): "the turn is over; closing it again changes nothing"
    for phase in (Phase.DONE, Phase.FAILED, Phase.CANCELLED)
}
