"""The work of a batch: takes inputs, runs a turn for each, and keeps what comes of it until it is read."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from finalturn._agent.streams import Input
from finalturn._core.errors import ConfigurationError, ProviderError
from finalturn._core.result import AgentResult, Usage
from finalturn._support.keywords import checked_class
from finalturn.stability import NEXT, beta

if TYPE_CHECKING:
    from anyio import Event
    from anyio.abc import TaskGroup

    from finalturn._agent.stream import AgentStream

__all__ = ["BatchItem", "BatchRetries", "Totals", "Work"]

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

# How many items may wait to be read, for each turn that may be under way: a slow reader slows the batch, and
# one slow turn does not stop the others at once, where the order is to be kept.
WAITING_FOR_EACH = 4


@beta(since=NEXT)
@dataclass(frozen=True, slots=True)
class BatchItem(Generic[T_co]):
    """What came of one input of a batch: a result or an error, never both.

    Attributes:
        index: the place of the input among the inputs, from 0.
        input: the input itself.
        result: the turn's result; ``None`` when it failed.
        error: why there is none; ``None`` when there is one.
        attempts: how many turns were begun for it; 0 where the input is none that a turn can begin with.
        usage: tokens of all of them, those that failed included.
    """

    index: int
    input: Input
    result: AgentResult[T_co] | None
    error: Exception | None
    attempts: int
    usage: Usage

    def unwrap(self) -> AgentResult[T_co]:
        """The result.

        Raises:
            Exception: the ``error``, where there is no result.
        """
        if self.result is None:
            assert self.error is not None, "an item has a result or an error"
            raise self.error
        return self.result


@beta(since=NEXT)
@checked_class
@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRetries:
    """Which turns of a batch are run again, and when.

    A turn is run again when it failed with a `ProviderError` that is ``retryable``, and the model had not
    asked for a tool. It keeps its run id. This comes on top of what the provider itself tries again.

    Args:
        count: how many times a turn is run again at most, from 0.
        first_delay: the seconds before the first time, where the vendor names none. They double with each
            time, and up to half of them is taken away by chance.
        longest_delay: no pause is longer, in seconds. A turn whose vendor asks for a longer one has failed.
        after_tools: run a turn again even if the model had asked for a tool. Tools then may run twice for
            one input, and the ``idempotency_key`` of their contexts is another one each time.
        sleep: waits for so many seconds; ``anyio.sleep`` by default. For tests.
        chance: gives a number from 0 up to 1; ``random.random`` by default. For tests.

    Raises:
        ConfigurationError: a number is none that can be meant; raised when it is made.
    """

    count: int = 2
    first_delay: float = 1.0
    longest_delay: float = 60.0
    after_tools: bool = False
    sleep: Callable[[float], Awaitable[object]] | None = None
    chance: Callable[[], float] | None = None

    def __post_init__(self) -> None:
        if type(self.count) is not int or self.count < 0:
            raise ConfigurationError("BatchRetries: count must be a whole number of at least 0")
        for name in ("first_delay", "longest_delay"):
            seconds: object = getattr(self, name)
            if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not seconds >= 0:
                raise ConfigurationError(f"BatchRetries: {name} must be a number of seconds of at least 0")


class Totals(NamedTuple):
    """How far a batch is."""

    done: int
    failed: int
    usage: Usage


class _Outcome(NamedTuple, Generic[T]):
    """What came of one turn."""

    result: AgentResult[T] | None
    error: Exception | None
    acted: bool = False


class Work(Generic[T]):
    """The turns of a batch, on one event loop. Whoever feeds it asks for room first.

    Args:
        open: the turn of an input, with a run id.
        at_a_time: how many inputs are under way at most, those that wait to be tried again included.
        ordered: items are taken in the order of inputs.
        retries: which turns are run again.
        run_id: what the run ids begin with; ``None`` for ids that are made.
    """

    def __init__(
        self,
        open: Callable[[Input, str], AgentStream[T]],
        *,
        at_a_time: int,
        ordered: bool,
        retries: BatchRetries,
        run_id: str | None,
    ) -> None:
        self._open = open
        self._at_a_time = at_a_time
        self._ordered = ordered
        self._retries = retries
        self._run_id = run_id
        self._streams: dict[int, AgentStream[T]] = {}
        self._finished: dict[int, BatchItem[T]] = {}
        self._finished_order: deque[int] = deque()
        self._begun = self._under_way = self._taken = 0
        self._done = self._failed = 0
        self._settled = Usage()
        self._feed_error: Exception | None = None
        # Totals may be read in another thread, while a turn ends.
        self._lock = Lock()
        self._tasks: TaskGroup | None = None
        self._changed: Event | None = None
        self.fed: bool = False
        self.stopped: bool = False
        self.ended: bool = False

    @property
    def totals(self) -> Totals:
        """How far it is."""
        with self._lock:
            usage = sum((stream.usage for stream in self._streams.values()), self._settled)
            return Totals(self._done, self._failed, usage)

    @property
    def complete(self) -> bool:
        """Whether every input has come to an item, and every item was taken."""
        return self.fed and self._taken == self._begun

    @property
    def unread(self) -> tuple[BatchItem[T], ...]:
        """What has finished and was not taken, in the order of inputs."""
        finished = dict(self._finished)
        return tuple(finished[index] for index in sorted(finished))

    async def run(self, feed: Callable[[], Coroutine[Any, Any, object]] | None = None) -> None:
        """Run the turns until it is stopped; then none of them is left.

        Args:
            feed: runs beside them, and begins them.
        """
        from anyio import create_task_group

        try:
            async with create_task_group() as tasks:
                self._tasks = tasks
                self.tell()
                if feed is not None:
                    tasks.start_soon(feed)
                await self._until(lambda: self.stopped)
                tasks.cancel_scope.cancel()
        finally:
            self.stopped = self.ended = True
            self.tell()

    def stop(self) -> None:
        """Stop all turns; what has finished stays."""
        self.stopped = True
        self.tell()

    async def aclose(self) -> None:
        """Stop all turns, and wait until they have ended."""
        self.stop()
        await self._until(lambda: self.ended or self._tasks is None)

    async def room(self) -> None:
        """Wait until one more input may begin."""
        await self._until(self._has_room)

    def begin(self, input: Input) -> None:
        """Begin the turn of the next input; there must be room."""
        assert self._tasks is not None, "a batch runs before it is fed"
        index = self._begun
        self._begun += 1
        self._under_way += 1
        self._tasks.start_soon(self._do, index, input)

    def no_more(self, error: Exception | None = None) -> None:
        """There are no more inputs.

        Args:
            error: what asking for the next one has failed with.
        """
        self.fed, self._feed_error = True, error
        self.tell()

    async def readable(self, *, or_room: bool = False) -> bool:
        """Wait until there is an item to take, or there will be none any more.

        Args:
            or_room: or until one more input may begin, which counts first.

        Returns:
            Whether there is such room.
        """
        await self._until(lambda: (or_room and self._has_room()) or self._readable())
        return or_room and self._has_room()

    def take(self) -> BatchItem[T] | None:
        """The next item; ``None`` after the last.

        Raises:
            Exception: what asking for inputs has failed with, once all items before it are taken.
        """
        if self._finished:
            index = self._taken if self._ordered else self._finished_order.popleft()
            self._taken += 1
            return self._finished.pop(index)
        if self._feed_error is not None:
            raise self._feed_error
        return None

    def _has_room(self) -> bool:
        waiting = len(self._finished)
        return (
            not self.stopped
            and self._tasks is not None
            and self._under_way < self._at_a_time
            and waiting < WAITING_FOR_EACH * self._at_a_time
        )

    def _readable(self) -> bool:
        ready = self._taken in self._finished if self._ordered else bool(self._finished)
        return ready or self.stopped or (self.fed and not self._under_way)

    async def _do(self, index: int, input: Input) -> None:
        from uuid import uuid4

        run_id = uuid4().hex if self._run_id is None else f"{self._run_id}-{index}"
        attempt, usage = 0, Usage()
        kept = False
        try:
            while True:
                try:
                    stream = self._open(input, run_id)
                except Exception as error:
                    outcome: _Outcome[T] = _Outcome(None, error)
                    break
                attempt += 1
                outcome = await self._turn(index, stream)
                usage += stream.usage
                delay = self._delay(outcome, attempt)
                if delay is None:
                    break
                await self._pause(delay)
            # Nothing is awaited between the end of a turn and here: what is done is kept.
            self._keep(BatchItem(index, input, outcome.result, outcome.error, attempt, usage))
            kept = True
        finally:
            self._under_way -= 1
            # A turn may be cancelled by code of its own: nobody is to wait for its item.
            self.stopped = self.stopped or not kept
            self.tell()

    def _keep(self, item: BatchItem[T]) -> None:
        with self._lock:
            self._finished[item.index] = item
            if not self._ordered:
                self._finished_order.append(item.index)
            if item.error is None:
                self._done += 1
            else:
                self._failed += 1

    async def _turn(self, index: int, stream: AgentStream[T]) -> _Outcome[T]:
        acted = False
        with self._lock:
            self._streams[index] = stream
        try:
            async with stream:
                async for piece in stream:
                    if isinstance(piece, AgentResult):
                        continue
                    acted = acted or bool(piece.tool_calls)
        except Exception as error:
            return _Outcome(None, error, acted)
        finally:
            with self._lock:
                del self._streams[index]
                self._settled += stream.usage
        return _Outcome(stream.result, None, acted)

    def _delay(self, outcome: _Outcome[T], attempt: int) -> float | None:
        """The seconds to wait before a turn is run again; ``None`` when it is not."""
        error, retries = outcome.error, self._retries
        if not isinstance(error, ProviderError) or not error.retryable or attempt > retries.count:
            return None
        if outcome.acted and not retries.after_tools:
            return None
        from finalturn._providers.http.transport import retry_delay

        return retry_delay(
            attempt,
            error.retry_after,
            first=retries.first_delay,
            longest=retries.longest_delay,
            patience=retries.longest_delay,
            chance=retries.chance,
        )

    async def _pause(self, seconds: float) -> None:
        if self._retries.sleep is None:
            from anyio import sleep

            await sleep(seconds)
        else:
            await self._retries.sleep(seconds)

    async def _until(self, condition: Callable[[], bool]) -> None:
        from anyio import Event

        while not condition():
            if self._changed is None:
                self._changed = Event()
            await self._changed.wait()

    def tell(self) -> None:
        """Wake whoever waits for something here, to look again."""
        changed, self._changed = self._changed, None
        if changed is not None:
            changed.set()
