"""The driver of an observed turn: it also reports the begin and end of the turn, and what it delivers."""

from __future__ import annotations

from anyio import get_cancelled_exc_class

from finalturn._adapters.events import CallSource
from finalturn._agent.driver import Driver, Item
from finalturn._agent.notifier import Notifier
from finalturn._agent.spec import TurnSpec
from finalturn._core.chunks import StreamChunk
from finalturn._core.observers import ObservedTurn
from finalturn._core.protocols import StreamingProvider

__all__ = ["ObservedDriver", "observed_turn"]


class ObservedDriver(Driver):
    """A driver whose turn is observed. Each step of it runs in the contexts of those who watch."""

    def __init__(self, turn: TurnSpec) -> None:
        self._turn_notifier = Notifier(observed_turn(turn))
        super().__init__(turn, self._turn_notifier)
        self._agent = turn.agent
        self._begun = False
        self._reading = False

    async def next(self) -> Item:
        if not self._begun:
            self._begun = True
            self._turn_notifier.open(self._agent)
        self._reading = True
        try:
            with self._turn_notifier.around_turn():
                item = await super().next()
        except BaseException as error:
            self._turn_notifier.ends(self.usage, None, None if _is_cancellation(error) else error)
            raise
        finally:
            self._reading = False
        if isinstance(item, StreamChunk):
            self._turn_notifier.delivers(item)
        else:
            self._turn_notifier.ends(self.usage, item, None)
        return item

    async def aclose(self) -> None:
        try:
            with self._turn_notifier.around_turn():
                await super().aclose()
        finally:
            # A step that fails or is cancelled closes the turn too, and then tells why it ends.
            if not self._reading:
                self._turn_notifier.ends(self.usage, None, None)


def observed_turn(turn: TurnSpec) -> ObservedTurn:
    provider = turn.agent.provider
    vendor: object = getattr(provider, "vendor", None)
    model: object = getattr(provider, "model", None)
    return ObservedTurn(
        user=turn.user,
        session=turn.session,
        provider=type(provider).__name__,
        vendor=vendor if isinstance(vendor, str) else None,
        model=model if isinstance(model, str) else None,
        streams=isinstance(provider, (StreamingProvider, CallSource)),
        depth=turn.depth,
    )


def _is_cancellation(error: BaseException) -> bool:
    # A coroutine that is thrown away may have no event loop to ask any more.
    return isinstance(error, GeneratorExit) or isinstance(error, get_cancelled_exc_class())  # noqa: SIM101
