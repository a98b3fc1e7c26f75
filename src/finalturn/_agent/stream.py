"""A turn as an asynchronous stream."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import TYPE_CHECKING, Generic, NoReturn, TypeVar, cast

from finalturn._core.chunks import StreamChunk
from finalturn._core.errors import StreamClosedError, StreamError
from finalturn._core.result import AgentResult, Usage
from finalturn.stability import stable

if TYPE_CHECKING:
    from anyio import Event

    from finalturn._agent.driver import Driver, Item
    from finalturn._agent.spec import TurnSpec
    from finalturn._agent.step import Stepper

T_co = TypeVar("T_co", covariant=True)

_CLOSED = "it was closed"
_FAILED = "its turn failed"
_CANCELLED = "a step of it was cancelled"


@stable(since="0.1.0")
class AgentStream(Generic[T_co]):
    """What a turn shows, chunk by chunk, and then its `AgentResult`. `Agent.astream` makes it.

    Iterate it once, from one task at a time. It is driven by its reader: between two items nothing is
    read and nothing starts. Leave it early through ``async with`` or `aclose`, and the model call stops
    at once; after a plain ``break`` nothing more is read, and the connection is freed when the stream is
    collected. A step that is cancelled, by a timeout around it too, ends the turn.

    Example:
        async with agent.astream("Where is my order?", response_format=Ticket) as stream:
            async for item in stream:
                ...

    Contract:
        - `result-is-last` (stable): A turn MUST end with exactly one AgentResult, or with an exception and
          none.
        - `close-stops-work` (stable): Closing or cancelling a stream, or over HTTP the connection of a turn
          that cannot be resumed, MUST stop the model call, free its connection and start no tool.
    """

    def __init__(self, turn: TurnSpec) -> None:
        self._turn = turn
        self._driver: Driver | None = None
        self._stepper: Stepper | None = None
        self._next: Callable[[], Awaitable[Item]] | None = None
        self._ended = False
        self._ending = _FAILED
        self._closed: Event | None = None
        self._result: AgentResult[T_co] | None = None

    @property
    def result(self) -> AgentResult[T_co]:
        """The turn's result, once the stream has given it.

        Raises:
            StreamError: the turn has not ended: read the stream to its end.
            StreamClosedError: it was left early, or failed.
        """
        if self._result is None:
            if self._ended:
                raise self._without_result()
            raise StreamError("there is no result yet: the stream was not read to its end")
        return self._result

    @property
    def usage(self) -> Usage:
        """Tokens of the model calls so far, failed and stopped ones included; readable at any time."""
        return Usage() if self._driver is None else self._driver.usage

    def __aiter__(self) -> AgentStream[T_co]:
        return self

    async def __anext__(self) -> StreamChunk | AgentResult[T_co]:
        if self._ended:
            if self._result is None:
                raise self._without_result()
            raise StopAsyncIteration
        if self._stepper is None:
            self._open()
        assert self._stepper is not None and self._next is not None
        try:
            item = await self._stepper.run(self._next)
        except BaseException as error:
            # While another step is under way, it is only this one that was refused.
            self._ended = not self._stepper.busy
            if _is_interrupt(error):
                self._ending = _CLOSED
                raise self._without_result() from None
            if self._ended and not isinstance(error, Exception):
                self._ending = _CANCELLED
            if isinstance(error, StopAsyncIteration):
                raise RuntimeError("the turn's own code raised StopAsyncIteration") from error
            raise
        if type(item) is not StreamChunk:
            self._ended = True
            self._result = cast("AgentResult[T_co]", item)
        return cast("StreamChunk | AgentResult[T_co]", item)

    async def __aenter__(self) -> AgentStream[T_co]:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Stop the turn: the model call ends, its connection is freed, no tool starts, nothing is saved.

        May be called at any time, from any task of the same event loop, and more than once; a task that
        waits for the next item, or asks for one later, is told by an error. A turn that is being
        saved is saved whole.

        Raises:
            StreamError: it is called from inside the turn's own step, such as by the predicate.
        """
        if self._stepper is not None:
            await self._stepper.interrupt()
        if self._closed is not None:
            await self._closed.wait()
        elif not self._ended:
            self._ended, self._ending = True, _CLOSED
            if self._driver is not None:
                await self._close(self._driver)

    async def _close(self, driver: Driver) -> None:
        from anyio import Event

        self._closed = Event()
        try:
            await driver.aclose()
        finally:
            self._closed.set()

    def __del__(self) -> None:
        if not hasattr(self, "_stepper"):
            return  # it could not be made
        if self._stepper is not None and self._driver is not None and not self._ended:
            self._stepper.leave(self._driver.aclose)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a stream is one turn that is under way: it cannot be copied or pickled")

    def _without_result(self) -> StreamClosedError:
        return StreamClosedError(f"the stream has ended without a result: {self._ending}")

    def _open(self) -> None:
        # Here anyio loads, and here it is known which event loop is running.
        from finalturn._agent.driver import Driver
        from finalturn._agent.step import stepper

        if self._turn.agent.every_observer():
            from finalturn._agent.observed import ObservedDriver

            self._driver = ObservedDriver(self._turn)
        else:
            self._driver = Driver(self._turn)
        self._next = self._driver.next
        self._stepper = stepper()


def _is_interrupt(error: BaseException) -> bool:
    from finalturn._agent.step import Interrupted

    return isinstance(error, Interrupted)
