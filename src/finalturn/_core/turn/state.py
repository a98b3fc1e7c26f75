"""Where a turn stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from finalturn._core.messages import Message, ToolCall
from finalturn._core.result import AgentResult, ProviderSwitch, Usage
from finalturn._core.tool_outcome import ToolOutcome
from finalturn._core.turn.held import HeldText
from finalturn._core.turn.inputs import Judged
from finalturn._core.turn.setup import TurnSetup


class Phase(Enum):
    """What a turn is waiting for."""

    READY = "ready"
    CALLING = "calling"  # a loop call is under way
    RUNNING = "running"  # a batch of tools is
    DECIDING = "deciding"  # the predicate is
    SYNTHESIZING = "synthesizing"  # a synthesis call is
    SAVING = "saving"  # the turn is over and goes into its session
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Rejected:
    """The last answer that did not validate, for the next attempt."""

    text: str
    reason: str
    feedback: str


@dataclass(frozen=True, slots=True)
class State:
    """Everything that a turn remembers. Replaced as a whole, never changed.

    Only the hold changes with the text that it is fed: it belongs to one model call, and remembering it
    by value would copy the text at every delta.

    Attributes:
        setup: what was fixed at the start.
        call: the index of the current or last model call; -1 before the first.
        iterations: loop calls made, retries apart.
        retries: answers asked for again because they did not validate.
        empty_retried: an empty answer has been asked for again.
        hold: holds JSON out of the current call's text; ``None`` when nothing is held.
        added: the conversation messages that the turn has added after its USER messages.
        texts: the text shown by each finished model call.
        calls: every call that the model has asked for.
        batch: the calls that are being run, or ran last.
        outcomes: their outcomes so far, by place.
        usage: tokens of all finished model calls.
        switches: how finished model calls were handed from one provider to the next.
        converged: the response that the loop converged with.
        rejected: the last answer that did not validate.
        result: the turn's result, once it is known.
    """

    setup: TurnSetup
    call: int = -1
    iterations: int = 0
    retries: int = 0
    empty_retried: bool = False
    hold: HeldText | None = None
    added: tuple[Message, ...] = ()
    texts: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    batch: tuple[ToolCall, ...] = ()
    outcomes: tuple[ToolOutcome | None, ...] = ()
    usage: Usage = field(default_factory=Usage)
    switches: tuple[ProviderSwitch, ...] = ()
    converged: Judged | None = None
    rejected: Rejected | None = None
    result: AgentResult[Any] | None = None
