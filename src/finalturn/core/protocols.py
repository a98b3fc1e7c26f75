"""What a user may plug in. Any object with the right methods will do; nothing is inherited."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from finalturn.core.messages import Message, ToolCall
from finalturn.core.model import ModelEvent, ModelRequest, ModelResponse

__all__ = [
    "Denial",
    "DenialKind",
    "Provider",
    "SessionHistory",
    "SessionStore",
    "ShouldFinalize",
    "StreamHandler",
    "StreamingProvider",
    "ToolGate",
]


@runtime_checkable
class Provider(Protocol):
    """A model that answers as a whole.

    An attribute ``capabilities`` (`Capabilities`) is read when it is there. So is ``unsupported_settings``, a
    frozenset of names of `ModelSettings` fields: an agent that is given one of them is not made. A
    synchronous ``complete`` runs in a thread. A method ``for_turn()`` is called once for each turn when it is
    there, and the provider that it returns answers all model calls of that turn.
    """

    def complete(self, request: ModelRequest, /) -> ModelResponse | Awaitable[ModelResponse]:
        """Answer one request.

        Raises:
            ProviderError: the model could not be reached, or refused the request.
        """
        ...


@runtime_checkable
class StreamingProvider(Protocol):
    """A model that answers piece by piece. An agent streams whenever its provider can."""

    def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent] | Iterator[ModelEvent]:
        """Yield pieces, then one `ModelEnd`. A stream that ends without it has failed.

        Closing the iterator (``aclose`` or ``close``) must free what it holds. Hold no cancel scope,
        timeout or task group open across a ``yield``: the pieces may be read by different tasks.
        A plain method is called on the event loop and must not block before it returns its iterator;
        the items of a plain iterator are waited for in a thread.

        Raises:
            ProviderError: while iterating: the call failed or broke off.
        """
        ...


@runtime_checkable
class ShouldFinalize(Protocol):
    """Decides, at most once a turn, whether a plain turn still needs its structured answer."""

    def __call__(self, messages: Sequence[Message], last_response_text: str, /) -> bool | Awaitable[bool]:
        """Whether to make the object.

        Args:
            messages: the conversation at convergence, in order: prior history, SYSTEM injections, this
                turn's USER messages, tool calls and their TOOL messages. A fresh list.
            last_response_text: the text that the model converged with, shown or not.
        """
        ...


@runtime_checkable
class StreamHandler(Protocol):
    """Gets every piece of shown content, in order, before the result."""

    def __call__(self, text: str, /) -> object:
        """Take one piece; an awaitable that it returns is awaited."""
        ...


DenialKind: TypeAlias = Literal["policy", "approval", "coherence"]


@dataclass(frozen=True, slots=True)
class Denial:
    """A gate's no: why, in words for the model, and of which kind."""

    reason: str
    kind: DenialKind = "policy"


@runtime_checkable
class ToolGate(Protocol):
    """Is asked before a tool runs. A gate that raises denies."""

    def check(
        self, call: ToolCall, messages: Sequence[Message], /
    ) -> Denial | Awaitable[Denial | None] | None:
        """``None`` lets the call run.

        Args:
            call: what is about to run; its tool is known and its arguments are valid.
            messages: the conversation up to and including the message that asks for the call.
        """
        ...


@dataclass(frozen=True, slots=True)
class SessionHistory:
    """A session's messages, oldest first, and a version that grows with every append."""

    messages: tuple[Message, ...] = ()
    version: int = 0


@runtime_checkable
class SessionStore(Protocol):
    """Keeps conversations. A session that was never written to is empty, at version 0."""

    def load(self, session: str, /) -> SessionHistory | Awaitable[SessionHistory]:
        """Read a session.

        Raises:
            SessionError: it cannot be read, or the id is not allowed.
        """
        ...

    def append(self, session: str, messages: Sequence[Message], version: int, /) -> Awaitable[None] | None:
        """Add a turn's messages, all or none.

        Args:
            version: the version that the turn was started from.

        Raises:
            SessionError: someone else has appended since, or the store cannot be written.
        """
        ...
