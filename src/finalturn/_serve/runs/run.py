"""One served turn.

A task of its own reads the agent's stream, and writes frames into a log. Clients read the log. So a turn can
outlive its client, a client that comes back finds what it missed, and several may read at the same time, such
as the tabs of a browser. The log is bounded: when nobody takes its frames, or one client takes them slowly,
the turn waits.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any

from finalturn._agent import AgentStream
from finalturn._core.result import AgentResult
from finalturn._serve.formats.items import Ended, Item, Projection, RunFailed, RunStarted, item_of
from finalturn._serve.formats.public import parsed_to_json, public_result
from finalturn._serve.formats.sse import frame
from finalturn._serve.logs.reasons import reasons_of, without_text
from finalturn._serve.problems.exceptions import problem_of
from finalturn._serve.problems.failure import SAVE_UNCONFIRMED, STOPPED, TOO_MANY_READERS, Failure, failure_of
from finalturn._serve.problems.problem import Problem
from finalturn._serve.runs.log import FrameLog
from finalturn._serve.spans import run_surroundings
from finalturn._support.logger import logger

__all__ = ["MOST_READERS", "Run", "Signal"]


class Signal:
    """Whoever waits is woken by the next `notify`. Unlike an ``asyncio.Event``, it need not be cleared."""

    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[None]] = []

    def notify(self) -> None:
        """Wake all who wait now."""
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            for waiter in waiting:
                if not waiter.done():
                    waiter.set_result(None)

    async def wait(self) -> None:
        """Wait for the next `notify`."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            await waiter
        finally:
            if waiter in self._waiting:
                self._waiting.remove(waiter)


_log = logger("finalturn.serve")

MOST_READERS = 16
"""How many clients may read a run at the same time; those count too whose connection broke without a word."""


