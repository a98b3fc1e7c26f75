"""The methods of an agent that run a turn for each of many inputs: `map` and `amap`."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Mapping, Sequence
from types import UnionType
from typing import Any, overload

from pydantic import TypeAdapter
from typing_extensions import TypeForm, TypeVar, Unpack

from finalturn._agent.batch import Batch, SyncBatch
from finalturn._agent.batch_work import BatchRetries, Work
from finalturn._agent.checks import check_type
from finalturn._agent.options import NOT_GIVEN, RunOptions, Text
from finalturn._agent.streams import DepsT_contra, Format, Input, S, T_co
from finalturn._agent.turns import Turns
from finalturn._core.described import described
from finalturn._core.errors import ConfigurationError
from finalturn._core.limits import Limits
from finalturn._core.messages import Message
from finalturn._core.model import ModelSettings
from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._support.keywords import known_keywords
from finalturn._tools import Tool

__all__ = ["MapOptions", "Maps"]

DepsT = TypeVar("DepsT", default=None)


AT_A_TIME = 8


class MapOptions(RunOptions[DepsT], total=False):
    """What a batch may be given: what one call may, and how its turns are run."""

    at_a_time: int
    ordered: bool
    retries: int | BatchRetries


class Maps(Turns[T_co, DepsT_contra]):
    """The methods of an `Agent` that run many turns as one batch."""

    @overload
    def map(
        self: Maps[T_co, None],
        inputs: Iterable[Input],
        **options: Unpack[MapOptions[DepsT_contra]],
    ) -> SyncBatch[T_co]: ...

    @overload
    def map(
        self: Maps[Any, None],
        inputs: Iterable[Input],
        *,
        response_format: type[S] | TypeAdapter[S],
        **options: Unpack[MapOptions[DepsT_contra]],
    ) -> SyncBatch[S]: ...

    @overload
    def map(
        self: Maps[Any, None],
        inputs: Iterable[Input],
        *,
        response_format: TypeForm[S],
        **options: Unpack[MapOptions[DepsT_contra]],
    ) -> SyncBatch[S]: ...

    @overload
    def map(
        self: Maps[Any, None],
        inputs: Iterable[Input],
        *,
        response_format: None,
        **options: Unpack[MapOptions[DepsT_contra]],
    ) -> SyncBatch[None]: ...

    @overload
    def map(
        self: Maps[Any, None],
        inputs: Iterable[Input],
        *,
        response_format: Mapping[str, Any] | UnionType,
        **options: Unpack[MapOptions[DepsT_contra]],
    ) -> SyncBatch[Any]: ...

    @overload
    def map(
        self,
        inputs: Iterable[Input],
        *,
        deps: DepsT_contra,
        **options: Unpack[MapOptions[DepsT_contra]],
    ) -> SyncBatch[T_co]: ...

    @overload
    def map(
        self,
        inputs: Iterable[Input],
        *,
        deps: DepsT_contra,
        response_format: type[S] | TypeAdapter[S],
        **options: Unpack[MapOptions[DepsT_contra]],
    ) -> SyncBatch[S]: ...

    @overload
    def map(
        self,
        inputs: Iterable[Input],
        *,
        deps: DepsT_contra,
        response_format: TypeForm[S],
        **options: Unpack[MapOptions[DepsT_contra]],
    ) -> SyncBatch[S]: ...

    @overload
    def map(
        self,
        inputs: Iterable[Input],
        *,
        deps: DepsT_contra,
        response_format: None,
        **options: Unpack[MapOptions[DepsT_contra]],
    ) -> SyncBatch[None]: ...

    @overload
    def map(
        self,
        inputs: Iterable[Input],
        *,
        deps: DepsT_contra,
        response_format: Mapping[str, Any] | UnionType,
        **options: Unpack[MapOptions[DepsT_contra]],
    ) -> SyncBatch[Any]: ...

    @known_keywords("Agent.map")
    def map(
        self,
        inputs: Iterable[Input],
        *,
        at_a_time: int = AT_A_TIME,
        ordered: bool = True,
        retries: int | BatchRetries = 2,
        response_format: Format = NOT_GIVEN,
        session: str | None = None,
        deps: Any = NOT_GIVEN,
        settings: ModelSettings | None = None,
        provider: Provider | StreamingProvider | None = None,
        tools: Sequence[Tool[..., Any, Any]] | None = None,
        system_prompt: Text[Any] | None = None,
        limits: Limits | None = None,
        run_id: str | None = None,
    ) -> SyncBatch[Any]:
        """Run a turn for each of many inputs, as a batch that gives what came of each.

        A turn that fails is an item with its error; it stops nothing else.

        Args:
            inputs: as for `run`, any number of them. They are taken one by one, as there is room for them.
            at_a_time: how many inputs are under way at most, from 1; those that wait to be tried again count.
            ordered: items come in the order of inputs; ``False`` for as they finish.
            retries: how many times a turn whose model call failed is run again at most, or which and when.
            response_format: as for `run`.
            session: as for `run`; its turns follow each other, so it needs ``at_a_time=1``.
            deps: as for `run`; every turn has the same.
            settings: as for `run`.
            provider: as for `run`.
            tools: as for `run`.
            system_prompt: as for `run`.
            limits: as for `run`; of each turn by itself.
            run_id: what the ids of the turns begin with; a dash and the index of the input follow it.

        Raises:
            ConfigurationError: the batch cannot work; raised here, before any model call.
            SessionError: the session's id is not allowed; raised here.
        """
        _check_inputs(inputs, awaited=False)
        work = self._work(
            at_a_time,
            ordered,
            retries,
            {
                "response_format": response_format,
                "session": session,
                "deps": deps,
                "settings": settings,
                "provider": provider,
                "tools": tools,
                "system_prompt": system_prompt,
                "limits": limits,
            },
            run_id,
        )
        from finalturn._agent.portal import portal

        backend = portal()
        backend.check("amap()")
        return SyncBatch(work, inputs, backend)

    @overload
    def amap(
        self: Maps[T_co, None],
        inputs: Iterable[Input] | AsyncIterable[Input],
        **options: Unpack[MapOptions[DepsT_contra]],
    ) -> Batch[T_co]: ...

    @overload
    def amap(
        self: Maps[Any, None],
        inputs: Iterable[Input] | AsyncIterable[Input],
        *,
        response_format: type[S] | TypeAdapter[S],
        **options: Unpack[MapOptions[DepsT_contra]],
    ) -> Batch[S]: ...

    @overload
    def amap(
        self: Maps[Any, None],
        inputs: Iterable[Input] | AsyncIterable[Input],
        *,
        response_format: TypeForm[S],
        **options: Unpack[MapOptions[DepsT_contra]],
    ) -> Batch[S]: ...

    @overload
    def amap(
        self: Maps[Any, None],
        inputs: Iterable[Input] | AsyncIterable[Input],
        *,
        response_format: None,
        **options: Unpack[MapOptions[DepsT_contra]],
    ) -> Batch[None]: ...

    @overload
    def amap(
        self: Maps[Any, None],
        inputs: Iterable[Input] | AsyncIterable[Input],
        *,
        response_format: Mapping[str, Any] | UnionType,
        **options: Unpack[MapOptions[DepsT_contra]],
    ) -> Batch[Any]: ...

    @overload
    def amap(
        self,
        inputs: Iterable[Input] | AsyncIterable[Input],
        *,
        deps: DepsT_contra,
        **options: Unpack[MapOptions[DepsT_contra]],
    ) -> Batch[T_co]: ...

    @overload
    def amap(
        self,
        inputs: Iterable[Input] | AsyncIterable[Input],
        *,
        deps: DepsT_contra,
        response_format: type[S] | TypeAdapter[S],
        **options: Unpack[MapOptions[DepsT_contra]],
    ) -> Batch[S]: ...

    @overload
    def amap(
        self,
        inputs: Iterable[Input] | AsyncIterable[Input],
        *,
        deps: DepsT_contra,
        response_format: TypeForm[S],
        **options: Unpack[MapOptions[DepsT_contra]],
    ) -> Batch[S]: ...

    @overload
    def amap(
        self,
        inputs: Iterable[Input] | AsyncIterable[Input],
        *,
        deps: DepsT_contra,
        response_format: None,
        **options: Unpack[MapOptions[DepsT_contra]],
    ) -> Batch[None]: ...

    @overload
    def amap(
        self,
        inputs: Iterable[Input] | AsyncIterable[Input],
        *,
        deps: DepsT_contra,
        response_format: Mapping[str, Any] | UnionType,
        **options: Unpack[MapOptions[DepsT_contra]],
    ) -> Batch[Any]: ...

    @known_keywords("Agent.amap")
    def amap(
        self,
        inputs: Iterable[Input] | AsyncIterable[Input],
        *,
        at_a_time: int = AT_A_TIME,
        ordered: bool = True,
        retries: int | BatchRetries = 2,
        response_format: Format = NOT_GIVEN,
        session: str | None = None,
        deps: Any = NOT_GIVEN,
        settings: ModelSettings | None = None,
        provider: Provider | StreamingProvider | None = None,
        tools: Sequence[Tool[..., Any, Any]] | None = None,
        system_prompt: Text[Any] | None = None,
        limits: Limits | None = None,
        run_id: str | None = None,
    ) -> Batch[Any]:
        """Run a turn for each of many inputs, as a batch on asyncio or trio.

        A turn that fails is an item with its error; it stops nothing else.

        Args:
            inputs: as for `map`, or an asynchronous iterable of them; a generator of that kind is closed.
            at_a_time: as for `map`.
            ordered: as for `map`.
            retries: as for `map`.
            response_format: as for `run`.
            session: as for `map`.
            deps: as for `map`.
            settings: as for `run`.
            provider: as for `run`.
            tools: as for `run`.
            system_prompt: as for `run`.
            limits: as for `run`; of each turn by itself.
            run_id: as for `map`.

        Raises:
            ConfigurationError: the batch cannot work; raised here, before any model call.
            SessionError: the session's id is not allowed; raised here.
        """
        _check_inputs(inputs, awaited=True)
        return Batch(
            self._work(
                at_a_time,
                ordered,
                retries,
                {
                    "response_format": response_format,
                    "session": session,
                    "deps": deps,
                    "settings": settings,
                    "provider": provider,
                    "tools": tools,
                    "system_prompt": system_prompt,
                    "limits": limits,
                },
                run_id,
            ),
            inputs,
        )

    def _work(
        self,
        at_a_time: int,
        ordered: bool,
        retries: int | BatchRetries,
        options: Mapping[str, Any],
        run_id: str | None,
    ) -> Work[Any]:
        check_type(at_a_time, int, "at_a_time")
        if at_a_time < 1:
            raise ConfigurationError(f"at_a_time must be at least 1, not {at_a_time}")
        check_type(ordered, bool, "ordered")
        if not isinstance(retries, BatchRetries):
            check_type(retries, int, "retries")
            retries = BatchRetries(count=retries)
        if options["session"] is not None and at_a_time != 1:
            raise ConfigurationError(
                "turns of one session follow each other: add at_a_time=1, or leave session out"
            )
        stream: Any = self.astream
        # What is wrong with every turn is found out with one that is never run.
        stream("?", **options)
        return Work(
            lambda input, run_id: stream(input, run_id=run_id, **options),
            at_a_time=at_a_time,
            ordered=ordered,
            retries=retries,
            run_id=run_id,
        )


def _check_inputs(inputs: Any, *, awaited: bool) -> None:
    if not _is_many(inputs):
        raise ConfigurationError(f"inputs must be many, such as a list of texts, not {described(inputs)}")
    if isinstance(inputs, AsyncIterable) and not awaited:
        raise ConfigurationError("map() takes no asynchronous iterable; use amap()")


def _is_many(inputs: Any) -> bool:
    one = isinstance(inputs, (str, bytes, Mapping, Message))
    return not one and isinstance(inputs, (Iterable, AsyncIterable))
