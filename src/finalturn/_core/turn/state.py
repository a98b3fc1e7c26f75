"""The state of a turn: its phase, what it remembers between steps, and the text that it holds back."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from finalturn._core.hold import JsonHold
from finalturn._core.messages import Message, ToolCall
from finalturn._core.output import Output
from finalturn._core.result import AgentResult, ProviderSwitch, Usage
from finalturn._core.tool_outcome import ToolOutcome
from finalturn._core.turn.inputs import Judged
from finalturn._core.turn.setup import TurnSetup

if TYPE_CHECKING:
    from finalturn._core.output.growing import GrowingObject


class HeldText:
    """The text of one model call of which JSON is held back, and what of it has been shown."""

    __slots__ = ("_hold", "_shown")

    def __init__(self, output: Output[object]) -> None:
        self._hold = JsonHold(output)
        self._shown: list[str] = []

    def feed(self, text: str) -> str:
        """Take a piece of the call's text; give back what may be shown now."""
        return self._note(self._hold.feed(text))

    def finish(self) -> str:
        """The call has ended: give back what may be shown after all."""
        return self._note(self._hold.finish())

    @property
    def shown(self) -> str:
        """All that has been given back so far."""
        return "".join(self._shown)

    def _note(self, text: str) -> str:
        if text:
            self._shown.append(text)
        return text


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

    Only the hold and the growing object change with the text that they are fed: they belong to one model
    call, and remembering them by value would copy the text at every delta.

    Attributes:
        setup: what was fixed at the start.
        call: the index of the current or last model call; -1 before the first.
        iterations: loop calls made, retries apart.
        retries: answers asked for again because they did not validate.
        empty_retried: an empty answer has been asked for again.
        hold: holds JSON out of the current call's text; ``None`` when nothing is held.
        growing: reads the object of the last synthesis call as it grows; ``None`` when nobody is shown it.
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
    growing: GrowingObject | None = None
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
