"""The agent: its constructor, and what code of this package may look at and change of one."""

from __future__ import annotations

from collections.abc import Coroutine, Generator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from types import UnionType
from typing import TYPE_CHECKING, Any, overload

from pydantic import TypeAdapter
from typing_extensions import TypeForm, TypeVar, Unpack

from finalturn._agent.checks import check_deps
from finalturn._agent.config import StructuredOutputConfig
from finalturn._agent.maps import Maps
from finalturn._agent.nested import NestedAgent, ToolParts, agent_tool
from finalturn._agent.options import NOT_GIVEN, AgentParts, Text, ToolOptions
from finalturn._agent.spec import AgentSpec, Changes, changed_spec, make_spec, warn_of_fallback
from finalturn._agent.streams import OVERRIDES, CallArguments, DepsT_contra, Override, S, T_co
from finalturn._core.limits import Limits
from finalturn._core.model import ModelSettings
from finalturn._core.observers import TurnObserver
from finalturn._core.protocols import ContextGate, Provider, SessionStore, StreamingProvider, ToolGate
from finalturn._response_format import as_format, output_of
from finalturn._support.keywords import known_keywords
from finalturn._tools import Tool
from finalturn.stability import NEXT, beta, stable

if TYPE_CHECKING:
    from finalturn._agent.stream import AgentStream
    from finalturn._core.output import Output
    from finalturn._core.run_context import RunContext
    from finalturn._tools.tool import Available

__all__ = [
    "Agent",
    "format_of_agent",
    "output_of_agent",
    "spec_of",
    "with_observer",
    "with_sessions",
]

T = TypeVar("T")
DepsT = TypeVar("DepsT", default=None)


