"""Wraps the store of a served agent, so that no session grows longer than the server allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from finalturn._adapters.store import call_store
from finalturn._agent.checks import store_seconds
from finalturn._core.messages import Message
from finalturn._core.protocols import SessionHistory, SessionStore
from finalturn._serve.problems.failure import SessionFullError

__all__ = ["BoundedStore"]


class BoundedStore:
    """A `SessionStore` that begins no turn on a session that is too long.

    Args:
        store: keeps the sessions.
        most: a session with as many messages is full.
        on_append: is told the id of a session before a turn is saved to it.

    Attributes:
        session_timeout: seconds that one call may take, as the store says.

    Raises:
        ConfigurationError: that is no time.
    """

    def __init__(
        self, store: SessionStore, most: int, on_append: Callable[[str], None] = lambda session: None
    ) -> None:
        self._store = store
        self._most = most
        self._on_append = on_append
        self.session_timeout: float | None = store_seconds(store)

    async def load(self, session: str, /) -> SessionHistory:
        """Read a session.

        Raises:
            SessionFullError: it is full.
            SessionError: it cannot be read.
        """
        history = await call_store(self._store.load, session)
        if len(history.messages) >= self._most:
            raise SessionFullError("the session takes no further turn")
        return history

    async def append(self, session: str, messages: Sequence[Message], version: int, /) -> None:
        """Add a turn's messages, as the store does."""
        self._on_append(session)
        await call_store(self._store.append, session, messages, version)
