"""Runs tools that show what they do: one after another, piece by piece, as the reader of the turn asks."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from time import monotonic
from typing import Protocol, TypeAlias

from finalturn._adapters.in_time import OutOfTime, in_time, seconds_left
from finalturn._adapters.watches import Watches
from finalturn._core.chunks import NestedActivity, StreamChunk
from finalturn._core.observers import ToolCallEnded, ToolCallStarted
from finalturn._core.tool_outcome import ToolOutcome
from finalturn._tools.contain import Raised, TimedOut, interrupt_in
from finalturn._tools.outcomes import Ended, ReadyCall, ended_event
from finalturn._tools.result_text import to_text

__all__ = ["Activity", "OpenActivity", "ShownCalls"]

_NOTHING = nullcontext()


class Activity(Protocol):
    """A tool call under way. It is driven by its reader: nothing runs between two pieces."""

    async def next(self) -> StreamChunk | str:
        """What it shows next; a text is its result, and the last."""
        ...

    async def aclose(self) -> None:
        """Stop it, if it has not ended, and free what it holds."""
        ...


OpenActivity: TypeAlias = Callable[..., Activity]
"""Takes what the tool's function takes, and begins nothing yet."""


class ShownCalls:
    """The calls of a batch whose tools show what they do, in call order.

    Nothing runs between two pieces, so no two of them run at the same time.

    Args:
        ready: the calls, checked, each with what opens it.
        outcome: makes the outcome of a call that has ended.
        watches: are told of each call; ``None`` where nobody watches.
        deadline: when no further call begins, as ``time.monotonic`` tells the time; ``None`` for never. What
            a call runs has to end by then on its own.
        cancelled: the kind of exception that cancels the turn.
    """

    def __init__(
        self,
        ready: Sequence[tuple[ReadyCall, OpenActivity]],
        outcome: Callable[[ReadyCall, Ended], ToolOutcome],
        watches: Watches | None,
        deadline: float | None,
        cancelled: type[BaseException],
    ) -> None:
        self._ready = deque(ready)
        self._outcome = outcome
        self._watches = watches
        self._deadline = deadline
        self._cancelled = cancelled
        self._running: _Running | None = None

    async def next(self) -> NestedActivity | ToolOutcome | None:
        """What the calls show or come to next; ``None`` when all have ended."""
        if self._running is None:
            if not self._ready:
                return None
            ready_call, open_activity = self._ready.popleft()
            if self._deadline is not None and not seconds_left(self._deadline):
                return self._ended(ready_call, TimedOut(deadline=True, started=False))
            self._running = running = _Running(ready_call)
            if self._watches is not None:
                self._watches.tell(running.started)
        else:
            running, open_activity = self._running, None
        piece = await self._piece(running, open_activity)
        if isinstance(piece, StreamChunk):
            ready = running.ready
            return NestedActivity(ready.call.id, ready.tool.name, piece, ready.place)
        if running.activity is not None:
            await running.activity.aclose()
        self._running = None
        return self._ended(running.ready, piece)

    async def aclose(self) -> None:
        """Stop the call that is under way; no other begins."""
        self._ready.clear()
        running, self._running = self._running, None
        if running is None:
            return
        try:
            if running.activity is not None:
                await running.activity.aclose()
        finally:
            if self._watches is not None:
                call = running.ready
                self._watches.tell(ToolCallEnded(call.place, call.call, cancelled=True))

    async def _piece(self, running: _Running, open_activity: OpenActivity | None) -> StreamChunk | Ended:
        try:
            with self._around(running.started):
                if open_activity is not None:
                    running.activity = running.ready.open(open_activity)
                assert running.activity is not None, "a call is opened before it is read"
                piece = await in_time(running.deadline, running.activity.next)
        except GeneratorExit:
            raise
        except OutOfTime:
            return TimedOut()
        except self._cancelled:
            raise
        except BaseException as error:
            if interrupt := interrupt_in(error):
                raise interrupt from None
            return Raised(error)
        return piece if isinstance(piece, StreamChunk) else to_text(piece)

    def _around(self, started: ToolCallStarted) -> AbstractContextManager[None]:
        return _NOTHING if self._watches is None else self._watches.around(started)

    def _ended(self, ready_call: ReadyCall, ended: Ended) -> ToolOutcome:
        outcome = self._outcome(ready_call, ended)
        if self._watches is not None:
            error = ended.error if isinstance(ended, Raised) else None
            self._watches.tell(ended_event(ready_call.call, outcome, error))
        return outcome


class _Running:
    """The call that is under way."""

    def __init__(self, ready: ReadyCall) -> None:
        timeout = ready.tool.timeout
        self.ready = ready
        self.started = ToolCallStarted(ready.place, ready.call)
        self.deadline = None if timeout is None else monotonic() + timeout
        self.activity: Activity | None = None