@stable(
    since="0.1.0",
    fields={
        "observers": beta(since=NEXT),
        "deps_type": beta(since=NEXT),
        "override": beta(since=NEXT),
        "limits": beta(since=NEXT),
        "map": beta(since=NEXT),
        "amap": beta(since=NEXT),
        "as_tool": beta(since=NEXT),
    },
)
class Agent(Maps[T_co, DepsT_contra]):
    """A model with tools, whose turns stream prose and end in a typed object.

    An agent keeps no conversation and may serve any number of turns at once.

    Type checkers know what ``parsed`` of a result is by ``response_format``, the agent's or the call's:

    | ``response_format`` | ``parsed`` |
    |---|---|
    | ``None`` | ``None`` |
    | a type ``T``, as it is written: a class, a union, ``list[A]``, a ``Literal``, an alias | ``T`` |
    | ``Annotated[T, ...]``, ``TypeAdapter[T](...)`` | ``T`` |
    | a JSON Schema, or a union in a variable of type ``UnionType`` | ``Any`` |

    An agent with a ``deps_type`` is an ``Agent[T, Deps]``: its turns are run with ``deps=``, and its
    functions may ask for them with a `RunContext`. Without one it is an ``Agent[T]``.

    Args:
        provider: the model. It streams when it has a method ``stream``.
        tools: what the model may call; their names differ.
        system_prompt: a text, or a callable, sync or async, that is asked for it once a turn.
        structured_output: how structured answers are made.
        response_format: what every call's structured answer is, unless the call says otherwise: a
            pydantic model class or any other type that pydantic validates (a dataclass, ``list[Ticket]``,
            ``Ticket | Refund``), a ``TypeAdapter``, a JSON Schema mapping (draft 2020-12), or ``None``.
        max_iterations: how many times a turn may ask the model before it must be done, from 1; retries
            and the synthesis call are apart.
        parallel_tools: run the tools of one response at the same time, up to 16.
        gates: asked, in order, before a tool runs.
        context: texts, or callables that give them, evaluated once a turn. They stand as SYSTEM messages
            between the history and the user's messages, and are not kept. An empty text is left out.
        sessions: where conversations are kept; ``None`` for nowhere.
        settings: how to sample; what it does not say is left to the provider.
        observers: are told of everything that happens in its turns, and change nothing.
        deps_type: the type of what its turns are run with, such as a class of the application; ``None``
            where they are run with nothing. A plain class is checked at each call.
        limits: what each of its turns may use; a turn that would pass one ends with a result that says so.

    Raises:
        ConfigurationError: something in it cannot work; the message says what to do.

    Contract:
        - `surface-parity` (stable): The same provider behaviour MUST give the same content, tool calls,
          events, parsed value and usage on run, arun, stream, astream and over HTTP.
        - `nested-activity-apart` (beta): What an agent shows that runs as a tool MUST appear as activity of
          its tool call, before the outcome of that, and nowhere else in the turn that runs it.
        - `history-is-what-was-shown` (beta): The saved turn MUST be what the person saw, with the structured
          answer attached; the synthesis exchange is not in it.
        - `limits-end-cleanly` (beta): A turn that would pass one of its limits MUST end with a result that
          names it as `limit`, with `stop_reason` "limit_reached": no model call or tool that would pass it
          begins, what was shown and used stays, and every tool call has its TOOL message.
        - `own-retry-budget` (stable): Validation retries MUST have their own bounded budget, and use no
          iterations.
        - `runs-are-isolated` (stable): Concurrent turns of one agent MUST NOT share anything.
        - `nested-agents-count` (beta): What an agent uses that runs as a tool, whatever it comes to, MUST
          count in the usage and the limits of the turn that runs it, and not in its `model_calls`.
    """

    @overload
    def __init__(
        self: Agent[None, None],
        provider: Provider | StreamingProvider,
        *,
        response_format: None = None,
        **parts: Unpack[AgentParts[None]],
    ) -> None: ...

    @overload
    def __init__(
        self: Agent[S, None],
        provider: Provider | StreamingProvider,
        *,
        response_format: type[S] | TypeAdapter[S],
        **parts: Unpack[AgentParts[None]],
    ) -> None: ...

    @overload
    def __init__(
        self: Agent[S, None],
        provider: Provider | StreamingProvider,
        *,
        response_format: TypeForm[S],
        **parts: Unpack[AgentParts[None]],
    ) -> None: ...

    @overload
    def __init__(
        self: Agent[Any, None],
        provider: Provider | StreamingProvider,
        *,
        response_format: Mapping[str, Any] | UnionType,
        **parts: Unpack[AgentParts[None]],
    ) -> None: ...

    @overload
    def __init__(
        self: Agent[None, DepsT],
        provider: Provider | StreamingProvider,
        *,
        deps_type: type[DepsT],
        response_format: None = None,
        **parts: Unpack[AgentParts[DepsT]],
    ) -> None: ...

    @overload
    def __init__(
        self: Agent[S, DepsT],
        provider: Provider | StreamingProvider,
        *,
        deps_type: type[DepsT],
        response_format: type[S] | TypeAdapter[S],
        **parts: Unpack[AgentParts[DepsT]],
    ) -> None: ...

    @overload
    def __init__(
        self: Agent[S, DepsT],
        provider: Provider | StreamingProvider,
        *,
        deps_type: type[DepsT],
        response_format: TypeForm[S],
        **parts: Unpack[AgentParts[DepsT]],
    ) -> None: ...

    @overload
    def __init__(
        self: Agent[Any, DepsT],
        provider: Provider | StreamingProvider,
        *,
        deps_type: type[DepsT],
        response_format: Mapping[str, Any] | UnionType,
        **parts: Unpack[AgentParts[DepsT]],
    ) -> None: ...

    @known_keywords("Agent")
    def __init__(
        self,
        provider: Provider | StreamingProvider,
        *,
        tools: Sequence[Tool[..., Any, Any]] = (),
        system_prompt: Text[Any] = "",
        structured_output: StructuredOutputConfig = StructuredOutputConfig(),  # noqa: B008  # immutable
        response_format: TypeForm[Any] | TypeAdapter[Any] | Mapping[str, Any] | UnionType | None = None,
        max_iterations: int = 10,
        parallel_tools: bool = True,
        gates: Sequence[ToolGate | ContextGate[Any]] = (),
        context: Sequence[Text[Any]] = (),
        sessions: SessionStore | None = None,
        settings: ModelSettings = ModelSettings(),  # noqa: B008  # immutable
        observers: Sequence[TurnObserver] = (),
        deps_type: type[Any] | None = None,
        limits: Limits | None = None,
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
            observers=observers,
            deps_type=deps_type,
            limits=limits,
        )
        self._identity = object()
        self._response_format = None if response_format is None else as_format(response_format)
        self._output = None if response_format is None else output_of(response_format)
        warn_of_fallback(self._spec)

    @overload
    def as_tool(
        self: Agent[Any, None],
        name: str,
        description: str,
        *,
        available: None = None,
        **options: Unpack[ToolOptions],
    ) -> Tool[..., Coroutine[Any, Any, str], object]: ...

    @overload
    def as_tool(
        self: Agent[Any, None],
        name: str,
        description: str,
        *,
        available: Available[DepsT],
        **options: Unpack[ToolOptions],
    ) -> Tool[..., Coroutine[Any, Any, str], DepsT]: ...

    @overload
    def as_tool(
        self: Agent[Any, DepsT],
        name: str,
        description: str,
        *,
        available: Available[DepsT] | None = None,
        **options: Unpack[ToolOptions],
    ) -> Tool[..., Coroutine[Any, Any, str], DepsT]: ...

    @known_keywords("Agent.as_tool")
    def as_tool(
        self,
        name: str,
        description: str,
        *,
        show: bool = False,
        timeout: float | None = None,
        terminal: bool = False,
        available: Available[Any] | None = None,
    ) -> Tool[..., Coroutine[Any, Any, str], Any]:
        """This agent as a tool of another, which gives it a task in words and gets its answer.

        Each call is a turn of its own: it has the deps of the turn that calls, and nothing of its
        conversation or session. The result is the JSON text of the object, with a response_format, and the
        text of the answer without one. A turn that gives no answer is a `ToolError`, which says why.

        What the turn uses counts in the turn that calls, in its usage and its `Limits`; so do limits of its
        own. Closing the outer stream stops it. Who observes the outer turn observes it too. Its ``run_id`` is
        the ``idempotency_key`` of the call. An agent does not run in itself, and agents run in each other at
        most 5 deep; a call that would is a `ToolError`.

        Example:
            researcher = Agent(provider, tools=[search], response_format=Findings)
            writer = Agent(provider, tools=[researcher.as_tool("research", "Finds out facts, with sources.")])

        Args:
            name: what the outer model calls it by, ``[A-Za-z0-9_-]{1,64}``.
            description: what it is good for, in words for the outer model.
            show: what it does is shown, as `NestedActivity` of the outer turn. Such calls run one after
                another, after the other calls of their batch, and only as far as the outer stream is read.
            timeout: seconds that one call may take; ``None`` for no limit but those of the turns.
            terminal: a call that succeeds ends the outer turn.
            available: as for `Tool`.

        Returns:
            A tool with one argument, ``task``.

        Raises:
            ConfigurationError: a part of it cannot work.
        """
        return agent_tool(
            ToolParts(name, description, show, timeout, terminal, available),
            NestedAgent(self._identity, self._spec.tools),
            self._spec.deps_type,
            self._within,
        )

    def _within(self, context: RunContext[Any], task: str) -> AgentStream[Any]:
        deps = NOT_GIVEN if self._spec.deps_type is None else context.deps
        call = CallArguments(task, NOT_GIVEN, None, deps, None, Changes(), within=context)
        return self._open(call)

    @contextmanager
    def override(
        self,
        *,
        provider: Provider | StreamingProvider | None = None,
        tools: Sequence[Tool[..., Any, Any]] | None = None,
        system_prompt: Text[Any] | None = None,
        settings: ModelSettings | None = None,
        deps: Any = NOT_GIVEN,
        limits: Limits | None = None,
    ) -> Generator[None, None, None]:
        """Run every turn of this agent another way inside a ``with`` block, for tests.

        It wins over what a call gives. It holds where the block's context variables do: in tasks that are
        started inside it, and for requests of a test client in it.

        Args:
            provider: answers in place of the agent's and the call's.
            tools: what the model may call.
            system_prompt: as for the agent.
            settings: what they say wins, field by field.
            deps: what the turns are run with.
            limits: what they say wins, field by field.

        Raises:
            ConfigurationError: the agent cannot work so; raised here.
        """
        override = Override(Changes(settings, provider, tools, system_prompt, limits), deps)
        changed_spec(self._spec, override.changes)
        if deps is not NOT_GIVEN:
            check_deps(deps, self._spec.deps_type)
        token = OVERRIDES.set({**OVERRIDES.get(), self._identity: override})
        try:
            yield
        finally:
            OVERRIDES.reset(token)


