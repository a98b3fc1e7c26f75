"""The setup of a turn, fixed at its start: conversation, tools, response_format, limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from finalturn._core.messages import Message
from finalturn._core.model import ModelSettings, ToolSpec
from finalturn._core.output import Output


class Mode(Enum):
    """How a turn comes by its structured answer."""

    PLAIN = "plain"  # there is no response_format
    DEFAULT = "default"  # the schema is on every loop call, and the answer streams
    FINAL_TURN = "final_turn"  # the schema stays out of the loop


@dataclass(frozen=True, slots=True)
class TurnSetup:
    """Everything that the machine may know beside what happens.

    Attributes:
        user: this turn's USER messages.
        history: the conversation before them.
        injections: SYSTEM messages that stand between the two; they are not part of the conversation.
        system: the system prompt.
        tools: what loop calls declare.
        settings: how to sample.
        output: what the response_format is; ``None`` exactly in `Mode.PLAIN`.
        native_output: the same in the form that calls which send the schema natively ask for; ``None`` where
            it is the same.
        mode: how the structured answer is come by.
        single_pass: single_pass is active: asked for, and the provider can.
        hold: JSON blocks are held out of the text.
        partials: the object that a synthesis call makes is shown as it grows.
        reuse: a converged answer that validates is the structured answer.
        asks: there is a should_finalize predicate.
        native_loop: loop calls send the schema natively (default mode and single_pass only).
        native_synthesis: synthesis calls send it natively.
        max_iterations: how many loop calls the turn may make, retries apart.
        max_retries: how many answers that do not validate are asked for again.
    """

    user: tuple[Message, ...]
    history: Sequence[Message] = ()
    injections: tuple[Message, ...] = ()
    system: str = ""
    tools: tuple[ToolSpec, ...] = ()
    settings: ModelSettings = field(default_factory=ModelSettings)
    output: Output[Any] | None = None
    native_output: Output[Any] | None = None
    mode: Mode = Mode.PLAIN
    single_pass: bool = False
    hold: bool = False
    partials: bool = False
    reuse: bool = True
    asks: bool = False
    native_loop: bool = False
    native_synthesis: bool = False
    max_iterations: int = 10
    max_retries: int = 2

    def judge_of(self, *, native: bool) -> Output[Any] | None:
        """What judges the answer of a call, and is the schema of one that sends it natively."""
        return self.native_output if native and self.native_output is not None else self.output
