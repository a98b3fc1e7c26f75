"""The rules for pieces of a model call: what streams, and what does not."""

from __future__ import annotations

from finalturn._core.model import ReasoningDelta, TextDelta
from finalturn._core.turn import guards as when
from finalturn._core.turn import shows as show
from finalturn._core.turn.rule import Rule, Table
from finalturn._core.turn.state import Phase

RULES: Table = (
    Rule(
        name="loop-text-suppressed",
        phase=Phase.CALLING,
        on=TextDelta,
        to=Phase.CALLING,
        when=(when.text_is_suppressed,),
        upholds=("single-pass-suppresses-content",),
    ),
    Rule(
        name="loop-text-held",
        phase=Phase.CALLING,
        on=TextDelta,
        to=Phase.CALLING,
        when=(when.text_is_held,),
        shows=(show.content_past_the_hold,),
        upholds=("held-json",),
    ),
    Rule(
        name="loop-text",
        phase=Phase.CALLING,
        on=TextDelta,
        to=Phase.CALLING,
        shows=(show.content,),
        upholds=("default-mode-streams", "surface-parity", "handler-parity", "answer-call-known"),
    ),
    Rule(
        name="loop-reasoning",
        phase=Phase.CALLING,
        on=ReasoningDelta,
        to=Phase.CALLING,
        shows=(show.reasoning,),
        upholds=("reasoning-apart",),
    ),
    Rule(
        name="synthesis-text",
        phase=Phase.SYNTHESIZING,
        on=TextDelta,
        to=Phase.SYNTHESIZING,
        upholds=("synthesis-never-streams",),
    ),
    Rule(
        name="synthesis-reasoning",
        phase=Phase.SYNTHESIZING,
        on=ReasoningDelta,
        to=Phase.SYNTHESIZING,
        upholds=("synthesis-never-streams", "reasoning-apart"),
    ),
)