# What code above an agent may look at and change of it, without its being public.


def spec_of(agent: Agent[Any, Any]) -> AgentSpec:
    """The agent's parts."""
    return agent._spec  # pyright: ignore[reportPrivateUsage]


def output_of_agent(agent: Agent[Any, Any]) -> Output[Any] | None:
    """What the agent's own response_format was made into."""
    return agent._output  # pyright: ignore[reportPrivateUsage]


def format_of_agent(agent: Agent[Any, Any]) -> object:
    """The agent's own response_format, as it was given."""
    return agent._response_format  # pyright: ignore[reportPrivateUsage]


def with_sessions(agent: Agent[T, DepsT], sessions: SessionStore | None) -> Agent[T, DepsT]:
    """The same agent, with its conversations kept elsewhere. Whoever observes one observes both."""
    return _with(agent, replace(agent._spec, sessions=sessions))  # pyright: ignore[reportPrivateUsage]


def with_observer(agent: Agent[T, DepsT], observer: TurnObserver) -> Agent[T, DepsT]:
    """The same agent, with one more observer. Whoever observes the first observes both."""
    spec = agent._spec  # pyright: ignore[reportPrivateUsage]
    return _with(agent, replace(spec, added_observers=(*spec.added_observers, observer)))


def _with(agent: Agent[T, DepsT], spec: AgentSpec) -> Agent[T, DepsT]:
    changed_agent = copy(agent)
    changed_agent._spec = spec  # pyright: ignore[reportPrivateUsage]
    return changed_agent
