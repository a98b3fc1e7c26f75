"""What can happen to a turn: the machine's inputs.

Pieces of a model call come as the provider's own `TextDelta` and `ReasoningDelta`. A finished response
comes as `Finished`; the machine judges it once, and the table sees the `Judged`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

from finalturn._core.chunks import NestedActivity
from finalturn._core.limits import LimitName
from finalturn._core.model import ModelResponse, ReasoningDelta, TextDelta
from finalturn._core.output import Answer, Rejection
from finalturn._core.result import Usage
from finalturn._core.tool_outcome import ToolOutcome


@dataclass(frozen=True, slots=True)
class Started:
    """The turn begins.

    Attributes:
        limit: what forbids a model call now; ``None`` where nothing does.
    """

    limit: LimitName | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A model call is complete.

    Attributes:
        response: what the model answered.
        limit: what forbids a further model call now; ``None`` where nothing does.
        too_many_tools: it asks for more tool calls than the turn may still run.
    """

    response: ModelResponse
    limit: LimitName | None = None
    too_many_tools: bool = False


class Verdict(Enum):
    """What a finished response is."""

    CALLS = "calls"  # it asks for tools
    PLAIN = "plain"  # text, and no structured answer is wanted
    VALID = "valid"  # a structured answer
    INVALID = "invalid"  # text that is none
    CUT = "cut"  # the token limit cut it
    EMPTY = "empty"  # no text at all
    REFUSED = "refused"  # the model, or a safety block, refused


@dataclass(frozen=True, slots=True)
class Judged:
    """A finished response and its judgement.

    Attributes:
        verdict: what it is.
        response: the response itself.
        answer: with `Verdict.VALID`, the answer.
        rejection: with `Verdict.INVALID`, `CUT`, `EMPTY` or `REFUSED` where an answer was wanted, why not.
        settled: held text that is now shown.
        shown: all text of this call that has been shown, `settled` included.
        limit: as of `Finished`.
        too_many_tools: as of `Finished`.
    """

    verdict: Verdict
    response: ModelResponse
    answer: Answer[Any] | None = None
    rejection: Rejection | None = None
    settled: str = ""
    shown: str = ""
    limit: LimitName | None = None
    too_many_tools: bool = False


@dataclass(frozen=True, slots=True)
class Decided:
    """The should_finalize predicate has answered.

    Attributes:
        finalize: what it answered.
        limit: what forbids a further model call now; ``None`` where nothing does.
    """

    finalize: bool
    limit: LimitName | None = None


@dataclass(frozen=True, slots=True)
class ToolShows:
    """A tool of the batch that runs shows what it does.

    Attributes:
        activity: what it shows.
    """

    activity: NestedActivity


@dataclass(frozen=True, slots=True)
class ToolReturned:
    """One tool call of the batch has an outcome."""

    outcome: ToolOutcome


@dataclass(frozen=True, slots=True)
class ToolsFinished:
    """The batch is over: every call has its outcome.

    Attributes:
        limit: what forbids a further model call now; ``None`` where nothing does.
    """

    limit: LimitName | None = None


@dataclass(frozen=True, slots=True)
class LimitReached:
    """What was under way, a model call or the predicate, has been stopped.

    Attributes:
        limit: what forbids to go on.
        text: all text of the model call that the machine was fed.
        usage: what the model call has used.
    """

    limit: LimitName
    text: str = ""
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Saved:
    """The turn is in its session, or there is none to save it in."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A model call, a tool batch, the predicate or the store failed with an exception."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The consumer closed the stream, or was cancelled."""


Input: TypeAlias = (
    Started
    | TextDelta
    | ReasoningDelta
    | Finished
    | Judged
    | Decided
    | ToolShows
    | ToolReturned
    | ToolsFinished
    | LimitReached
    | Saved
    | Failed
    | Cancelled
)

TABLE_INPUTS: tuple[type[Input], ...] = (
    Started,
    TextDelta,
    ReasoningDelta,
    Judged,
    Decided,
    ToolShows,
    ToolReturned,
    ToolsFinished,
    LimitReached,
    Saved,
    Failed,
    Cancelled,
)
"""The inputs that the table rules on."""
