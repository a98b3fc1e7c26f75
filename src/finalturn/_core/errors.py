"""Every exception that finalturn raises on its own account.

The text of these exceptions can reach a log or a client, so it never holds text that a model wrote, a
key, or a body. What a developer may need beside it stands in attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from finalturn._support.keywords import known_keywords
from finalturn.stability import NEXT, beta, stable

if TYPE_CHECKING:
    from finalturn._core.result import AgentResult, ProviderSwitch, Usage

__all__ = [
    "ConfigurationError",
    "FinalturnError",
    "MessageFormatError",
    "ProtocolError",
    "ProviderError",
    "SessionConflictError",
    "SessionDamagedError",
    "SessionError",
    "SessionTimeoutError",
    "StreamClosedError",
    "StreamError",
    "StructuredOutputError",
    "ToolError",
]


@stable(since="0.1.0")
class FinalturnError(Exception):
    """The base of every exception that finalturn raises itself: one ``except`` catches them all.

    Contract:
        - `errors-are-clean` (stable): An error that can reach a client MUST NOT carry model text, secrets or
          paths.
    """


@stable(since="0.1.0")
class ConfigurationError(FinalturnError):
    """The agent, a tool, a schema or a call was set up in a way that cannot work.

    Raised before any model call. Its text says what is wrong and what to do.
    """


@stable(since="0.1.0", fields={"retry_after": beta(since=NEXT), "switches": beta(since=NEXT)})
class ProviderError(FinalturnError):
    """A model could not be reached, refused the request, or broke off its answer.

    Args:
        message: what went wrong, in words that a client may see.

    Attributes:
        status: the HTTP status code (RFC 9110), such as 429; ``None`` when there was no answer.
        code: the vendor's own short code, such as ``"rate_limit_exceeded"``; ``None`` when it gave none.
        retryable: whether the same request may succeed later.
        retry_after: the seconds after which the vendor says to come back; ``None`` when it does not say. It
            says nothing of whether to come back: ``retryable`` does.
        detail: the vendor's own words, for a developer's eyes. Never part of ``str(error)``.
        usage: what the turn had used when it failed, the failed call included, as far as providers
            reported it; ``None`` outside a turn. A provider may set it to what the failed call itself
            has used.
        switches: how the failed call was handed from one provider to the next; empty when it was not.
    """

    @known_keywords("ProviderError")
    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
        detail: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.retryable = retryable
        self.retry_after = retry_after
        self.detail = detail
        self.usage: Usage | None = None
        self.switches: tuple[ProviderSwitch, ...] = ()


def charge(error: ProviderError, turn: Usage, unreported: Usage) -> Usage:
    """Make an error's usage that of the whole turn.

    Args:
        error: what a model call failed with; its usage is the call's own, when it has one.
        turn: what the turn had used before that call.
        unreported: what counts for a call that reported nothing.

    Returns:
        What the call itself has used.
    """
    of_call = _USED_BY_CALL.setdefault(error, error.usage)
    used = of_call or unreported
    error.usage = turn + used
    return used


# What each failed call itself had used: an exception object that is raised again must not add up.
_USED_BY_CALL: WeakKeyDictionary[ProviderError, Usage | None] = WeakKeyDictionary()


@stable(since="0.1.0")
class StructuredOutputError(FinalturnError):
    """A turn has no structured answer: raised by ``AgentResult.unwrap()``.

    Args:
        message: why there is none, in words that quote no model text.

    Attributes:
        rejected: the last text that did not validate; ``None`` when there was none. A model wrote it: it is
            never part of ``str(error)``, serialised or logged.
    """

    def __init__(self, message: str, *, rejected: str | None = None) -> None:
        super().__init__(message)
        self.rejected = rejected


@stable(since="0.1.0")
class ToolError(FinalturnError):
    """Raise it in a tool to tell the model, and the person, what went wrong.

    Unlike any other exception's, its text is meant to be seen by clients too.
    """


@stable(since="0.1.0")
class MessageFormatError(FinalturnError, ValueError):
    """A message, or the dictionary it was read from, is malformed.

    Attributes:
        field: the path of the field that is wrong, such as ``tool_calls[0].arguments``; ``""`` when the
            whole is.
        problem: what is wrong with it.
    """

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(field, problem)
        self.field = field
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.field}: {self.problem}" if self.field else self.problem


@stable(since="0.1.0")
class SessionError(FinalturnError):
    """A session could not be loaded or saved.

    Args:
        message: what went wrong, in words that a client may see.

    Attributes:
        result: the finished turn that could not be saved; ``None`` when loading failed.
    """

    def __init__(self, message: str, *, result: AgentResult[object] | None = None) -> None:
        super().__init__(message)
        self.result = result


@beta(since=NEXT)
class SessionConflictError(SessionError):
    """Another turn was saved to the session since this one was started. Nothing of either is lost.

    Load the session again and repeat the turn. A `SessionStore` raises it from ``append``.

    Args:
        message: what went wrong, in words that a client may see.
        result: the finished turn that could not be saved.
    """


@beta(since=NEXT)
class StreamError(FinalturnError, RuntimeError):
    """A stream was used in a way that it cannot be: by two readers at once, or from inside its own step."""


@beta(since=NEXT)
class StreamClosedError(StreamError):
    """A stream has ended without a result: it was closed, by whomever, or its turn was cancelled or failed.

    Whoever reads it, or waits for its next item, is told so. The end of a loop means that the turn is done.
    """


@beta(since=NEXT)
class SessionDamagedError(SessionError):
    """What is stored of a session cannot be read as a conversation. Trying again does not help.

    It was damaged, a turn in the middle of it is missing, or a newer version of finalturn wrote it. A
    `SessionStore` raises it from ``load``.

    Args:
        message: what is wrong, in words that a client may see.
        result: ``None``: no turn has ended.
    """


@beta(since=NEXT)
class SessionTimeoutError(SessionError):
    """A store did not answer in time.

    When it is raised while a turn is saved, nobody knows whether the turn was saved, or will be yet: load the
    session before you repeat the turn. The finished turn is in ``result``.

    Args:
        message: what took too long, in words that a client may see.
        result: the finished turn; ``None`` when it was not a turn that was being saved.
    """


@stable(since="0.1.0")
class ProtocolError(FinalturnError):
    """The turn's state machine was given an input that its phase does not allow.

    It means that a driver is wrong, not the caller. Nothing has changed.

    Attributes:
        phase: the phase the machine is in.
        input: the name of the input's type.
        last_rule: the rule that brought the machine there; ``None`` before the first.
        reason: why it is not allowed.
    """

    def __init__(self, phase: str, input: str, last_rule: str | None, reason: str) -> None:
        super().__init__(phase, input, last_rule, reason)
        self.phase = phase
        self.input = input
        self.last_rule = last_rule
        self.reason = reason

    def __str__(self) -> str:
        last_rule = self.last_rule or "none"
        return f"{self.input} is not legal in phase {self.phase} (last rule: {last_rule}): {self.reason}"
