"""`Runs`: all runs of a server, those that go on and those that can still be resumed."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any

from finalturn._agent import AgentStream
from finalturn._serve.access.owners import stored_session
from finalturn._serve.config import ServeConfig
from finalturn._serve.formats.items import Projection
from finalturn._serve.formats.public import parsed_to_json
from finalturn._serve.problems.failure import OVERLOADED, SESSION_BUSY, SHUTTING_DOWN
from finalturn._serve.problems.problem import Problem
from finalturn._serve.runs.run import Run

__all__ = ["Runs"]


_LAST_SECONDS = 3.0


class Runs:
    """Starts runs, finds them, and forgets them in time.

    Args:
        config: its limits.
        to_json: gives the ``parsed`` of a result in JSON types.
    """

    def __init__(self, config: ServeConfig, to_json: Callable[[Any], Any] = parsed_to_json) -> None:
        self._config = config
        self._to_json = to_json
        self._runs: dict[str, Run] = {}
        # By the id under which a store keeps the session.
        self._running: dict[str, Run] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._stopping: set[asyncio.Task[None]] = set()
        self._idle = asyncio.Event()
        self._idle.set()
        self.draining: bool = False
        # Large whole answers on their way: each holds as much as a run.
        self.sending: int = 0

    @property
    def can_resume(self) -> bool:
        """Whether a client may come back to a run."""
        return self._config.resume_for > 0

    @property
    def full(self) -> bool:
        """Whether there is no room for one more."""
        return len(self._runs) + self.sending >= self._config.max_runs

    def is_large(self, size: int) -> bool:
        """Whether a whole answer of so many bytes is larger than what is kept of a stream."""
        return size > self._config.buffer

    def __len__(self) -> int:
        return len(self._runs)

    def start(
        self,
        open_turn: Callable[[str], AbstractAsyncContextManager[AgentStream[Any]]],
        make_projection: Callable[[str], Projection],
        *,
        owner: str | None,
        session: str | None,
        format: str,
        can_resume: bool = True,
        asked: bytes = b"",
    ) -> Run:
        """Begin a turn.

        Args:
            open_turn: gives the agent's stream, for the id of the run; it is entered in the run's own task.
            make_projection: makes the projection, for the id of the run.
            owner: whose it is.
            session: the client's id of the session, if any.
            format: which stream format it has.
            can_resume: whether a client has a way to come back to it, where the server lets any.
            asked: a digest of what was asked.

        Raises:
            Problem: there are too many runs, another one of the session goes on, or the server shuts down.
        """
        if self.draining:
            raise Problem.of(SHUTTING_DOWN)
        if session is not None and self.is_busy(owner, session):
            raise Problem.of(SESSION_BUSY)
        if self.full and not self._forget_one():
            raise Problem.of(OVERLOADED)
        run_id = secrets.token_urlsafe(18)
        turn = open_turn(run_id)
        projection = make_projection(run_id)
        run = Run(
            run_id,
            owner,
            session,
            format,
            projection,
            buffer=self._config.buffer,
            replay=self.can_resume and can_resume,
            asked=asked,
            to_json=self._to_json,
        )
        run.on_end = self._ended
        self._runs[run_id] = run
        if session is not None:
            self._running[stored_session(owner, session)] = run
        self._idle.clear()
        try:
            run.start(turn)
        except BaseException:
            del self._runs[run_id]
            self._ended(run)
            raise
        return run

    async def begun(self, run: Run) -> None:
        """Wait until a turn has begun. Who waits counts as a reader of the run.

        Raises:
            Problem: it does not begin; then it is forgotten.
        """
        ticket = run.join()
        try:
            await run.begun()
        except BaseException:
            run.leave(ticket)
            await self.dropping(run)
            raise
        run.leave(ticket)

    def find(self, run_id: str, *, owner: str | None, session: str | None, format: str) -> Run | None:
        """The run of that id, if it is exactly theirs."""
        run = self._runs.get(run_id)
        if run is None or (run.owner, run.session, run.format) != (owner, session, format):
            return None
        return run

    def running(self, *, owner: str | None, session: str, format: str) -> Run | None:
        """The run of a session that goes on."""
        run = self._running.get(stored_session(owner, session))
        return run if run is not None and run.format == format else None

    def reader_joined(self, run: Run) -> None:
        """A client reads the run: it is kept while it does."""
        if timer := self._timers.pop(run.id, None):
            timer.cancel()

    def is_busy(self, owner: str | None, session: str) -> bool:
        """Whether a run of the session goes on."""
        return stored_session(owner, session) in self._running

    async def end_running(self, owner: str | None, session: str) -> None:
        """Let the run of a session end, if one goes on: waited for a moment, or stopped if nobody reads it.

        Whoever stops a turn and sends a message at once may be heard before the end of their connection is.

        Raises:
            Problem: it goes on all the same.
        """
        stored = stored_session(owner, session)
        try:
            async with asyncio.timeout(self._config.busy_timeout):
                while run := self._running.get(stored):
                    await run.unread()
                    await self._as_task(run.stop())
        except TimeoutError:
            raise Problem.of(SESSION_BUSY) from None

    async def wait_until_saved(self, owner: str | None, session: str) -> None:
        """Wait a moment for the turn that is being saved to a session, if one is."""
        run = self._running.get(stored_session(owner, session))
        if run is not None and run.is_saving:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._config.busy_timeout):
                    await run.wait()

    def mark_saving(self, stored: str) -> None:
        """A turn is being saved: from now on its run is not stopped.

        Args:
            stored: the id under which the store keeps the session.
        """
        if run := self._running.get(stored):
            run.is_saving = True

    def find_repeated(self, asked: bytes, *, owner: str | None, session: str, format: str) -> Run | None:
        """The newest run of a session that can be resumed, if it was begun by the same request."""
        of_session = (
            run
            for run in reversed(self._runs.values())
            if (run.owner, run.session, run.format) == (owner, session, format)
        )
        run = next(of_session, None)
        return run if run is not None and run.replays and run.asked == asked else None

    async def drop(self, run: Run) -> None:
        """Stop the run, if it goes on, and forget it."""
        self.reader_joined(run)
        await run.stop()
        # Its client may have left meanwhile.
        self.reader_joined(run)
        self._runs.pop(run.id, None)

    def dropping(self, run: Run) -> asyncio.Future[None]:
        """`drop`, in a task of its own: it goes on when who waits for it is cancelled."""
        return self._as_task(self.drop(run))

    def reader_leaving(self, run: Run) -> asyncio.Future[None]:
        """`reader_left`, in a task of its own."""
        return self._as_task(self.reader_left(run))

    def _as_task(self, work: Coroutine[Any, Any, None]) -> asyncio.Future[None]:
        task = asyncio.create_task(work)
        self._stopping.add(task)
        task.add_done_callback(self._stopping.discard)
        return asyncio.shield(task)

    async def reader_left(self, run: Run) -> None:
        """No client reads the run any more. Where it cannot be resumed, it stops now, and else later."""
        if run.is_read:
            return
        if not run.replays:
            await self.drop(run)
        elif run.id in self._runs:
            self._forget_later(run)

    async def drain(self, timeout: float) -> None:
        """Start no run any more, and let those that go on end; stop them when the time is over.

        Args:
            timeout: seconds.
        """
        self.draining = True
        try:
            async with asyncio.timeout(timeout):
                await self._idle.wait()
        except TimeoutError:
            # A turn that is being saved is saved, unless its store hangs.
            stopping = [self._as_task(run.stop(SHUTTING_DOWN)) for run in self._runs.values()]
            if stopping:
                await asyncio.wait(stopping, timeout=_LAST_SECONDS)
            for run in tuple(self._runs.values()):
                run.abandon(SHUTTING_DOWN)
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _ended(self, run: Run) -> None:
        if run.session is not None:
            stored = stored_session(run.owner, run.session)
            if self._running.get(stored) is run:
                del self._running[stored]
        if all(other.is_closed for other in self._runs.values()):
            self._idle.set()

    def _forget_later(self, run: Run) -> None:
        self.reader_joined(run)
        loop = asyncio.get_running_loop()
        self._timers[run.id] = loop.call_later(self._config.resume_for, self._forget, run)

    def _forget(self, run: Run) -> None:
        if run.is_closed:
            self.reader_joined(run)
            self._runs.pop(run.id, None)
        else:
            # It stays, and counts, until it has stopped: it may be being saved.
            self._as_task(self.drop(run))

    def _forget_one(self) -> bool:
        """Make room: of the runs that have ended and are only kept, the oldest goes."""
        for run in self._runs.values():
            if run.is_closed and run.id in self._timers:
                self._forget(run)
                return True
        return False
