"""Many inputs as one batch: `Batch` on an event loop, `SyncBatch` for synchronous callers."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Generic, NoReturn, TypeVar

from finalturn._agent.batch_work import BatchItem, Work
from finalturn._agent.streams import Input
from finalturn._core.errors import StreamClosedError, StreamError
from finalturn._core.result import Usage
from finalturn.stability import NEXT, beta

if TYPE_CHECKING:
    import asyncio

    from anyio.abc import TaskGroup

    from finalturn._agent.portal import Portal

__all__ = ["Batch", "SyncBatch"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@beta(since=NEXT)
class Batch(Generic[T_co]):
    """The turns of many inputs, as an asynchronous iterator of `BatchItem`. `Agent.amap` makes it.

    Its turns run inside its ``async with`` block, and none of them outlives it: leaving the block stops those
    that are under way. What had finished by then stays: what was not read yet is in ``unread``. Read it from
    one task at a time.

    Example:
        async with agent.amap(questions) as batch:
            async for item in batch:
                ...
    """

    def __init__(self, work: Work[T_co], inputs: Iterable[Input] | AsyncIterable[Input]) -> None:
        self._work = work
        self._inputs = inputs
        self._tasks: TaskGroup | None = None

    @property
    def done(self) -> int:
        """How many inputs have a result; readable at any time, after the block too."""
        return self._work.totals.done

    @property
    def failed(self) -> int:
        """How many inputs have failed for good; readable at any time, after the block too."""
        return self._work.totals.failed

    @property
    def usage(self) -> Usage:
        """Tokens of all turns so far: those that failed, were stopped or are under way included."""
        return self._work.totals.usage

    @property
    def unread(self) -> tuple[BatchItem[T_co], ...]:
        """The items that have finished and that the iteration has not given, in the order of inputs."""
        return self._work.unread

    async def __aenter__(self) -> Batch[T_co]:
        from anyio import create_task_group

        if self._tasks is not None:
            raise StreamError("a batch is entered once; make another with amap()")
        tasks = create_task_group()
        await tasks.__aenter__()
        self._tasks = tasks
        tasks.start_soon(self._work.run, self._feed)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        from anyio import get_cancelled_exc_class

        assert self._tasks is not None, "it was entered"
        self._work.stop()
        if isinstance(error, get_cancelled_exc_class()):
            return await self._tasks.__aexit__(kind, error, trace)
        # The block's own exception is not the group's to wrap.
        await self._tasks.__aexit__(None, None, None)
        return None

    async def aclose(self) -> None:
        """Stop the turns that are under way, and wait until they have ended. What has finished stays.

        May be called at any time, and more than once.
        """
        await self._work.aclose()

    def __aiter__(self) -> AsyncIterator[BatchItem[T_co]]:
        return self

    async def __anext__(self) -> BatchItem[T_co]:
        if self._tasks is None:
            raise StreamError("a batch runs inside its block: async with agent.amap(...) as batch")
        await self._work.readable()
        item = _taken(self._work)
        self._work.tell()
        if item is None:
            raise StopAsyncIteration
        return item

    def __reduce__(self) -> NoReturn:
        raise TypeError("a batch is work that is under way: it cannot be copied or pickled")

    async def _feed(self) -> None:
        if isinstance(self._inputs, AsyncIterable):
            await self._feed_awaited(self._inputs)
            return
        failure: Exception | None = None
        try:
            inputs = iter(self._inputs)
            while True:
                await self._work.room()
                try:
                    input = next(inputs)
                except StopIteration:
                    break
                self._work.begin(input)
        except Exception as error:
            failure = error
        self._work.no_more(failure)

    async def _feed_awaited(self, awaited: AsyncIterable[Input]) -> None:
        from anyio import CancelScope

        inputs = aiter(awaited)
        failure: Exception | None = None
        try:
            while True:
                await self._work.room()
                try:
                    input = await anext(inputs)
                except StopAsyncIteration:
                    break
                self._work.begin(input)
        except Exception as error:
            failure = error
        finally:
            # A generator that is left open would be closed by the garbage collector, whenever that is.
            close: Callable[[], Awaitable[object]] | None = getattr(inputs, "aclose", None)
            if close is not None:
                with CancelScope(shield=True):
                    await close()
        self._work.no_more(failure)


@beta(since=NEXT)
class SyncBatch(Generic[T_co]):
    """The turns of many inputs, as an iterator of `BatchItem`. `Agent.map` makes it.

    Its turns run on a background event loop inside its ``with`` block, and none of them outlives it: leaving
    the block stops those that are under way. What had finished by then stays: what was not read yet is in
    ``unread``. Inputs are taken in the thread that reads, while it asks for the next item. Inside a running
    event loop it blocks that loop: use `Agent.amap` there.

    Example:
        with agent.map(questions) as batch:
            for item in batch:
                ...
    """

    def __init__(self, work: Work[T_co], inputs: Iterable[Input], portal: Portal) -> None:
        from finalturn._agent.portal import callers_context

        self._work = work
        self._inputs = inputs
        self._iterator: Iterator[Input] | None = None
        self._portal = portal
        self._context = callers_context()
        self._task: asyncio.Task[None] | None = None

    @property
    def done(self) -> int:
        """How many inputs have a result; readable at any time, after the block too."""
        return self._work.totals.done

    @property
    def failed(self) -> int:
        """How many inputs have failed for good; readable at any time, after the block too."""
        return self._work.totals.failed

    @property
    def usage(self) -> Usage:
        """Tokens of all turns so far: those that failed, were stopped or are under way included."""
        return self._work.totals.usage

    @property
    def unread(self) -> tuple[BatchItem[T_co], ...]:
        """The items that have finished and that the iteration has not given, in the order of inputs."""
        return self._work.unread

    def __enter__(self) -> SyncBatch[T_co]:
        self._portal.check("amap()")
        if self._task is not None:
            raise StreamError("a batch is entered once; make another with map()")
        self._portal.adopt(self._work)
        self._portal.call(self._begin(), self._context)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the turns that are under way, and wait until they have ended. What has finished stays.

        May be called more than once, and from another thread, whose reader is told by an error.

        Raises:
            ConfigurationError: it is called by code that runs on the background event loop itself.
        """
        from finalturn._agent.portal import PortalClosed

        self._portal.check("amap()")
        # Where the loop has ended, so have the turns.
        with suppress(PortalClosed):
            self._portal.call(self._end(), self._context)

    def __iter__(self) -> Iterator[BatchItem[T_co]]:
        return self

    def __next__(self) -> BatchItem[T_co]:
        self._portal.check("amap()")
        if self._task is None:
            raise StreamError("a batch runs inside its block: with agent.map(...) as batch")
        try:
            while self._portal.call(self._work.readable(or_room=not self._work.fed), self._context):
                self._take_input()
        except KeyboardInterrupt:
            self.close()
            raise
        item = _taken(self._work)
        if item is None:
            raise StopIteration
        return item

    def __reduce__(self) -> NoReturn:
        raise TypeError("a batch is work that is under way: it cannot be copied or pickled")

    async def _begin(self) -> None:
        import asyncio

        self._task = asyncio.create_task(self._work.run())

    def _take_input(self) -> None:
        try:
            if self._iterator is None:
                self._iterator = iter(self._inputs)
            input = next(self._iterator)
        except StopIteration:
            self._portal.call(self._stop_feeding(None), self._context)
        except Exception as error:
            self._portal.call(self._stop_feeding(error), self._context)
        else:
            self._portal.call(self._start(input), self._context)

    async def _start(self, input: Input) -> None:
        self._work.begin(input)

    async def _stop_feeding(self, error: Exception | None) -> None:
        self._work.no_more(error)

    async def _end(self) -> None:
        self._work.stop()
        if self._task is not None:
            await self._task


def _taken(work: Work[T]) -> BatchItem[T] | None:
    if work.stopped and not work.complete:
        raise StreamClosedError("the batch was closed; what had finished and was not read is in its unread")
    return work.take()
