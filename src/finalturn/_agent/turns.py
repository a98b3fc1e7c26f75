"""The methods of an agent that run a turn: `run`, `arun`, `stream` and `astream`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar, overload

from pydantic import TypeAdapter

from finalturn._agent.checks import check_handler, check_images
from finalturn._agent.input import read_input
from finalturn._agent.spec import AgentSpec, TurnSpec
from finalturn._agent.stream import AgentStream
from finalturn._agent.sync import SyncStream, drain, refuse_async_handler, run_blocking
from finalturn._core.errors import ConfigurationError
from finalturn._core.messages import Message
from finalturn._core.protocols import StreamHandler
from finalturn._core.result import AgentResult
from finalturn._response_format import output_of
from finalturn._sessions.ids import check_session_id
from finalturn._support.keywords import known_keywords

if TYPE_CHECKING:
    from finalturn._core.output import Output

T_co = TypeVar("T_co", covariant=True)
S = TypeVar("S")


class _NotGiven:
    """The type of a response_format that a call does not give: the agent's own holds."""


NOT_GIVEN: Final = _NotGiven()

Input: TypeAlias = str | Sequence[Message]
Format: TypeAlias = type[Any] | TypeAdapter[Any] | Mapping[str, Any] | UnionType | _NotGiven | None


