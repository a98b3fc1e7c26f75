"""The agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar, overload

from pydantic import BaseModel, TypeAdapter

from finalturn._response_format import output_of
from finalturn.agent._checks import Text, check_images
from finalturn.agent._config import StructuredOutputConfig
from finalturn.agent._input import read_input
from finalturn.agent._spec import TurnSpec, make_spec, warn_of_fallback
from finalturn.agent._stream import AgentStream
from finalturn.agent._sync import SyncStream, drain, refuse_async_handler, run_blocking
from finalturn.core.errors import ConfigurationError
from finalturn.core.messages import Message
from finalturn.core.model import ModelSettings
from finalturn.core.protocols import Provider, SessionStore, StreamHandler, StreamingProvider, ToolGate
from finalturn.core.result import AgentResult
from finalturn.sessions._ids import check_session_id
from finalturn.tools import Tool

if TYPE_CHECKING:
    from finalturn.core.output import Output

T_co = TypeVar("T_co", covariant=True)
S = TypeVar("S")
M = TypeVar("M", bound=BaseModel)


class _NotGiven:
    """The type of a response_format that a call does not give: the agent's own holds."""


NOT_GIVEN: Final = _NotGiven()

Input: TypeAlias = str | Sequence[Message]
Format: TypeAlias = type[BaseModel] | TypeAdapter[Any] | Mapping[str, Any] | _NotGiven | None


