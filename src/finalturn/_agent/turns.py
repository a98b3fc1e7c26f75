"""The methods of an agent that run a turn and wait for its result: `run` and `arun`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any, overload

from pydantic import TypeAdapter
from typing_extensions import TypeForm, Unpack

from finalturn._agent.checks import check_handler
from finalturn._agent.options import NOT_GIVEN, RunOptions, Text
from finalturn._agent.spec import Changes
from finalturn._agent.streams import CallArguments, DepsT_contra, Format, Input, S, Streams, T_co
from finalturn._agent.sync import drain, refuse_async_handler, run_blocking
from finalturn._core.limits import Limits
from finalturn._core.model import ModelSettings
from finalturn._core.protocols import Provider, StreamHandler, StreamingProvider
from finalturn._core.result import AgentResult
from finalturn._support.keywords import known_keywords
from finalturn._tools import Tool


class Turns(Streams[T_co, DepsT_contra]):
    """The methods of an `Agent` that run a turn: they differ in how it is shown, and in nothing else."""

    @overload
    def run(
        self: Turns[T_co, None],
        input: Input,
        *,
        stream_handler: StreamHandler | None = None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentResult[T_co]: ...

    @overload
    def run(
        self: Turns[Any, None],
        input: Input,
        *,
        response_format: type[S] | TypeAdapter[S],
        stream_handler: StreamHandler | None = None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentResult[S]: ...

    @overload
    def run(
        self: Turns[Any, None],
        input: Input,
        *,
        response_format: TypeForm[S],
        stream_handler: StreamHandler | None = None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentResult[S]: ...

    @overload
    def run(
        self: Turns[Any, None],
        input: Input,
        *,
        response_format: None,
        stream_handler: StreamHandler | None = None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentResult[None]: ...

    @overload
    def run(
        self: Turns[Any, None],
        input: Input,
        *,
        response_format: Mapping[str, Any] | UnionType,
        stream_handler: StreamHandler | None = None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentResult[Any]: ...

    @overload
    def run(
        self,
        input: Input,
        *,
        deps: DepsT_contra,
        stream_handler: StreamHandler | None = None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentResult[T_co]: ...

    @overload
    def run(
        self,
        input: Input,
        *,
        deps: DepsT_contra,
        response_format: type[S] | TypeAdapter[S],
        stream_handler: StreamHandler | None = None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentResult[S]: ...

    @overload
    def run(
        self,
        input: Input,
        *,
        deps: DepsT_contra,
        response_format: TypeForm[S],
        stream_handler: StreamHandler | None = None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentResult[S]: ...

    @overload
    def run(
        self,
        input: Input,
        *,
        deps: DepsT_contra,
        response_format: None,
        stream_handler: StreamHandler | None = None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentResult[None]: ...

    @overload
    def run(
        self,
        input: Input,
        *,
        deps: DepsT_contra,
        response_format: Mapping[str, Any] | UnionType,
        stream_handler: StreamHandler | None = None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentResult[Any]: ...

    @known_keywords("Agent.run")
    def run(
        self,
        input: Input,
        *,
        response_format: Format = NOT_GIVEN,
        stream_handler: StreamHandler | None = None,
        session: str | None = None,
        deps: Any = NOT_GIVEN,
        settings: ModelSettings | None = None,
        provider: Provider | StreamingProvider | None = None,
        tools: Sequence[Tool[..., Any, Any]] | None = None,
        system_prompt: Text[Any] | None = None,
        run_id: str | None = None,
        limits: Limits | None = None,
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
            deps: what the turn is run with, for the functions that ask for a `RunContext`; needed where the
                agent has a ``deps_type``, and only there.
            settings: for this turn; what they say wins over the agent's, field by field.
            provider: for this turn, in place of the agent's.
            tools: for this turn, in place of the agent's.
            system_prompt: for this turn, in place of the agent's.
            run_id: the id of the turn in its `RunContext`; one is made by default.
            limits: for this turn; what they say wins over the agent's, field by field.

        Returns:
            The same result that a stream ends with.

        Raises:
            ConfigurationError: the call cannot work; raised before any model call.
            MessageFormatError: the input holds something that is not a Message.
            ProviderError: the model failed.
            SessionError: the session could not be loaded or saved, or its id is not allowed.
        """
        changes = Changes(settings, provider, tools, system_prompt, limits)
        call = CallArguments(input, response_format, session, deps, run_id, changes)
        from finalturn._agent.portal import portal

        check_handler(stream_handler)
        refuse_async_handler(stream_handler)
        stream = self._open(call)
        backend = portal()
        backend.check("arun()")
        return run_blocking(stream, stream_handler, backend)

    @overload
    async def arun(
        self: Turns[T_co, None],
        input: Input,
        *,
        stream_handler: StreamHandler | None = None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentResult[T_co]: ...

    @overload
    async def arun(
        self: Turns[Any, None],
        input: Input,
        *,
        response_format: type[S] | TypeAdapter[S],
        stream_handler: StreamHandler | None = None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentResult[S]: ...

    @overload
    async def arun(
        self: Turns[Any, None],
        input: Input,
        *,
        response_format: TypeForm[S],
        stream_handler: StreamHandler | None = None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentResult[S]: ...

    @overload
    async def arun(
        self: Turns[Any, None],
        input: Input,
        *,
        response_format: None,
        stream_handler: StreamHandler | None = None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentResult[None]: ...

    @overload
    async def arun(
        self: Turns[Any, None],
        input: Input,
        *,
        response_format: Mapping[str, Any] | UnionType,
        stream_handler: StreamHandler | None = None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentResult[Any]: ...

    @overload
    async def arun(
        self,
        input: Input,
        *,
        deps: DepsT_contra,
        stream_handler: StreamHandler | None = None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentResult[T_co]: ...

    @overload
    async def arun(
        self,
        input: Input,
        *,
        deps: DepsT_contra,
        response_format: type[S] | TypeAdapter[S],
        stream_handler: StreamHandler | None = None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentResult[S]: ...

    @overload
    async def arun(
        self,
        input: Input,
        *,
        deps: DepsT_contra,
        response_format: TypeForm[S],
        stream_handler: StreamHandler | None = None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentResult[S]: ...

    @overload
    async def arun(
        self,
        input: Input,
        *,
        deps: DepsT_contra,
        response_format: None,
        stream_handler: StreamHandler | None = None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentResult[None]: ...

    @overload
    async def arun(
        self,
        input: Input,
        *,
        deps: DepsT_contra,
        response_format: Mapping[str, Any] | UnionType,
        stream_handler: StreamHandler | None = None,
        **options: Unpack[RunOptions[DepsT_contra]],
    ) -> AgentResult[Any]: ...

    @known_keywords("Agent.arun")
    async def arun(
        self,
        input: Input,
        *,
        response_format: Format = NOT_GIVEN,
        stream_handler: StreamHandler | None = None,
        session: str | None = None,
        deps: Any = NOT_GIVEN,
        settings: ModelSettings | None = None,
        provider: Provider | StreamingProvider | None = None,
        tools: Sequence[Tool[..., Any, Any]] | None = None,
        system_prompt: Text[Any] | None = None,
        run_id: str | None = None,
        limits: Limits | None = None,
    ) -> AgentResult[Any]:
        """Run a turn and wait for its result, on asyncio or trio.

        Cancelling it stops the turn: the model call ends, no tool starts, nothing is saved.

        Args:
            input: as for `run`.
            response_format: as for `run`.
            stream_handler: gets every piece of shown content, in order, and may be asynchronous.
            session: as for `run`.
            deps: as for `run`.
            settings: as for `run`.
            provider: as for `run`.
            tools: as for `run`.
            system_prompt: as for `run`.
            run_id: as for `run`.
            limits: as for `run`.

        Returns:
            The same result that a stream ends with.

        Raises:
            ConfigurationError: the call cannot work; raised before any model call.
            MessageFormatError: the input holds something that is not a Message.
            ProviderError: the model failed.
            SessionError: the session could not be loaded or saved, or its id is not allowed.
        """
        changes = Changes(settings, provider, tools, system_prompt, limits)
        call = CallArguments(input, response_format, session, deps, run_id, changes)
        check_handler(stream_handler)
        return await drain(self._open(call), stream_handler)
