"""Sessions in this process's memory."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from finalturn.core.errors import SessionError
from finalturn.core.messages import Message
from finalturn.core.protocols import SessionHistory
from finalturn.sessions._ids import check_session_id
from finalturn.stability import stable


@stable(since="0.1.0")
class InMemorySessions:
    """A `SessionStore` that forgets everything when the process ends. Safe to share between threads.

    Each append makes a session's version one higher. Of two turns that started from the same version, the
    one that ends first is kept, and the other gets a `SessionError`. Until the process ends nothing is
    forgotten: it is meant for tests, notebooks and small tools.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: dict[str, SessionHistory] = {}

    def load(self, session: str, /) -> SessionHistory:
        """Read a session; one that was never written to is empty.

        Args:
            session: its id: 1 to 128 ASCII letters, digits and ``._:@-``, none of ``.:@`` first.

        Raises:
            SessionError: the id is not allowed.
        """
        with self._lock:
            return self._sessions.get(check_session_id(session), SessionHistory())

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
            found = self._sessions.get(check_session_id(session), SessionHistory())
            if found.version != version:
                raise SessionError(
                    "another turn was saved to this session meanwhile; load it again and repeat the turn"
                )
            self._sessions[session] = SessionHistory((*found.messages, *messages), version + 1)
