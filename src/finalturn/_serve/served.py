"""`Served`: an agent with its store, its limits and its runs, which all endpoints share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from finalturn._agent import Agent
from finalturn._agent.agent import format_of_agent, output_of_agent, spec_of, with_sessions
from finalturn._agent.checks import check_sessions, check_type
from finalturn._agent.not_a_part import not_an_agent
from finalturn._core import json_text
from finalturn._core.errors import ConfigurationError
from finalturn._core.messages import Message, Role
from finalturn._core.output import Output
from finalturn._core.protocols import SessionStore
from finalturn._serve.access.owners import stored_session
from finalturn._serve.config import ServeConfig
from finalturn._serve.formats.items import Projection
from finalturn._serve.formats.public import parsed_writer
from finalturn._serve.formats.unwritable import check_writable
from finalturn._serve.problems.failure import NOT_AGAIN, NOT_FOUND, RECORDS_GONE
from finalturn._serve.problems.problem import Problem
from finalturn._serve.runs.run import Run
from finalturn._serve.runs.runs import Runs
from finalturn._serve.spans import traced
from finalturn._serve.stores import BoundedStore

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

    def __init__(self, agent: Agent[Any, Any], sessions: SessionStore | None, config: ServeConfig) -> None:
        if not isinstance(agent, Agent):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ConfigurationError(f"an Agent can be served, not {not_an_agent(agent)}")
        check_type(config, ServeConfig, "config")
        check_sessions(sessions)
        spec = spec_of(agent)
        check_writable(format_of_agent(agent))
        self.config: ServeConfig = config
        self.store: SessionStore | None = spec.sessions if sessions is None else sessions
        self.runs: Runs = Runs(config, parsed_writer(format_of_agent(agent)))
        self.agent: Agent[Any, Any] = with_sessions(traced(agent), self._bounded())
        self.takes_images: bool = spec.capabilities.images

    def _bounded(self) -> BoundedStore | None:
        if self.store is None:
            return None
        return BoundedStore(self.store, self.config.max_session_messages, self.runs.mark_saving)

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

    async def begin(
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
        if session is not None and not self.runs.draining:
            await self.runs.end_running(owner, session)
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
            asked=_digest(messages) if session is not None and can_resume else b"",
        )

    def find_repeated(
        self,
        messages: Sequence[Message],
        after: int,
        *,
        owner: str | None,
        session: str | None,
        format: str,
    ) -> Run:
        """The run that the same request has begun before. A client that sends it again begins no second one.

        Args:
            messages: what the client gave, checked.
            after: the number of the last record that it has.
            owner: who asks.
            session: the client's id of the session, if any.
            format: the stream format.

        Raises:
            Problem: there is none, or not all records after that one are kept.
        """
        run = None
        if session is not None:
            run = self.runs.find_repeated(_digest(messages), owner=owner, session=session, format=format)
        if run is None:
            raise Problem.of(NOT_AGAIN)
        return self.check_resumable(run, after)

    def check_resumable(self, run: Run, after: int) -> Run:
        """The run, if it can be resumed, and all its records after that one are kept or still to come.

        Raises:
            Problem: they are not.
        """
        if not run.replays:
            raise Problem.of(NOT_FOUND)
        if not run.can_follow(after):
            raise Problem.of(RECORDS_GONE)
        return run

    def find(self, run_id: str, *, owner: str | None, session: str | None, format: str) -> Run:
        """A run that goes on, or is kept.

        Raises:
            Problem: there is none that is theirs.
        """
        run = self.runs.find(run_id, owner=owner, session=session, format=format)
        if run is None:
            raise Problem.of(NOT_FOUND)
        return run

    def supported_part(self, message: Message) -> Message | None:
        """A message of the user or the assistant, as far as the agent takes it.

        Returns:
            The message, without images where the agent takes none; ``None`` where nothing of it is left.
        """
        if message.content_parts and not self.takes_images:
            message = Message(message.role, message.content, structured=message.structured)
        left = message.content.strip() or message.content_parts or message.structured is not None
        return message if left else None

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


def _digest(messages: Sequence[Message]) -> bytes:
    return sha256(json_text.encode([message.to_dict() for message in messages])).digest()