class Run:
    """A turn, its records, and who reads them.

    Args:
        run_id: unguessable.
        owner: whose it is; ``None`` where nobody has to say who they are.
        session: the client's id of the session, if any.
        format: which stream format it has.
        projection: makes records.
        buffer: how many bytes of frames may wait, and how many delivered ones are kept.
        replay: whether delivered frames are kept.
        asked: a digest of what was asked, by which the same request is known again.
        to_json: gives the result's ``parsed`` in JSON types.
    """

    def __init__(
        self,
        run_id: str,
        owner: str | None,
        session: str | None,
        format: str,
        projection: Projection,
        *,
        buffer: int,
        replay: bool,
        asked: bytes = b"",
        to_json: Callable[[Any], Any] = parsed_to_json,
    ) -> None:
        self.id = run_id
        self.owner = owner
        self.session = session
        self.format = format
        self.replays = replay
        self.asked = asked
        self.is_saving: bool = False
        self.is_closed: bool = False
        self.outcome: Ended | RunFailed | None = None
        self.on_end: Callable[[Run], None] = lambda run: None
        self._projection = projection
        self._to_json = to_json
        self._buffer = buffer
        self._frames = FrameLog(buffer if replay else 0)
        # How far each of those is who read it.
        self._readers: dict[int, int] = {}
        self._tickets = 0
        self._grown = Signal()
        self._taken = Signal()
        self._freed = Signal()
        self._task: asyncio.Task[None] | None = None
        self._stopped: Failure | None = None
        self._has_begun = False
        self._refusal: Problem | None = None
        self._over = asyncio.Event()

    @property
    def ended(self) -> bool:
        """Whether the last record is there."""
        return self.outcome is not None

    def start(self, turn: AbstractAsyncContextManager[AgentStream[Any]]) -> None:
        """Begin the turn.

        Args:
            turn: gives the turn's stream, which is not read yet; what it is entered for ends with the turn.
        """
        self._write(RunStarted(self.id, self.session))
        self._task = asyncio.create_task(self._follow(turn), name=f"finalturn run {self.id}")
        self._task.add_done_callback(self._close)

    async def begun(self) -> None:
        """Wait until the turn has begun.

        Raises:
            Problem: it does not begin.
        """
        while not (self._has_begun or self.ended):
            await self._grown.wait()
        if not self._has_begun:
            assert isinstance(self.outcome, RunFailed), "a turn that has not begun has no result"
            raise self._refusal or Problem.of(self.outcome.failure)

    async def stop(self, why: Failure = STOPPED) -> None:
        """End the turn now, if it has not ended: the model call stops, no tool starts, nothing is saved.

        A turn that is being saved is saved whole, and ends with its result.
        """
        first, self._stopped = self._stopped is None, self._stopped or why
        if self._task is not None:
            if first and not self.is_saving and not self.ended:
                # Once: a second cancellation would cut off how the model call is closed.
                self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._over.wait()

    def abandon(self, why: Failure) -> None:
        """Wait no longer for a turn that was stopped, and takes no notice: its client is told why.

        What it has under way, such as being saved, may still come to its end. A client that is to try again
        would have such a turn saved twice.
        """
        if not self.ended:
            why = SAVE_UNCONFIRMED if self.is_saving else why
            _log.warning("run abandoned", extra=_facts(self, code=why.code))
            self._end_or_fail(why)
            self._over.set()
            self._tell_closed()

    async def wait(self) -> None:
        """Wait for the end of the turn."""
        await self._over.wait()

    # What a client does.

    def join(self, after: int = 0) -> int:
        """Become a reader, until `leave`.

        Args:
            after: the number of the last frame that the client has.

        Returns:
            The ticket to read with.

        Raises:
            Problem: as many clients read it as may.
        """
        if len(self._readers) >= MOST_READERS:
            raise Problem.of(TOO_MANY_READERS)
        self._tickets += 1
        self._readers[self._tickets] = after
        return self._tickets

    def leave(self, ticket: int) -> None:
        """Read no more."""
        del self._readers[ticket]
        self._deliver()
        self._freed.notify()

    @property
    def is_read(self) -> bool:
        """Whether a client reads it, or waits for its outcome."""
        return bool(self._readers)

    async def unread(self) -> None:
        """Wait until nobody reads the run, or it has ended."""
        while self.is_read and not self.ended:
            await self._freed.wait()

    def can_follow(self, number: int) -> bool:
        """Whether all frames after that one are kept, or still to come."""
        return self._frames.first - 1 <= number <= self._frames.last

    async def read(self, ticket: int, after: int) -> tuple[list[bytes], int]:
        """The frames after a number, once there are any, and the number of the last of them.

        No frames mean that the run has ended, and that they were all read. To read is to have got what was
        read before.

        Raises:
            FramesGoneError: one of them is not kept any more.
        """
        self._readers[ticket] = after
        self._deliver()
        while True:
            if frames := self._frames.after(after):
                return frames, after + len(frames)
            if self.ended:
                return [], after
            await self._grown.wait()

    def _deliver(self) -> None:
        """What all have got who read the run is delivered."""
        if self._readers:
            self._frames.deliver(min(min(self._readers.values()), self._frames.last))
            self._taken.notify()

    # What the turn does.

    async def _follow(self, turn: AbstractAsyncContextManager[AgentStream[Any]]) -> None:
        try:
            async with turn as stream:
                self._has_begun = True
                self._grown.notify()
                with run_surroundings(self.id, self.format, lambda: self._stopped or STOPPED):
                    await self._read(stream)
        except BaseException as error:
            # Out of this task, an interrupt would end the server, and asyncio would log what it says.
            if self.outcome is None:
                self._refuse(error)
        finally:
            self._tell_closed()

    def _refuse(self, error: BaseException) -> None:
        """The turn does not begin."""
        if isinstance(error, asyncio.CancelledError):
            self._end_or_fail(self._stopped or STOPPED)
            return
        problem = error if isinstance(error, Problem) else None
        if problem is None and isinstance(error, Exception):
            problem = problem_of(error)
        self._refusal = problem
        failure = Failure(problem.code, problem.detail, problem.retryable) if problem else failure_of(error)
        self._end_or_fail(failure)

    def _tell_closed(self) -> None:
        """Nothing of the turn goes on any more."""
        self.is_closed = True
        self.on_end(self)

    def _close(self, task: asyncio.Task[None]) -> None:
        if self.outcome is None:
            # It was stopped before its first step.
            self._end_or_fail(self._stopped or STOPPED)
            self._tell_closed()
        self._over.set()

    async def _read(self, stream: AgentStream[Any]) -> None:
        """Read the turn to its end: then there is an outcome, and what has ended it early is raised."""
        try:
            async with stream:
                async for item in stream:
                    if isinstance(item, AgentResult):
                        self._end(Ended({"run_id": self.id, **public_result(item, self._to_json)}))
                        _log.info("run completed", extra=_facts(self, stop_reason=item.stop_reason))
                        return
                    self._write(item_of(item))
                    if self._stopped is not None and not self.is_saving:
                        # What was under way took no notice of its cancellation: nothing more starts.
                        raise asyncio.CancelledError
                    if self._frames.undelivered > self._buffer:
                        await self._room()
        except asyncio.CancelledError:
            self._end_or_fail(self._stopped or STOPPED)
            _log.info("run stopped", extra=_facts(self, code=(self._stopped or STOPPED).code))
            raise
        except BaseException as error:
            self._fail(error)
            raise

    def _fail(self, error: BaseException) -> None:
        failure = failure_of(error)
        unforeseen = failure.code == "internal_error"
        _log.log(
            logging.ERROR if unforeseen else logging.WARNING,
            "run failed",
            extra={**_facts(self, code=failure.code, error=type(error).__name__), **reasons_of(error)},
            exc_info=without_text(error) if unforeseen else None,
        )
        # A reader must not wait for ever, whatever went wrong.
        self._end_or_fail(failure)

    async def _room(self) -> None:
        while self._frames.undelivered > self._buffer // 2:
            await self._taken.wait()

    def _write(self, item: Item) -> None:
        if self.outcome is not None:
            # It was abandoned.
            return
        records = self._projection.records(item)
        # All of an item, or nothing.
        frames = [frame(record, number) for number, record in enumerate(records, self._frames.last + 1)]
        for encoded in frames:
            self._frames.append(encoded)
        self._grown.notify()

    def _end_or_fail(self, why: Failure) -> None:
        with suppress(Exception):
            self._end(RunFailed(why))
        self.outcome = self.outcome or RunFailed(why)
        self._grown.notify()
        self._freed.notify()

    def _end(self, outcome: Ended | RunFailed) -> None:
        if self.outcome is None:
            self._write(outcome)
            self.outcome = outcome
            self._grown.notify()
            self._freed.notify()


def _facts(run: Run, **more: str) -> dict[str, str | None]:
    """What a log record says about a run: nothing of what was said in it."""
    return {"run_id": run.id, "format": run.format, "owner": run.owner, "session": run.session, **more}
