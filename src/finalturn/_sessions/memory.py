"""`InMemorySessions`: a store of sessions in this process's memory."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import UTC, datetime

from finalturn._adapters.store import immediate
from finalturn._core.errors import SessionConflictError
from finalturn._core.messages import Message
from finalturn._core.protocols import SessionHistory, SessionSummary
from finalturn._sessions.ids import check_session_id
from finalturn.stability import NEXT, beta, stable


@stable(since="0.1.0", fields={"list_sessions": beta(since=NEXT), "delete": beta(since=NEXT)})
class InMemorySessions:
    """A `SessionStore` that forgets everything when the process ends. Safe to share between threads.

    It lists and deletes sessions too.

    Each append makes a session's version one higher. Of two turns that started from the same version, the
    one that ends first is kept, and the other gets a `SessionError`. Until the process ends nothing
    is forgotten: it is meant for tests, notebooks and small tools.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: dict[str, SessionHistory] = {}
        self._updated: dict[str, datetime] = {}

    @immediate
    def load(self, session: str, /) -> SessionHistory:
        """Read a session; one that was never written to is empty.

        Args:
            session: its id: 1 to 128 ASCII letters, digits and ``._:@-``, none of ``.:@`` first.

        Raises:
            SessionError: the id is not allowed.
        """
        with self._lock:
            return self._sessions.get(check_session_id(session), SessionHistory())

    @immediate
    def append(self, session: str, messages: Sequence[Message], version: int, /) -> None:
        """Add a turn's messages.

        Args:
            session: its id, as for `load`.
            messages: the turn's new messages, in order.
            version: the version that the turn was started from.

        Raises:
            SessionError: someone else has appended since ``version``, or the id is not allowed.
        """
        with self._lock:
            history = self._sessions.get(check_session_id(session), SessionHistory())
            if history.version != version:
                raise SessionConflictError(
                    "another turn was saved to this session meanwhile; load it again and repeat the turn"
                )
            self._sessions[session] = SessionHistory((*history.messages, *messages), version + 1)
            self._updated[session] = datetime.now(UTC)

    @immediate
    def list_sessions(self, prefix: str, after: str, limit: int, /) -> list[SessionSummary]:
        """Some sessions, ordered by their ids.

        Args:
            prefix: the ids start with it; ``""`` for all.
            after: the ids are greater than it; ``""`` for the first page, else the last id of the page
                before.
            limit: how many at most, from 1.
        """
        with self._lock:
            chosen = sorted(
                session for session in self._sessions if session.startswith(prefix) and session > after
            )
            return [
                SessionSummary(session, self._sessions[session].version, self._updated[session])
                for session in chosen[:limit]
            ]

    @immediate
    def delete(self, session: str, /) -> bool:
        """Forget a session.

        Args:
            session: its id, as for `load`.

        Returns:
            Whether there was one.

        Raises:
            SessionError: the id is not allowed.
        """
        with self._lock:
            self._updated.pop(check_session_id(session), None)
            return self._sessions.pop(session, None) is not None