class Agent(Generic[T_co]):
    """A model with tools, whose turns stream prose and end in a typed object.

    An agent keeps no conversation and may serve any number of turns at once.

    Args:
        provider: the model. It streams when it has a method ``stream``.
        tools: what the model may call.
        system_prompt: a text, or a callable, sync or async, that is asked for it once a turn.
        structured_output: how structured answers are made.
        response_format: what every call's structured answer is, unless the call says otherwise: a
            pydantic model class, a ``TypeAdapter``, a JSON Schema mapping (draft 2020-12), or ``None``.
        max_iterations: how many times a turn may ask the model before it must be done, retries apart.
        parallel_tools: run the tools of one response at the same time, up to 16.
        gates: asked, in order, before a tool runs.
        context: texts, or callables that give them, evaluated once a turn. They stand as SYSTEM messages
            between the history and the user's messages, and are not kept. An empty text is left out.
        sessions: where conversations are kept.
        settings: how to sample.

    Raises:
        ConfigurationError: something in it cannot work; the message says what to do.
    """

    @overload
    def __init__(
        self: Agent[None],
        provider: Provider | StreamingProvider,
        *,
        tools: Sequence[Tool[..., Any]] = (),
        system_prompt: Text = "",
        structured_output: StructuredOutputConfig = ...,
        response_format: None = None,
        max_iterations: int = 10,
        parallel_tools: bool = True,
        gates: Sequence[ToolGate] = (),
        context: Sequence[Text] = (),
        sessions: SessionStore | None = None,
        settings: ModelSettings = ...,
    ) -> None: ...

    @overload
    def __init__(
        self: Agent[M],
        provider: Provider | StreamingProvider,
        *,
        tools: Sequence[Tool[..., Any]] = (),
        system_prompt: Text = "",
        structured_output: StructuredOutputConfig = ...,
        response_format: type[M],
        max_iterations: int = 10,
        parallel_tools: bool = True,
        gates: Sequence[ToolGate] = (),
        context: Sequence[Text] = (),
        sessions: SessionStore | None = None,
        settings: ModelSettings = ...,
    ) -> None: ...

    @overload
    def __init__(
        self: Agent[S],
        provider: Provider | StreamingProvider,
        *,
        tools: Sequence[Tool[..., Any]] = (),
        system_prompt: Text = "",
        structured_output: StructuredOutputConfig = ...,
        response_format: TypeAdapter[S],
        max_iterations: int = 10,
        parallel_tools: bool = True,
        gates: Sequence[ToolGate] = (),
        context: Sequence[Text] = (),
        sessions: SessionStore | None = None,
        settings: ModelSettings = ...,
    ) -> None: ...

    @overload
    def __init__(
        self: Agent[Any],
        provider: Provider | StreamingProvider,
        *,
        tools: Sequence[Tool[..., Any]] = (),
        system_prompt: Text = "",
        structured_output: StructuredOutputConfig = ...,
        response_format: Mapping[str, Any],
        max_iterations: int = 10,
        parallel_tools: bool = True,
        gates: Sequence[ToolGate] = (),
        context: Sequence[Text] = (),
        sessions: SessionStore | None = None,
        settings: ModelSettings = ...,
    ) -> None: ...

    def __init__(
        self,
        provider: Provider | StreamingProvider,
        *,
        tools: Sequence[Tool[..., Any]] = (),
        system_prompt: Text = "",
        structured_output: StructuredOutputConfig = StructuredOutputConfig(),  # noqa: B008  # immutable
        response_format: type[BaseModel] | TypeAdapter[Any] | Mapping[str, Any] | None = None,
        max_iterations: int = 10,
        parallel_tools: bool = True,
        gates: Sequence[ToolGate] = (),
        context: Sequence[Text] = (),
        sessions: SessionStore | None = None,
        settings: ModelSettings = ModelSettings(),  # noqa: B008  # immutable
    ) -> None:
        self._spec = make_spec(
            provider=provider,
            tools=tools,
            system_prompt=system_prompt,
            structured_output=structured_output,
            max_iterations=max_iterations,
            parallel_tools=parallel_tools,
            gates=gates,
            context=context,
            sessions=sessions,
            settings=settings,
        )
        self._output: Output[Any] | None = None if response_format is None else output_of(response_format)
        self._warned = warn_of_fallback(self._spec, self._output)

    @overload
    def run(
        self, input: Input, *, stream_handler: StreamHandler | None = None, session: str | None = None
    ) -> AgentResult[T_co]: ...

    @overload
    def run(
        self,
        input: Input,
        *,
        response_format: type[M],
        stream_handler: StreamHandler | None = None,
        session: str | None = None,
    ) -> AgentResult[M]: ...

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
        response_format: Mapping[str, Any],
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
            response_format: as for the agent, for this call alone; ``None`` asks for no structure.
            stream_handler: gets every piece of shown content, in order, in the calling thread.
            session: the id of the session that the turn continues and is saved to.

        Raises:
            ConfigurationError: the call cannot work; raised before any model call.
            MessageFormatError: the input holds something that is not a Message.
            ProviderError: the model failed.
            SessionError: the session could not be loaded or saved.
        """
        from finalturn.agent._portal import portal

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
        response_format: type[M],
        stream_handler: StreamHandler | None = None,
        session: str | None = None,
    ) -> AgentResult[M]: ...

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
        response_format: Mapping[str, Any],
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

    async def arun(
        self,
        input: Input,
        *,
        response_format: Format = NOT_GIVEN,
        stream_handler: StreamHandler | None = None,
        session: str | None = None,
    ) -> AgentResult[Any]:
        """As `run`, asynchronously, on asyncio or trio; the stream_handler may be asynchronous."""
        return await drain(self._open(input, response_format, session), stream_handler)

    @overload
    def stream(self, input: Input, *, session: str | None = None) -> SyncStream[T_co]: ...

    @overload
    def stream(
        self, input: Input, *, response_format: type[M], session: str | None = None
    ) -> SyncStream[M]: ...

    @overload
    def stream(
        self, input: Input, *, response_format: TypeAdapter[S], session: str | None = None
    ) -> SyncStream[S]: ...

    @overload
    def stream(
        self, input: Input, *, response_format: Mapping[str, Any], session: str | None = None
    ) -> SyncStream[Any]: ...

    @overload
    def stream(
        self, input: Input, *, response_format: None, session: str | None = None
    ) -> SyncStream[None]: ...

    def stream(
        self, input: Input, *, response_format: Format = NOT_GIVEN, session: str | None = None
    ) -> SyncStream[Any]:
        """As `astream`, for synchronous callers: the same sequence, as a plain iterator."""
        from finalturn.agent._portal import portal

        stream = self._open(input, response_format, session)
        backend = portal()
        backend.check("astream()")
        return SyncStream(stream, backend)

    @overload
    def astream(self, input: Input, *, session: str | None = None) -> AgentStream[T_co]: ...

    @overload
    def astream(
        self, input: Input, *, response_format: type[M], session: str | None = None
    ) -> AgentStream[M]: ...

    @overload
    def astream(
        self, input: Input, *, response_format: TypeAdapter[S], session: str | None = None
    ) -> AgentStream[S]: ...

    @overload
    def astream(
        self, input: Input, *, response_format: Mapping[str, Any], session: str | None = None
    ) -> AgentStream[Any]: ...

    @overload
    def astream(
        self, input: Input, *, response_format: None, session: str | None = None
    ) -> AgentStream[None]: ...

    def astream(
        self, input: Input, *, response_format: Format = NOT_GIVEN, session: str | None = None
    ) -> AgentStream[Any]:
        """Run a turn as a stream of chunks that ends with its result.

        Args:
            input: as for `run`.
            response_format: as for `run`.
            session: as for `run`.

        Raises:
            ConfigurationError: the call cannot work; raised here, before any model call.
            MessageFormatError: the input holds something that is not a Message; raised here.
        """
        return self._open(input, response_format, session)

    def _open(
        self, given: str | Sequence[Message], response_format: Format, session: str | None
    ) -> AgentStream[Any]:
        spec = self._spec
        history, user = read_input(given)
        check_images(user, spec.capabilities)
        output = self._output
        if not isinstance(response_format, _NotGiven):
            output = None if response_format is None else output_of(response_format)
        self._warned = self._warned or warn_of_fallback(spec, output)
        if session is not None:
            if spec.sessions is None:
                raise ConfigurationError(
                    "a session needs a store: give the agent sessions=InMemorySessions()"
                )
            check_session_id(session)
        return AgentStream(TurnSpec(spec, history, user, output, session))
