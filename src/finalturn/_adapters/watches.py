"""Passes the events of a turn on to its observers, whose exceptions cannot break it."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Any

from finalturn._core.observers import ContextWatch, ObservedTurn, TurnEvent, TurnObserver, TurnPart, TurnWatch

__all__ = ["Watches"]

_NOTHING = nullcontext()


class Watches:
    """What watches one turn. A watch that raises an exception is told nothing more."""

    def __init__(self) -> None:
        self._watches: list[TurnWatch] = []
        self._with_contexts: list[ContextWatch] = []

    def open(self, observers: Iterable[TurnObserver], turn: ObservedTurn) -> None:
        """Ask each observer what is to watch the turn."""
        for observer in tuple(observers):
            try:
                watch = observer.observe(turn)
                if watch is not None:
                    self._watches.append(_checked(watch))
                    # Asked here, as the question is slow.
                    if isinstance(watch, ContextWatch):
                        self._with_contexts.append(watch)
            except Exception as error:
                _warn(observer, error)

    def tell(self, event: TurnEvent) -> None:
        """Tell all of them what happens."""
        for watch in tuple(self._watches):
            try:
                watch.on_event(event)
            except Exception as error:
                self.drop(watch, error)

    def around(self, part: TurnPart) -> AbstractContextManager[None]:
        """The contexts of all of them, for code of a part of the turn."""
        return _Contexts(self, tuple(self._with_contexts), part) if self._with_contexts else _NOTHING

    def drop(self, watch: TurnWatch, error: Exception) -> None:
        """Tell a watch nothing more, and log why."""
        other_watches = [watching for watching in self._watches if watching is not watch]
        if len(other_watches) < len(self._watches):
            self._watches = other_watches
            self._with_contexts = [watching for watching in self._with_contexts if watching is not watch]
            _warn(watch, error)


class _Contexts(AbstractContextManager[None]):
    """The context managers of several watches as one, which hides no exception."""

    def __init__(self, watches: Watches, context_watches: tuple[ContextWatch, ...], part: TurnPart) -> None:
        self._watches = watches
        self._context_watches = context_watches
        self._part = part
        self._entered: list[tuple[TurnWatch, AbstractContextManager[object]]] = []

    def __enter__(self) -> None:
        for watch in self._context_watches:
            try:
                context = watch.around(self._part)
                context.__enter__()
            except Exception as error:
                self._watches.drop(watch, error)
            else:
                self._entered.append((watch, context))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._entered:
            watch, context = self._entered.pop()
            try:
                context.__exit__(None, None, None)
            except Exception as failure:
                self._watches.drop(watch, failure)


def _checked(watch: TurnWatch) -> TurnWatch:
    on_event: Any = getattr(watch, "on_event", None)
    if not callable(on_event) or inspect.iscoroutinefunction(on_event):
        raise TypeError("what watches a turn must have a plain method on_event(event)")
    return watch


def _warn(observer: object, error: Exception) -> None:
    from finalturn._support.logger import logger

    logger().warning(
        "an observer is told nothing more of a turn: %s raised %s",
        type(observer).__name__,
        type(error).__name__,
    )
