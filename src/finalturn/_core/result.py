"""The result of a turn: `AgentResult`, with its usage, its messages and how it came about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar

from finalturn._core.errors import StructuredOutputError
from finalturn._core.limits import LIMIT_WORDS, LimitName
from finalturn._core.messages import Message, ToolCall
from finalturn._support.keywords import checked_class
from finalturn.stability import NEXT, beta, stable

__all__ = ["AgentResult", "ProviderSwitch", "StopReason", "StructuredStatus", "Usage"]

T_co = TypeVar("T_co", covariant=True)

StructuredStatus: TypeAlias = Literal["ok", "validation_failed", "skipped", "not_attempted"]
"""How the structured answer came out.

``"ok"``: ``parsed`` holds it. ``"validation_failed"``: no answer validated, retries included.
``"skipped"``: should_finalize said that the turn needs none. ``"not_attempted"``: the turn ended before,
as its ``stop_reason`` says.
"""
stable(since="0.1.0").constant(__name__, "StructuredStatus")

StopReason: TypeAlias = Literal[
    "completed", "iteration_limit", "terminal_tool", "truncated", "refused", "limit_reached"
]
"""Why the turn ended.

``"completed"``: the model was done. ``"iteration_limit"``: it still called tools in its last iteration.
``"terminal_tool"``: a terminal tool succeeded. ``"truncated"``: the answer was cut by the token limit.
``"refused"``: the model refused, or a safety filter stopped it. ``"limit_reached"``: it would have passed
one of its `Limits`; ``limit`` of the result says which.
"""
stable(since="0.1.0").constant(__name__, "StopReason")


@stable(since="0.1.0")
@checked_class
@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, as providers reported them; usages add up with ``+``.

    Attributes:
        input_tokens: tokens read, those from a cache included.
        cached_tokens: of these, how many came from a cache.
        output_tokens: tokens written, reasoning included.
        reasoning_tokens: of these, how many were reasoning.
        total_tokens: input and output, or the provider's own total where that is more.
        unreported_calls: model calls whose provider reported nothing. When this is not 0, the other
            figures are too low.

    Contract:
        - `usage-complete` (stable): Usage MUST count every model call of the turn, the same streaming or not.
        - `nested-agents-count` (beta): What an agent uses that runs as a tool, whatever it comes to, MUST
          count in the usage and the limits of the turn that runs it, and not in its `model_calls`.
    """

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    total_tokens: int = 0
    unreported_calls: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.cached_tokens + other.cached_tokens,
            self.output_tokens + other.output_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            self.total_tokens + other.total_tokens,
            self.unreported_calls + other.unreported_calls,
        )


@beta(since=NEXT)
@dataclass(frozen=True, slots=True)
class ProviderSwitch:
    """A model call was handed from one provider to the next, because the first failed.

    Nothing of it holds text of a model. It is for logs and developers: the names are those that the
    `Fallback` was given, or else the vendor and the model.

    Attributes:
        call: the 0-based index of the model call within its turn.
        from_provider: the provider that failed.
        to_provider: the provider that was asked next.
        reason: the failure, in the words of its `ProviderError`.
        status: the HTTP status, when there was an answer.
        code: the vendor's own short code, when it gave one.
    """

    call: int
    from_provider: str
    to_provider: str
    reason: str
    status: int | None
    code: str | None


class _Rejected:
    """Holds the last text that did not validate, where nothing that serialises a result looks for it."""

    __slots__ = ("_rejected",)

    _rejected: str | None


@stable(
    since="0.1.0",
    fields={"answer_call": beta(since="0.1.0"), "switches": beta(since=NEXT), "limit": beta(since=NEXT)},
)
@dataclass(frozen=True, slots=True)
class AgentResult(_Rejected, Generic[T_co]):
    """The terminal result of a turn.

    Attributes:
        message: the last ASSISTANT message of ``messages``: its ``content`` is the bubble, its
            ``structured`` the answer's JSON text. ``None`` when the turn left no such message.
        content: the answer's text; the JSON text, without a fence, when there is a structured answer.
        parsed: the validated object, exactly when ``structured_status`` is ``"ok"``.
        structured_status: how the structured answer came out; ``None`` without a response_format.
        structured_error: why there is no structured answer, in words that quote no model text; ``None``
            when there is one, or none was asked for.
        text: every piece of content that was shown, joined.
        messages: this turn's new conversation messages, USER messages first: append them to the
            history as they are.
        tool_calls: every call that the model asked for, in order.
        usage: tokens of all model calls of the turn.
        model_calls: how many model calls the turn made, retries and synthesis included.
        answer_call: the 0-based index of the model call that holds the answer; ``None`` when none does.
        stop_reason: why the turn ended.
        switches: each time that a model call was handed to another provider, in order.
        limit: which of its `Limits` ended the turn; ``None`` unless ``stop_reason`` is ``"limit_reached"``.

    Contract:
        - `synthesis-never-streams` (stable): Text of a synthesis call, its retries included, MUST NOT appear
          on any surface but the terminal result and the `structured` field of the saved message.
        - `result-is-last` (stable): A turn MUST end with exactly one AgentResult, or with an exception and
          none.
        - `answer-call-known` (beta): Every chunk MUST name its model call, and the result the one that holds
          the answer.
        - `answer-on-result` (stable): The answer's JSON text and the parsed value MUST be on the terminal
          result.
        - `history-is-what-was-shown` (beta): The saved turn MUST be what the person saw, with the structured
          answer attached; the synthesis exchange is not in it.
        - `explicit-outcome` (stable): With a response_format, `structured_status` MUST NOT be `None`, and
          `parsed` is set exactly when it is "ok".
        - `limits-end-cleanly` (beta): A turn that would pass one of its limits MUST end with a result that
          names it as `limit`, with `stop_reason` "limit_reached": no model call or tool that would pass it
          begins, what was shown and used stays, and every tool call has its TOOL message.
        - `always-validated-here` (stable): `parsed` MUST have been validated locally, whatever the provider
          promised.
        - `never-repaired` (stable): Truncated or cut JSON MUST NOT be completed into an object.
    """

    message: Message | None
    content: str
    parsed: T_co | None
    structured_status: StructuredStatus | None
    structured_error: str | None
    text: str
    messages: tuple[Message, ...]
    tool_calls: tuple[ToolCall, ...]
    usage: Usage
    model_calls: int
    answer_call: int | None
    stop_reason: StopReason
    switches: tuple[ProviderSwitch, ...] = ()
    limit: LimitName | None = None

    def unwrap(self) -> T_co:
        """The validated object.

        Raises:
            StructuredOutputError: there is none; it says why, and ``rejected`` holds the last text
                that did not validate.
        """
        if self.structured_status == "ok":
            return self.parsed  # type: ignore[return-value]  # a schema may admit null: the status decides
        if self.structured_status is None:
            raise StructuredOutputError("this turn had no response_format, so it has no structured answer")
        reason = self.structured_error or self._stop_words()
        raise StructuredOutputError(
            f"no structured answer ({self.structured_status}): {reason}",
            rejected=getattr(self, "_rejected", None),
        )

    def _stop_words(self) -> str:
        if self.limit is not None:
            return f"the turn reached its limit of {LIMIT_WORDS[self.limit]}"
        return f"the turn stopped with {self.stop_reason!r}"


def keep_rejected(result: AgentResult[T_co], text: str | None) -> AgentResult[T_co]:
    """Let ``unwrap()`` name the text that did not validate. It is neither compared, shown nor pickled."""
    object.__setattr__(result, "_rejected", text)
    return result
