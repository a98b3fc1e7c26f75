"""`Served`: an agent with its store, its limits and its runs, which all endpoints share."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from copy import copy
from hashlib import sha256
from typing import Any

from starlette.requests import Request

from finalturn._agent import Agent, AgentStream
from finalturn._agent.agent import format_of_agent, output_of_agent, spec_of, with_sessions
from finalturn._agent.checks import check_sessions, check_type
from finalturn._agent.not_a_part import not_an_agent
from finalturn._agent.streams import deps_in_override
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
from finalturn._serve.per_request.agents import AgentForRequest, agent_for_request
from finalturn._serve.per_request.calls import check_function
from finalturn._serve.per_request.deps import DepsForRequest, check_deps_for_request, opened_deps
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
        deps: gives what a turn is run with.
        agent_for: gives the agent of a turn, in place of ``agent``.

    Raises:
        ConfigurationError: ``agent`` is none, its answers cannot be written as JSON, or its turns cannot be
            run with what ``deps`` gives.
    """

    def __init__(
        self,
        agent: Agent[Any, Any],
        sessions: SessionStore | None,
        config: ServeConfig,
        deps: DepsForRequest[Any] | None = None,
        agent_for: AgentForRequest[Any] | None = None,
    ) -> None:
        if not isinstance(agent, Agent):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ConfigurationError(f"an Agent can be served, not {not_an_agent(agent)}")
        check_type(config, ServeConfig, "config")
        check_sessions(sessions)
        spec = spec_of(agent)
        check_writable(format_of_agent(agent))
        check_deps_for_request(deps, spec.deps_type)
        check_function(agent_for, "agent_for", "an Agent")
        self._deps = deps
        self._agent_for = agent_for
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

    @property
    def asks_application(self) -> bool:
        """Whether the application may refuse a turn."""
        return self._deps is not None or self._agent_for is not None

    async def for_request(self, request: Request, owner: str | None) -> Served:
        """The same, with the agent for a request.

        Args:
            request: what asks for a turn.
            owner: who has sent it.

        Raises:
            Problem: the application refuses the request.
            ConfigurationError: what it gives cannot be served here.
        """
        if self._agent_for is None:
            return self
        agent = await agent_for_request(self._agent_for, request, owner, self.agent)
        served = copy(self)
        served.agent = with_sessions(traced(agent), self._bounded())
        served.takes_images = spec_of(agent).capabilities.images
        return served

    async def begin(
        self,
        messages: Sequence[Message],
        make_projection: Callable[[str], Projection],
        *,
        request: Request,
        owner: str | None,
        session: str | None,
        format: str,
    ) -> Run:
        """Begin a turn.

        Args:
            messages: what a client gave, checked.
            make_projection: makes the projection for the id of the run.
            request: what asks for the turn.
            owner: who asks.
            session: the client's id of the session, checked; ``None`` for a turn without one.
            format: the stream format.

        Raises:
            Problem: there are too many runs, another one of the session goes on, the server shuts down, or
                the application refuses the turn.
        """
        if session is not None and not self.runs.draining:
            await self.runs.end_running(owner, session)
        stored = None if session is None else stored_session(owner, session)
        # The other formats have no way to name a run: the AI SDK's is found by its session, if it has one.
        can_resume = format == "native" or (format == "ai-sdk" and session is not None)
        run = self.runs.start(
            lambda run_id: self._turn(messages, stored, run_id, request, owner),
            make_projection,
            owner=owner,
            session=session,
            format=format,
            can_resume=can_resume,
            asked=_digest(messages) if session is not None and can_resume else b"",
        )
        if self._deps is not None:
            await self.runs.begun(run)
        return run

    def _turn(
        self,
        messages: Sequence[Message],
        session: str | None,
        run_id: str,
        request: Request,
        owner: str | None,
    ) -> AbstractAsyncContextManager[AgentStream[Any]]:
        if self._deps is None or deps_in_override(self.agent):
            return self.agent.astream(messages, session=session, run_id=run_id)
        return self._turn_with_deps(self._deps, messages, session, run_id, request, owner)

    @asynccontextmanager
    async def _turn_with_deps(
        self,
        make_deps: DepsForRequest[Any],
        messages: Sequence[Message],
        session: str | None,
        run_id: str,
        request: Request,
        owner: str | None,
    ) -> AsyncGenerator[AgentStream[Any], None]:
        async with opened_deps(make_deps, request, owner) as deps:
            yield self.agent.astream(messages, session=session, run_id=run_id, deps=deps)

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
