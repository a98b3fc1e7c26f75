"""A turn for synchronous callers."""

from __future__ import annotations

from contextlib import suppress
from inspect import iscoroutinefunction
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from finalturn._core.chunks import StreamChunk
from finalturn._core.errors import ConfigurationError
from finalturn._core.protocols import StreamHandler
from finalturn._core.result import AgentResult, Usage
from finalturn.stability import stable

if TYPE_CHECKING:
    from finalturn._agent.portal import Portal
    from finalturn._agent.stream import AgentStream

_ASYNC_HANDLER = "the stream_handler is asynchronous, and run() takes a synchronous one; use arun()"

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@stable(since="0.1.0")
class SyncStream(Generic[T_co]):
    """What a turn shows, chunk by chunk, and then its `AgentResult`: an iterator and a context manager.

    `Agent.stream` makes it. Each item is pulled from a background event loop; between two items nothing is
    read. Tools and other code of the turn see the context variables of the place where the stream was made.
    Leave it early through ``with`` or `close`. Inside a running event loop it blocks that loop: use
    `Agent.astream` there.
    """

    def __init__(self, stream: AgentStream[T_co], portal: Portal) -> None:
        from finalturn._agent.portal import callers_context

        self._stream = stream
        self._portal = portal
        self._context = callers_context()
        portal.adopt(stream)

    def __iter__(self) -> SyncStream[T_co]:
        return self

    def __next__(self) -> StreamChunk | AgentResult[T_co]:
        self._portal.check("astream()")
        try:
            item = self._portal.call(_pull(self._stream), self._context)
        except KeyboardInterrupt:
            self.close()
            raise
        if item is None:
            raise StopIteration
        return item

    def __enter__(self) -> SyncStream[T_co]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the turn: the model call ends, its connection is freed, no tool starts, nothing is saved.

        May be called more than once, and from another thread, whose reader is told by an error.

        Raises:
            ConfigurationError: it is called by code that runs on the background event loop itself.
        """
        from finalturn._agent.portal import PortalClosed

        self._portal.check("astream()")
        # Where the loop has ended, so has the turn.
        with suppress(PortalClosed):
            self._portal.call(self._stream.aclose(), self._context)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a stream is one turn that is under way: it cannot be copied or pickled")

    @property
    def result(self) -> AgentResult[T_co]:
        """The turn's result, once the stream has given it.

        Raises:
            StreamError: the turn has not ended: read the stream to its end.
            StreamClosedError: it was left early, or failed.
        """
        return self._stream.result

    @property
    def usage(self) -> Usage:
        """Tokens of the model calls that have ended so far; readable at any time.

        A call that failed or was stopped counts with what its provider reported, or as unreported.
        """
        return self._stream.usage


async def _pull(stream: AgentStream[T]) -> StreamChunk | AgentResult[T] | None:
    try:
        return await stream.__anext__()
    except StopAsyncIteration:
        return None


async def drain(stream: AgentStream[T], handler: StreamHandler | None) -> AgentResult[T]:
    """Read a stream to its end, telling the handler of every piece of content."""
    async with stream:
        async for item in stream:
            if handler is not None and isinstance(item, StreamChunk) and item.content:
                returned: Any = handler(item.content)
                if hasattr(returned, "__await__"):
                    await returned
    return stream.result


def run_blocking(stream: AgentStream[T], handler: StreamHandler | None, portal: Portal) -> AgentResult[T]:
    """Read a stream to its end from a synchronous caller; the handler runs in the caller's thread.

    Raises:
        ConfigurationError: the handler is asynchronous.
    """
    if handler is None:
        from finalturn._agent.portal import callers_context

        return portal.call(drain(stream, None), callers_context())
    with SyncStream(stream, portal) as items:
        for item in items:
            if isinstance(item, StreamChunk) and item.content:
                _refuse_awaitable(handler(item.content))
    return stream.result


def refuse_async_handler(handler: StreamHandler | None) -> None:
    """Refuse a handler that is plainly asynchronous, before the turn begins.

    Raises:
        ConfigurationError: it is.
    """
    if iscoroutinefunction(handler) or iscoroutinefunction(getattr(handler, "__call__", None)):  # noqa: B004
        raise ConfigurationError(_ASYNC_HANDLER)


def _refuse_awaitable(returned: object) -> None:
    if not hasattr(returned, "__await__"):
        return
    close: Any = getattr(returned, "close", None)
    if close is not None:
        close()
    raise ConfigurationError(_ASYNC_HANDLER)
