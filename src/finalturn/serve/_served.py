"""A served agent: what all endpoints share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from finalturn.agent import Agent
from finalturn.agent._access import format_of_agent, output_of_agent, spec_of, with_sessions
from finalturn.core.errors import ConfigurationError
from finalturn.core.messages import Message, Role
from finalturn.core.output import Output
from finalturn.core.protocols import SessionStore
from finalturn.serve._config import ServeConfig
from finalturn.serve._failure import NOT_FOUND
from finalturn.serve._owners import stored_session
from finalturn.serve._problem import Problem
from finalturn.serve._projection import Projection
from finalturn.serve._public import parsed_writer
from finalturn.serve._run import Run
from finalturn.serve._runs import Runs
from finalturn.serve._spans import traced
from finalturn.serve._stores import BoundedStore
from finalturn.serve._unwritable import check_writable

__all__ = ["Served"]


class Served:
    """An agent, where its sessions are kept, its runs, and the limits of all of them.

    Args:
        agent: runs the turns.
        sessions: where conversations are kept; ``None`` for the agent's own store, if it has one.
        config: the limits.

    Raises:
        ConfigurationError: ``agent`` is none, or its answers cannot be written as JSON.
    """

    def __init__(self, agent: Agent[Any], sessions: SessionStore | None, config: ServeConfig) -> None:
        if not isinstance(agent, Agent):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ConfigurationError(f"an Agent can be served, not a {type(agent).__name__}")
        spec = spec_of(agent)
        check_writable(format_of_agent(agent))
        self.config: ServeConfig = config
        self.store: SessionStore | None = spec.sessions if sessions is None else sessions
        bounded = None if self.store is None else BoundedStore(self.store, config.max_session_messages)
        self.agent: Agent[Any] = with_sessions(traced(agent), bounded)
        self.takes_images: bool = spec.capabilities.images
        self.runs: Runs = Runs(config, parsed_writer(self.response_format))

    @property
    def response_format(self) -> object:
        """The agent's response_format, as it was given."""
        return format_of_agent(self.agent)

    @property
    def output(self) -> Output[Any] | None:
        """What ``parsed`` of a result is; ``None`` for agents without a response_format."""
        return output_of_agent(self.agent)

    @property
    def keeps_sessions(self) -> bool:
        """Whether a request may name a session."""
        return self.store is not None

    def begin(
        self,
        messages: Sequence[Message],
        make_projection: Callable[[str], Projection],
        *,
        owner: str | None,
        session: str | None,
        format: str,
    ) -> Run:
        """Begin a turn.

        Args:
            messages: what a client gave, checked.
            make_projection: makes the projection for the id of the run.
            owner: who asks.
            session: the client's id of the session, checked; ``None`` for a turn without one.
            format: the stream format.

        Raises:
            Problem: there are too many runs, another one of the session goes on, or the server shuts down.
        """
        stored = None if session is None else stored_session(owner, session)
        # The other formats have no way to name a run: the AI SDK's is found by its session, if it has one.
        can_resume = format == "native" or (format == "ai-sdk" and session is not None)
        return self.runs.start(
            lambda: self.agent.astream(messages, session=stored),
            make_projection,
            owner=owner,
            session=session,
            format=format,
            can_resume=can_resume,
        )

    def find(self, run_id: str, *, owner: str | None, session: str | None, format: str) -> Run:
        """A run that can be resumed.

        Raises:
            Problem: there is none that is theirs.
        """
        run = self.runs.find(run_id, owner=owner, session=session, format=format)
        if run is None or not self.runs.can_resume:
            raise Problem.of(NOT_FOUND)
        return run

    def check_count(self, count: int, all_of: str) -> None:
        """Refuse more messages than the server takes.

        Args:
            count: how many there are.
            all_of: a JSON Pointer to them.

        Raises:
            Problem: there are too many.
        """
        if count > self.config.max_messages:
            raise Problem.field(all_of, f"must have at most {self.config.max_messages} messages")

    def check_messages(
        self, messages: Sequence[Message], field_of: Callable[[int], str], all_of: str
    ) -> None:
        """Refuse what the agent would not take.

        Args:
            messages: what a client gave.
            field_of: a JSON Pointer to the message at a place.
            all_of: a JSON Pointer to all of them.

        Raises:
            Problem: a field is wrong; it is named.
        """
        self.check_count(len(messages), all_of)
        if not messages or messages[-1].role is not Role.USER:
            raise Problem.field(all_of, "must end with a message of the user")
        for place, message in enumerate(messages):
            if message.content_parts and not self.takes_images:
                raise Problem.field(field_of(place), "holds an image, and this agent takes none")
        last = messages[-1]
        if not last.content.strip() and not last.content_parts:
            raise Problem.field(field_of(len(messages) - 1), "is empty: there is nothing to answer")
