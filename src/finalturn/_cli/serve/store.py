"""Opens the database of ``finalturn serve --sessions``, and says what is wrong with it."""

from __future__ import annotations

from typing import Any, NamedTuple

from finalturn import Agent, SessionStore
from finalturn._agent.agent import spec_of, with_sessions
from finalturn._agent.stores import load_history
from finalturn._sessions.sql.check import check_database
from finalturn.sessions import InMemorySessions, SQLSessions

__all__ = ["AgentStorage", "storage_for"]

# No session of a client's or an owner's is called so.
_PROBE = "finalturn:start:probe"


class AgentStorage(NamedTuple):
    """An agent, and where its conversations are kept.

    Attributes:
        agent: with no store of its own where there is to be none.
        store: where; ``None`` for nowhere, or for the agent's own.
        own: the store that was made here, to be opened and closed.
    """

    agent: Agent[Any, Any]
    store: SessionStore | None
    own: SQLSessions | None

    async def check(self) -> None:
        """See that the store works, before anybody is served.

        Raises:
            FinalturnError: it does not. The words name the database, and are for whoever runs the server.
        """
        store = self.store if self.store is not None else spec_of(self.agent).sessions
        if isinstance(store, SQLSessions):
            await check_database(store)
        elif store is not None:
            await load_history(store, _PROBE)

    async def close(self) -> None:
        """Close what was opened here."""
        if self.own is not None:
            await self.own.aclose()


def storage_for(agent: Agent[Any, Any], sessions: str | None) -> AgentStorage:
    """Decide where conversations are kept.

    Args:
        agent: the agent.
        sessions: ``"memory"``, ``"none"``, or a database; ``None`` for the agent's own store, and where it
            has none, the file ``finalturn.db``.

    Raises:
        ConfigurationError: a package is missing, or the database is of no kind that is supported.
    """
    if sessions == "none":
        return AgentStorage(with_sessions(agent, None), None, None)
    if sessions == "memory":
        return AgentStorage(agent, InMemorySessions(), None)
    if sessions is None and spec_of(agent).sessions is not None:
        return AgentStorage(agent, None, None)
    store = SQLSessions() if sessions is None else SQLSessions(sessions)
    return AgentStorage(agent, store, store)