class Turns(Generic[T_co]):
    """The methods of an `Agent` that run a turn: they differ in how it is shown, and in nothing else."""

    _spec: AgentSpec
    _output: Output[Any] | None

    @overload
    def run(
        self, input: Input, *, stream_handler: StreamHandler | None = None, session: str | None = None
    ) -> AgentResult[T_co]: ...

    @overload
    def run(
        self,
        input: Input,
        *,
        response_format: type[S],
        stream_handler: StreamHandler | None = None,
        session: str | None = None,
    ) -> AgentResult[S]: ...

    @overload
    def run(
        self,
        input: Input,
        *,
        response_format: TypeAdapter[S],
        stream_handler: StreamHandler | None = None,
        session: str | None = None,
    ) -> AgentResult[S]: ...

    @overload
    def run(
        self,
        input: Input,
        *,
        response_format: Mapping[str, Any] | UnionType,
        stream_handler: StreamHandler | None = None,
        session: str | None = None,
    ) -> AgentResult[Any]: ...

    @overload
    def run(
        self,
        input: Input,
        *,
        response_format: None,
        stream_handler: StreamHandler | None = None,
        session: str | None = None,
    ) -> AgentResult[None]: ...

    @known_keywords("Agent.run")
    def run(
        self,
        input: Input,
        *,
        response_format: Format = NOT_GIVEN,
        stream_handler: StreamHandler | None = None,
        session: str | None = None,
    ) -> AgentResult[Any]:
        """Run a turn and wait for its result.

        Works inside a running event loop too (a notebook), which it blocks; use `arun` where that matters.

        Args:
            input: the user's text; or messages, of which the trailing run of USER messages is this turn's,
                and what precedes it is prior history.
            response_format: as for the agent, for this call alone; ``None`` asks for no structure. When it
                is not given, the agent's own holds.
            stream_handler: gets every piece of shown content, in order, in the calling thread.
            session: the id of the session that the turn continues and is saved to: 1 to 128 ASCII letters,
                digits and ``._:@-``, none of ``.:@`` first. It needs ``sessions`` of the agent.

        Returns:
            The same result that a stream ends with.

        Raises:
            ConfigurationError: the call cannot work; raised before any model call.
            MessageFormatError: the input holds something that is not a Message.
            ProviderError: the model failed.
            SessionError: the session could not be loaded or saved, or its id is not allowed.
        """
        from finalturn._agent.portal import portal

        check_handler(stream_handler)
        refuse_async_handler(stream_handler)
        stream = self._open(input, response_format, session)
        backend = portal()
        backend.check("arun()")
        return run_blocking(stream, stream_handler, backend)

    @overload
    async def arun(
        self, input: Input, *, stream_handler: StreamHandler | None = None, session: str | None = None
    ) -> AgentResult[T_co]: ...

    @overload
    async def arun(
        self,
        input: Input,
        *,
        response_format: type[S],
        stream_handler: StreamHandler | None = None,
        session: str | None = None,
    ) -> AgentResult[S]: ...

    @overload
    async def arun(
        self,
        input: Input,
        *,
        response_format: TypeAdapter[S],
        stream_handler: StreamHandler | None = None,
        session: str | None = None,
    ) -> AgentResult[S]: ...

    @overload
    async def arun(
        self,
        input: Input,
        *,
        response_format: Mapping[str, Any] | UnionType,
        stream_handler: StreamHandler | None = None,
        session: str | None = None,
    ) -> AgentResult[Any]: ...

    @overload
    async def arun(
        self,
        input: Input,
        *,
        response_format: None,
        stream_handler: StreamHandler | None = None,
        session: str | None = None,
    ) -> AgentResult[None]: ...

    @known_keywords("Agent.arun")
    async def arun(
        self,
        input: Input,
        *,
        response_format: Format = NOT_GIVEN,
        stream_handler: StreamHandler | None = None,
        session: str | None = None,
    ) -> AgentResult[Any]:
        """Run a turn and wait for its result, on asyncio or trio.

        Cancelling it stops the turn: the model call ends, no tool starts, nothing is saved.

        Args:
            input: as for `run`.
            response_format: as for `run`.
            stream_handler: gets every piece of shown content, in order, and may be asynchronous.
            session: as for `run`.

        Returns:
            The same result that a stream ends with.

        Raises:
            ConfigurationError: the call cannot work; raised before any model call.
            MessageFormatError: the input holds something that is not a Message.
            ProviderError: the model failed.
            SessionError: the session could not be loaded or saved, or its id is not allowed.
        """
        check_handler(stream_handler)
        return await drain(self._open(input, response_format, session), stream_handler)

    @overload
    def stream(self, input: Input, *, session: str | None = None) -> SyncStream[T_co]: ...

    @overload
    def stream(
        self, input: Input, *, response_format: type[S], session: str | None = None
    ) -> SyncStream[S]: ...

    @overload
    def stream(
        self, input: Input, *, response_format: TypeAdapter[S], session: str | None = None
    ) -> SyncStream[S]: ...

    @overload
    def stream(
        self, input: Input, *, response_format: Mapping[str, Any] | UnionType, session: str | None = None
    ) -> SyncStream[Any]: ...

    @overload
    def stream(
        self, input: Input, *, response_format: None, session: str | None = None
    ) -> SyncStream[None]: ...

    @known_keywords("Agent.stream")
    def stream(
        self, input: Input, *, response_format: Format = NOT_GIVEN, session: str | None = None
    ) -> SyncStream[Any]:
        """Run a turn as an iterator of chunks that ends with its result.

        What fails while the turn runs is raised by the stream.

        Args:
            input: as for `run`.
            response_format: as for `run`.
            session: as for `run`.

        Raises:
            ConfigurationError: the call cannot work; raised here, before any model call.
            MessageFormatError: the input holds something that is not a Message; raised here.
            SessionError: the session's id is not allowed; raised here.
        """
        from finalturn._agent.portal import portal

        stream = self._open(input, response_format, session)
        backend = portal()
        backend.check("astream()")
        return SyncStream(stream, backend)

    @overload
    def astream(self, input: Input, *, session: str | None = None) -> AgentStream[T_co]: ...

    @overload
    def astream(
        self, input: Input, *, response_format: type[S], session: str | None = None
    ) -> AgentStream[S]: ...

    @overload
    def astream(
        self, input: Input, *, response_format: TypeAdapter[S], session: str | None = None
    ) -> AgentStream[S]: ...

    @overload
    def astream(
        self, input: Input, *, response_format: Mapping[str, Any] | UnionType, session: str | None = None
    ) -> AgentStream[Any]: ...

    @overload
    def astream(
        self, input: Input, *, response_format: None, session: str | None = None
    ) -> AgentStream[None]: ...

    @known_keywords("Agent.astream")
    def astream(
        self, input: Input, *, response_format: Format = NOT_GIVEN, session: str | None = None
    ) -> AgentStream[Any]:
        """Run a turn as an asynchronous stream of chunks that ends with its result, on asyncio or trio.

        What fails while the turn runs is raised by the stream.

        Args:
            input: as for `run`.
            response_format: as for `run`.
            session: as for `run`.

        Raises:
            ConfigurationError: the call cannot work; raised here, before any model call.
            MessageFormatError: the input holds something that is not a Message; raised here.
            SessionError: the session's id is not allowed; raised here.
        """
        return self._open(input, response_format, session)

    def _open(
        self, turn_input: str | Sequence[Message], response_format: Format, session: str | None
    ) -> AgentStream[Any]:
        spec = self._spec
        history, user = read_input(turn_input)
        check_images(user, spec.capabilities)
        output = self._output
        if not isinstance(response_format, _NotGiven):
            output = None if response_format is None else output_of(response_format)
        if session is not None:
            if spec.sessions is None:
                raise ConfigurationError(
                    "a session needs a store: give the agent sessions=InMemorySessions()"
                )
            check_session_id(session)
        return AgentStream(TurnSpec(spec, history, user, output, session))
