"""One served turn.

A task of its own reads the agent's stream, and writes frames into a log. Clients read the log. So a turn can
outlive its client, and a client that comes back finds what it missed. The log is bounded: when nobody takes
its frames, the turn waits.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from finalturn._logger import logger
from finalturn.agent import AgentStream
from finalturn.core.result import AgentResult
from finalturn.serve._failure import STOPPED, Failure, failure_of
from finalturn.serve._items import Ended, Failed, Item, Started, item_of
from finalturn.serve._log import FrameLog
from finalturn.serve._projection import Projection
from finalturn.serve._public import parsed_to_json, public_result
from finalturn.serve._signal import Signal
from finalturn.serve._spans import Saw, turn_span
from finalturn.serve._sse import frame
from finalturn.serve._tracebacks import without_text

__all__ = ["Run", "Superseded"]

_log = logger("finalturn.serve")


class Superseded(Exception):
    """A newer client of the same run has taken over."""


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
        to_json: Callable[[Any], Any] = parsed_to_json,
    ) -> None:
        self.id = run_id
        self.owner = owner
        self.session = session
        self.format = format
        self.replays = replay
        self.outcome: Ended | Failed | None = None
        self.on_end: Callable[[Run], None] = lambda run: None
        self._projection = projection
        self._to_json = to_json
        self._buffer = buffer
        self._frames = FrameLog(buffer if replay else 0)
        self._changed = Signal()
        self._readers = 0
        self._task: asyncio.Task[None] | None = None
        self._stopped: Failure | None = None

    @property
    def ended(self) -> bool:
        """Whether the last record is there."""
        return self.outcome is not None

    def start(self, stream: AgentStream[Any]) -> None:
        """Begin the turn.

        Args:
            stream: the turn; not read yet.
        """
        self._write(Started(self.id, self.session))
        self._task = asyncio.create_task(self._follow(stream), name=f"finalturn run {self.id}")

    async def stop(self, why: Failure = STOPPED) -> None:
        """End the turn now, if it has not ended: the model call stops, no tool starts, nothing is saved.

        A turn that is being saved is saved whole.
        """
        first, self._stopped = self._stopped is None, self._stopped or why
        if self._task is not None:
            if first:
                # Once: a second cancellation would cut off how the model call is closed.
                self._task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.shield(asyncio.wait([self._task]))

    async def wait(self) -> None:
        """Wait for the end of the turn."""
        assert self._task is not None
        await asyncio.wait([self._task])

    # What a client does.

    def join(self) -> int:
        """Become the one reader; whoever was it before is superseded.

        Returns:
            The ticket to read with.
        """
        self._readers += 1
        self._changed.notify()
        return self._readers

    def is_reader(self, ticket: int) -> bool:
        """Whether nobody has joined since."""
        return self._readers == ticket

    def can_follow(self, number: int) -> bool:
        """Whether all frames after that one are kept, or still to come."""
        return self._frames.first - 1 <= number <= self._frames.last

    async def read(self, ticket: int, after: int) -> tuple[list[bytes], int]:
        """The frames after a number, once there are any, and the number of the last of them.

        No frames mean that the run has ended, and that they were all read. To read is to have got what was
        read before.

        Raises:
            FramesGoneError: one of them is not kept any more.
            Superseded: another reader has joined.
        """
        while True:
            if not self.is_reader(ticket):
                raise Superseded
            self._frames.deliver(min(after, self._frames.last))
            self._changed.notify()
            if frames := self._frames.after(after):
                return frames, after + len(frames)
            if self.ended:
                return [], after
            await self._changed.wait()

    # What the turn does.

    async def _follow(self, stream: AgentStream[Any]) -> None:
        try:
            with turn_span(self, stream) as saw:
                await self._read(stream, saw)
        except BaseException as error:
            # Out of this task, an interrupt would end the server, and asyncio would log what it says.
            self._fail(error)
        finally:
            # A reader must not wait for ever, whatever went wrong.
            self.outcome = self.outcome or Failed(failure_of(RuntimeError()))
            self._changed.notify()
            self.on_end(self)

    async def _read(self, stream: AgentStream[Any], saw: Saw) -> None:
        try:
            async with stream:
                async for item in stream:
                    saw(item)
                    if isinstance(item, AgentResult):
                        self._end(Ended({"run_id": self.id, **public_result(item, self._to_json)}))
                        _log.info("run completed", extra=_facts(self, stop_reason=item.stop_reason))
                        return
                    self._write(item_of(item))
                    if self._stopped is not None:
                        # What was under way took no notice of its cancellation: nothing more starts.
                        break
                    if self._frames.undelivered > self._buffer:
                        await self._room()
            self._end(Failed(self._stopped or STOPPED))
        except asyncio.CancelledError:
            self._end(Failed(self._stopped or STOPPED))
            _log.info("run stopped", extra=_facts(self, code=(self._stopped or STOPPED).code))
        except BaseException as error:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        failure = failure_of(error)
        unforeseen = failure.code == "internal_error"
        _log.log(
            logging.ERROR if unforeseen else logging.WARNING,
            "run failed",
            extra=_facts(self, code=failure.code, error=type(error).__name__),
            exc_info=without_text(error) if unforeseen else None,
        )
        with suppress(Exception):
            self._end(Failed(failure))

    async def _room(self) -> None:
        while self._frames.undelivered > self._buffer // 2:
            await self._changed.wait()

    def _write(self, item: Item) -> None:
        records = self._projection.records(item)
        # All of an item, or nothing.
        frames = [frame(record, number) for number, record in enumerate(records, self._frames.last + 1)]
        for one in frames:
            self._frames.append(one)
        self._changed.notify()

    def _end(self, outcome: Ended | Failed) -> None:
        if self.outcome is None:
            self._write(outcome)
            self.outcome = outcome
            self._changed.notify()


def _facts(run: Run, **more: str) -> dict[str, str | None]:
    """What a log record says about a run: nothing of what was said in it."""
    return {"run_id": run.id, "format": run.format, "owner": run.owner, "session": run.session, **more}
