"""The methods of an agent that stream a turn, `stream` and `astream`, and what all ways to run one share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from types import MappingProxyType, UnionType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, overload

from pydantic import TypeAdapter
from typing_extensions import TypeForm, TypeVar, Unpack

from finalturn._agent.checks import check_deps, check_images
from finalturn._agent.input import read_input
from finalturn._agent.nested import nested_turn, refuse_cycle
from finalturn._agent.options import NOT_GIVEN, NotGiven, RunOptions, Text
from finalturn._agent.spec import AgentSpec, Changes, TurnSpec, changed_spec
from finalturn._agent.stream import AgentStream
from finalturn._agent.sync import SyncStream
from finalturn._core.errors import ConfigurationError
from finalturn._core.limits import Limits
from finalturn._core.messages import Message
from finalturn._core.model import ModelSettings
from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._response_format import output_of
from finalturn._sessions.ids import check_session_id
from finalturn._support.keywords import known_keywords
from finalturn._tools import Tool

if TYPE_CHECKING:
    from finalturn._core.output import Output
    from finalturn._core.run_context import RunContext

T_co = TypeVar("T_co", covariant=True)
DepsT_contra = TypeVar("DepsT_contra", contravariant=True, default=None)
# Whoever checks types with a checker that has no TypeForm gets Any.
S = TypeVar("S", default=Any)

Input: TypeAlias = str | Sequence[Message]
Format: TypeAlias = TypeForm[Any] | TypeAdapter[Any] | Mapping[str, Any] | UnionType | NotGiven | None


class CallArguments(NamedTuple):
    """What one call of an agent was given; ``within`` is the context of the tool call that makes it."""

    input: Input
    response_format: object
    session: str | None
    deps: object
    run_id: str | None
    changes: Changes
    within: RunContext[Any] | None = None


class Override(NamedTuple):
    """What every call of an agent has in place of its own, inside an `Agent.override`."""

    changes: Changes
    deps: object


OVERRIDES: ContextVar[Mapping[object, Override]] = ContextVar(
    "finalturn_overrides", default=MappingProxyType({})
)
"""By the identity of the agent, which its copies share."""


class Streams(Generic[T_co, DepsT_contra]):
    """The methods of an `Agent` that stream a turn."""

    _spec: AgentSpec
    _output: Output[Any] | None
    _identity: object

    @overload
    def stream(
        self: Streams[T_co, None], input: Input, **options: Unpack[RunOptions[DepsT_contra]]
    ) -> SyncStream[T_co]: ...

    @overload
    def stream(
        self: Streams[Any, None],
        input: Input,
        *,
        response_format: type[S] | TypeAdapter[S],
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> SyncStream[S]: ...

    @overload
    def stream(
        self: Streams[Any, None],
        input: Input,
        *,
        response_format: TypeForm[S],
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> SyncStream[S]: ...

    @overload
    def stream(
        self: Streams[Any, None],
        input: Input,
        *,
        response_format: None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> SyncStream[None]: ...

    @overload
    def stream(
        self: Streams[Any, None],
        input: Input,
        *,
        response_format: Mapping[str, Any] | UnionType,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> SyncStream[Any]: ...

    @overload
    def stream(
        self, input: Input, *, deps: DepsT_contra, **options: Unpack[RunOptions[DepsT_contra]]
    ) -> SyncStream[T_co]: ...

    @overload
    def stream(
        self,
        input: Input,
        *,
        deps: DepsT_contra,
        response_format: type[S] | TypeAdapter[S],
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> SyncStream[S]: ...

    @overload
    def stream(
        self,
        input: Input,
        *,
        deps: DepsT_contra,
        response_format: TypeForm[S],
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> SyncStream[S]: ...

    @overload
    def stream(
        self,
        input: Input,
        *,
        deps: DepsT_contra,
        response_format: None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> SyncStream[None]: ...

    @overload
    def stream(
        self,
        input: Input,
        *,
        deps: DepsT_contra,
        response_format: Mapping[str, Any] | UnionType,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> SyncStream[Any]: ...

    @known_keywords("Agent.stream")
    def stream(
        self,
        input: Input,
        *,
        response_format: Format = NOT_GIVEN,
        session: str | None = None,
        deps: Any = NOT_GIVEN,
        settings: ModelSettings | None = None,
        provider: Provider | StreamingProvider | None = None,
        tools: Sequence[Tool[..., Any, Any]] | None = None,
        system_prompt: Text[Any] | None = None,
        run_id: str | None = None,
        limits: Limits | None = None,
    ) -> SyncStream[Any]:
        """Run a turn as an iterator of chunks that ends with its result.

        What fails while the turn runs is raised by the stream.

        Args:
            input: as for `run`.
            response_format: as for `run`.
            session: as for `run`.
            deps: as for `run`.
            settings: as for `run`.
            provider: as for `run`.
            tools: as for `run`.
            system_prompt: as for `run`.
            run_id: as for `run`.
            limits: as for `run`.

        Raises:
            ConfigurationError: the call cannot work; raised here, before any model call.
            MessageFormatError: the input holds something that is not a Message; raised here.
            SessionError: the session's id is not allowed; raised here.
        """
        changes = Changes(settings, provider, tools, system_prompt, limits)
        call = CallArguments(input, response_format, session, deps, run_id, changes)
        from finalturn._agent.portal import portal

        stream = self._open(call)
        backend = portal()
        backend.check("astream()")
        return SyncStream(stream, backend)

    @overload
    def astream(
        self: Streams[T_co, None], input: Input, **options: Unpack[RunOptions[DepsT_contra]]
    ) -> AgentStream[T_co]: ...

    @overload
    def astream(
        self: Streams[Any, None],
        input: Input,
        *,
        response_format: type[S] | TypeAdapter[S],
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentStream[S]: ...

    @overload
    def astream(
        self: Streams[Any, None],
        input: Input,
        *,
        response_format: TypeForm[S],
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentStream[S]: ...

    @overload
    def astream(
        self: Streams[Any, None],
        input: Input,
        *,
        response_format: None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentStream[None]: ...

    @overload
    def astream(
        self: Streams[Any, None],
        input: Input,
        *,
        response_format: Mapping[str, Any] | UnionType,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentStream[Any]: ...

    @overload
    def astream(
        self, input: Input, *, deps: DepsT_contra, **options: Unpack[RunOptions[DepsT_contra]]
    ) -> AgentStream[T_co]: ...

    @overload
    def astream(
        self,
        input: Input,
        *,
        deps: DepsT_contra,
        response_format: type[S] | TypeAdapter[S],
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentStream[S]: ...

    @overload
    def astream(
        self,
        input: Input,
        *,
        deps: DepsT_contra,
        response_format: TypeForm[S],
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentStream[S]: ...

    @overload
    def astream(
        self,
        input: Input,
        *,
        deps: DepsT_contra,
        response_format: None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentStream[None]: ...

    @overload
    def astream(
        self,
        input: Input,
        *,
        deps: DepsT_contra,
        response_format: Mapping[str, Any] | UnionType,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentStream[Any]: ...

    @known_keywords("Agent.astream")
    def astream(
        self,
        input: Input,
        *,
        response_format: Format = NOT_GIVEN,
        session: str | None = None,
        deps: Any = NOT_GIVEN,
        settings: ModelSettings | None = None,
        provider: Provider | StreamingProvider | None = None,
        tools: Sequence[Tool[..., Any, Any]] | None = None,
        system_prompt: Text[Any] | None = None,
        run_id: str | None = None,
        limits: Limits | None = None,
    ) -> AgentStream[Any]:
        """Run a turn as an asynchronous stream of chunks that ends with its result, on asyncio or trio.

        What fails while the turn runs is raised by the stream.

        Args:
            input: as for `run`.
            response_format: as for `run`.
            session: as for `run`.
            deps: as for `run`.
            settings: as for `run`.
            provider: as for `run`.
            tools: as for `run`.
            system_prompt: as for `run`.
            run_id: as for `run`.
            limits: as for `run`.

        Raises:
            ConfigurationError: the call cannot work; raised here, before any model call.
            MessageFormatError: the input holds something that is not a Message; raised here.
            SessionError: the session's id is not allowed; raised here.
        """
        changes = Changes(settings, provider, tools, system_prompt, limits)
        call = CallArguments(input, response_format, session, deps, run_id, changes)
        return self._open(call)

    def _open(self, call: CallArguments) -> AgentStream[Any]:
        spec, deps = self._spec, call.deps
        # An empty list of tools and an empty prompt are changes too.
        if any(change is not None for change in call.changes):
            spec = changed_spec(spec, call.changes)
            if call.changes.tools is not None:
                refuse_cycle(call.changes.tools, self._identity)
        override = OVERRIDES.get().get(self._identity)
        if override is not None:
            spec = changed_spec(spec, override.changes)
            deps = deps if override.deps is NOT_GIVEN else override.deps
        history, user = read_input(call.input)
        check_images(user, spec.capabilities)
        output = self._output
        if not isinstance(call.response_format, NotGiven):
            output = None if call.response_format is None else output_of(call.response_format)
        if call.session is not None:
            if spec.sessions is None:
                raise ConfigurationError(
                    "a session needs a store: give the agent sessions=InMemorySessions()"
                )
            check_session_id(call.session)
        deps = check_deps(deps, spec.deps_type)
        turn = TurnSpec(
            spec, history, user, output, call.session, deps, call.run_id, lineage=(self._identity,)
        )
        return AgentStream(turn if call.within is None else nested_turn(turn, call.within))


def deps_in_override(agent: Streams[Any, Any]) -> bool:
    """Whether turns that begin here are run with the deps of an `Agent.override`."""
    override = OVERRIDES.get().get(agent._identity)  # pyright: ignore[reportPrivateUsage]
    return override is not None and override.deps is not NOT_GIVEN
