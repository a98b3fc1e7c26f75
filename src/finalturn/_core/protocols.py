"""The protocols of what users plug in: providers, session stores, gates, handlers, predicates.

Any object with the right methods will do; nothing is inherited.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

from finalturn._core.messages import Message, ToolCall
from finalturn._core.model import ModelEvent, ModelRequest, ModelResponse
from finalturn._core.run_context import RunContext
from finalturn._support.keywords import checked_class
from finalturn.stability import NEXT, beta, stable

if TYPE_CHECKING:
    from datetime import datetime

__all__ = [
    "ContextGate",
    "ContextPredicate",
    "Denial",
    "DenialKind",
    "Provider",
    "SessionCatalog",
    "SessionHistory",
    "SessionStore",
    "SessionSummary",
    "ShouldFinalize",
    "StreamHandler",
    "StreamingProvider",
    "ToolGate",
]


DepsT_contra = TypeVar("DepsT_contra", contravariant=True)


@stable(since="0.1.0")
@runtime_checkable
class Provider(Protocol):
    """A model that answers as a whole.

    An attribute ``capabilities`` (`Capabilities`) is read when it is there. So is ``unsupported_settings``, a
    frozenset of names of `ModelSettings` fields: an agent that is given one of them is not made. A
    synchronous ``complete`` runs in a thread. A method ``for_turn()`` is called once for each turn when it is
    there, and the provider that it returns answers all model calls of that turn. Attributes ``vendor`` and
    ``model``, texts, say in traces whose model it is.

    Contract:
        - `text-tool-calls-hidden` (beta): The text of a text-encoded tool call MUST NOT be shown as content.
        - `whole-reply-parity` (stable): A provider without streaming MUST give the same shown sequence as one
          with it, but for where the content is cut, and which partial objects are shown.
    """

    def complete(self, request: ModelRequest, /) -> ModelResponse | Awaitable[ModelResponse]:
        """Answer one request.

        Args:
            request: what to ask the model.

        Returns:
            The model's whole answer, or an awaitable of it.

        Raises:
            ProviderError: the model could not be reached, or refused the request.
        """
        ...


@stable(since="0.1.0")
@runtime_checkable
class StreamingProvider(Protocol):
    """A model that answers piece by piece. An agent streams whenever its provider can.

    Contract:
        - `whole-reply-parity` (stable): A provider without streaming MUST give the same shown sequence as one
          with it, but for where the content is cut, and which partial objects are shown.
        - `no-doubled-text` (stable): After the first shown delta of a model call, the call MUST NOT be
          retried or handed to a fallback.
    """

    def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent] | Iterator[ModelEvent]:
        """Yield pieces, then one `ModelEnd`. A stream that ends without it has failed.

        Closing the iterator (``aclose`` or ``close``) must free what it holds. Hold no cancel scope,
        timeout or task group open across a ``yield``: the pieces may be read by different tasks.
        A plain method is called on the event loop and must not block before it returns its iterator;
        the items of a plain iterator are waited for in a thread.

        Args:
            request: what to ask the model.

        Raises:
            ProviderError: while iterating: the call failed or broke off.
        """
        ...


@stable(since="0.1.0")
@runtime_checkable
class ShouldFinalize(Protocol):
    """Decides, at most once a turn, whether a plain turn still needs its structured answer.

    Contract:
        - `valid-answer-wins` (stable): An answer that validates MUST NOT be put to the predicate, with reuse
          off too.
        - `asked-at-most-once` (stable): The predicate MUST be asked at most once a turn, at convergence.
        - `predicate-sees-conversation` (stable): The predicate's `messages` MUST be the conversation at
          convergence, in order: prior history, SYSTEM context injections, this turn's USER messages,
          ASSISTANT tool-call messages, and one TOOL message for each call.
        - `predicate-view-readonly` (stable): What the predicate does to its view MUST NOT change the turn.
        - `predicate-errors-propagate` (stable): An exception of the predicate MUST abort the turn, and reach
          the caller unchanged; a client over HTTP gets an `error` that tells nothing of it.
    """

    def __call__(self, messages: Sequence[Message], last_response_text: str, /) -> bool | Awaitable[bool]:
        """Whether to make the object.

        Args:
            messages: the conversation at convergence, in order: prior history, SYSTEM injections, this
                turn's USER messages, tool calls and their TOOL messages. A fresh list.
            last_response_text: the text that the model converged with, shown or not.

        Returns:
            ``True`` to make the object, ``False`` to end the turn without one; anything else is a
            ``TypeError``.
        """
        ...


@stable(since=NEXT)
@runtime_checkable
class ContextPredicate(Protocol[DepsT_contra]):
    """A `ShouldFinalize` that asks for the context of the run."""

    def __call__(
        self, ctx: RunContext[DepsT_contra], messages: Sequence[Message], last_response_text: str, /
    ) -> bool | Awaitable[bool]:
        """Whether to make the object.

        Args:
            ctx: what the turn is run with. The parameter's annotation must say so.
            messages: as for `ShouldFinalize`.
            last_response_text: as for `ShouldFinalize`.

        Returns:
            As for `ShouldFinalize`.
        """
        ...


@stable(since="0.1.0")
@runtime_checkable
class StreamHandler(Protocol):
    """Gets every piece of shown content, in order, before the result.

    Contract:
        - `handler-parity` (stable): The token callback, and each stream over HTTP, MUST get exactly the shown
          content, in order, all of it before the result.
    """

    def __call__(self, text: str, /) -> object:
        """Take one piece; an awaitable that it returns is awaited.

        Args:
            text: the content of one chunk; never empty.
        """
        ...


DenialKind: TypeAlias = Literal["policy", "approval", "coherence"]
"""Who said no: a rule, a person, or a check of whether the call makes sense in its conversation."""
stable(since="0.1.0").constant(__name__, "DenialKind")


@stable(since="0.1.0")
@checked_class
@dataclass(frozen=True, slots=True)
class Denial:
    """A gate's no.

    Attributes:
        reason: why, in words for the model and the person.
        kind: who said so.
    """

    reason: str
    kind: DenialKind = "policy"


@stable(since="0.1.0")
@runtime_checkable
class ToolGate(Protocol):
    """Is asked before a tool runs. A gate that raises denies.

    Contract:
        - `tool-result-marks-success` (stable): `tool_result` MUST be the result text exactly when the tool
          ran and returned, the empty string included; it is `None` for an error, a timeout, an unknown tool,
          bad arguments, and a denial by policy, approval or coherence, whose text is in `content`.
    """

    def check(
        self, call: ToolCall, messages: Sequence[Message], /
    ) -> Denial | Awaitable[Denial | None] | None:
        """Look at one call.

        Args:
            call: what is about to run; its tool is known and its arguments are valid.
            messages: the conversation up to and including the message that asks for the call.

        Returns:
            Why the call must not run; ``None`` lets it run. Either may come as an awaitable.
        """
        ...


@stable(since=NEXT)
@runtime_checkable
class ContextGate(Protocol[DepsT_contra]):
    """A `ToolGate` whose check asks for the context of the run."""

    def check(
        self, ctx: RunContext[DepsT_contra], call: ToolCall, messages: Sequence[Message], /
    ) -> Denial | Awaitable[Denial | None] | None:
        """Look at one call.

        Args:
            ctx: what the turn is run with. The parameter's annotation must say so.
            call: as for `ToolGate`.
            messages: as for `ToolGate`.

        Returns:
            As for `ToolGate`.
        """
        ...


@stable(since="0.1.0")
@checked_class
@dataclass(frozen=True, slots=True)
class SessionHistory:
    """What a session holds.

    Attributes:
        messages: the conversation so far, oldest first.
        version: 0 for a session that was never written to; it grows with every append.
    """

    messages: tuple[Message, ...] = ()
    version: int = 0


@stable(since="0.1.0")
@runtime_checkable
class SessionStore(Protocol):
    """Keeps conversations. A session that was never written to is empty, at version 0.

    An attribute ``session_timeout`` is read when it is there: how many seconds an agent waits for one call,
    or ``None`` for no limit. It is 30 otherwise. A method that is not asynchronous is called in a thread,
    one call of the store at a time.

    Contract:
        - `history-replayable` (stable): What a turn leaves in history, cancelled at any point, MUST be
          accepted by every provider's encoder.
    """

    def load(self, session: str, /) -> SessionHistory | Awaitable[SessionHistory]:
        """Read a session.

        Args:
            session: its id: 1 to 128 ASCII letters, digits and ``._:@-``, none of ``.:@`` first.

        Returns:
            What it holds, or an awaitable of it.

        Raises:
            SessionDamagedError: what is stored cannot be read; so does a ``ValueError``.
            SessionError: it cannot be read, or the id is not allowed.
        """
        ...

    def append(self, session: str, messages: Sequence[Message], version: int, /) -> Awaitable[None] | None:
        """Add a turn's messages, all or none.

        Args:
            session: its id, as for `load`.
            messages: the turn's new messages, in order.
            version: the version that the turn was started from.

        Raises:
            SessionConflictError: someone else has appended since.
            SessionError: the store cannot be written, or the id is not allowed.
        """
        ...


@beta(since=NEXT)
@checked_class
@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A session, without its messages.

    Attributes:
        session: its id.
        version: how many turns were saved to it.
        updated: when the last of them was, in UTC.
    """

    session: str
    version: int
    updated: datetime


@beta(since=NEXT)
@runtime_checkable
class SessionCatalog(Protocol):
    """What a `SessionStore` may also be able to do: list its sessions, and delete one."""

    def list_sessions(
        self, prefix: str, after: str, limit: int, /
    ) -> Sequence[SessionSummary] | Awaitable[Sequence[SessionSummary]]:
        """Some sessions, ordered by their ids as ASCII text.

        Args:
            prefix: the ids start with it; ``""`` for all.
            after: the ids are greater than it; ``""`` for the first page, else the last id of the one before.
            limit: how many at most, from 1.

        Raises:
            SessionError: the store cannot be read.
        """
        ...

    def delete(self, session: str, /) -> bool | Awaitable[bool]:
        """Forget a session.

        Args:
            session: its id, as for `SessionStore.load`.

        Returns:
            Whether there was one.

        Raises:
            SessionError: the store cannot be written, or the id is not allowed.
        """
        ...
