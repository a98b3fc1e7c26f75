"""What a turn is run with over HTTP: `DepsForRequest`, and its beginning and end.

What it gives is one turn's alone: nothing of it is kept for another, stored, logged or sent.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from contextvars import Context, copy_context
from types import TracebackType
from typing import Any, TypeAlias, TypeVar, cast

from starlette.requests import Request

from finalturn._agent.loop import shielded
from finalturn._core.errors import ConfigurationError
from finalturn._serve.logs.reasons import raised_at
from finalturn._serve.per_request.calls import call, check_function, in_thread, problem_from
from finalturn._support.logger import logger
from finalturn._tools.context_parameter import name_of_type
from finalturn.stability import NEXT, beta

__all__ = ["DepsForRequest", "check_deps_for_request", "opened_deps"]

T = TypeVar("T")
DepsT = TypeVar("DepsT")

DepsForRequest: TypeAlias = Callable[
    [Request, str | None],
    DepsT
    | Awaitable[DepsT]
    | AbstractContextManager[DepsT]
    | AbstractAsyncContextManager[DepsT]
    | Awaitable[AbstractAsyncContextManager[DepsT]]
    | Iterator[DepsT]
    | AsyncIterator[DepsT],
]
"""A function, sync or async, that gives what a turn is run with, of its request and the request's owner.

It is called once for each turn, before the turn begins, and not for a client that comes back to one. The
request has been authenticated, and its body is read. The owner is the name that `Authenticate` gave, or
``None`` where nobody is asked for one. A synchronous function is called in a worker thread.

It may give a context manager, sync or async, or be a generator, sync or async, that yields once: what that
gives is what the turn is run with, and its end comes once the turn has ended, however it ends: with a result,
or with the exception that ended it, which is ``asyncio.CancelledError`` for a turn that was stopped.

A Starlette or FastAPI ``HTTPException`` of it refuses the request, with that status, detail and headers.
Anything else that it raises is 500, and is logged without its text.
"""
beta(since=NEXT).constant(__name__, "DepsForRequest")

_log = logger("finalturn.serve")


def check_deps_for_request(function: DepsForRequest[Any] | None, deps_type: object) -> None:
    """Check that turns can be run with what the application gives.

    Args:
        function: the application's, if any.
        deps_type: what the agent says that its turns are run with; ``None`` for nothing.

    Raises:
        ConfigurationError: they cannot.
    """
    check_function(function, "deps", "what a turn is run with")
    if deps_type is not None and function is None:
        raise ConfigurationError(
            f"the agent has deps of type {name_of_type(deps_type)}, and nothing gives them: add deps=..., a"
            " function of the request and its owner; with finalturn serve, --deps MODULE:FUNCTION"
        )
    if deps_type is None and function is not None:
        raise ConfigurationError("deps is given, and the agent has none: give the agent a deps_type")


@asynccontextmanager
async def opened_deps(
    function: DepsForRequest[Any], request: Request, owner: str | None
) -> AsyncGenerator[Any, None]:
    """What a turn is run with, for as long as the turn goes on.

    Args:
        function: the application's.
        request: what has asked for the turn.
        owner: who has sent it.

    Raises:
        Problem: the application refuses the request, or the function fails.
    """
    try:
        value = await call(function, request, owner)
        # What can be entered and awaited, such as a connection of a pool, is closed when it was entered.
        if inspect.isawaitable(value) and not _has(value, "__aenter__", "__aexit__"):
            value = await value
        manager = _manager_of(value)
        deps = value if manager is None else await manager.__aenter__()
    except Exception as error:
        raise problem_from(error, "deps") from None
    try:
        yield deps
    except BaseException as error:
        await _close(manager, error)
        raise
    else:
        await _close(manager, None)


def _has(value: object, *names: str) -> bool:
    return all(hasattr(type(value), name) for name in names)


def _manager_of(value: object) -> AbstractAsyncContextManager[Any] | None:
    """What begins and ends the deps that a function gave; ``None`` for a plain value."""
    if _has(value, "__aenter__", "__aexit__"):
        return cast("AbstractAsyncContextManager[Any]", value)
    if isinstance(value, AsyncGenerator):
        deps = cast("AsyncGenerator[Any, None]", value)
        return asynccontextmanager(lambda: deps)()
    if isinstance(value, Generator):
        steps = cast("Generator[Any, None, None]", value)
        return _InThreads(contextmanager(lambda: steps)())
    if _has(value, "__enter__", "__exit__"):
        return _InThreads(cast("AbstractContextManager[Any]", value))
    return None


class _InThreads(AbstractAsyncContextManager[Any]):
    """A synchronous context manager. It is entered and left in threads, in one context of its own."""

    def __init__(self, manager: AbstractContextManager[Any]) -> None:
        self._manager = manager
        self._context: Context | None = None
        self._is_entered = False

    async def __aenter__(self) -> Any:
        try:
            return await shielded(lambda: in_thread(self._enter))
        except asyncio.CancelledError as error:
            # The thread went on all the same.
            if self._is_entered:
                await self.__aexit__(type(error), error, error.__traceback__)
            raise

    def _enter(self) -> Any:
        entered = self._run(self._manager.__enter__)
        self._is_entered = True
        return entered

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await in_thread(lambda: self._run(lambda: self._manager.__exit__(kind, error, trace)))

    def _run(self, function: Callable[[], T]) -> T:
        # Taken in the thread: anyio has made its context fit for code without an event loop.
        self._context = self._context or copy_context()
        return self._context.run(function)


async def _close(manager: AbstractAsyncContextManager[Any] | None, ended_by: BaseException | None) -> None:
    """End what the deps were opened with. What the turn has come to does not depend on it."""
    if manager is None:
        return
    try:
        trace = None if ended_by is None else ended_by.__traceback__
        await manager.__aexit__(None if ended_by is None else type(ended_by), ended_by, trace)
    except Exception as error:
        if error is not ended_by:
            _log.error("the end of deps raised %s, %s", type(error).__name__, raised_at(error))
