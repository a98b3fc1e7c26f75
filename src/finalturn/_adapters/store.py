"""Calling a method of a session store, whether it is synchronous or not."""

from __future__ import annotations

import inspect
import threading
import weakref
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

from finalturn._adapters.threaded import in_thread, settle

__all__ = ["call_store", "immediate", "is_immediate"]

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

_MARK = "__finalturn_immediate__"

# Seconds. A thread that waits for its turn looks so often whether anybody still wants it.
_TICK = 0.5


def immediate(method: F) -> F:
    """Mark a plain method that never waits for anything: it is called where it is, and not in a thread."""
    setattr(method, _MARK, True)
    return method


def is_immediate(method: Callable[..., object]) -> bool:
    """Whether it is marked so."""
    return getattr(method, _MARK, False) is True


async def call_store(method: Callable[..., T | Awaitable[T]], *arguments: Any) -> T:
    """Call a method of a store. A plain one is called in a thread, as it may wait.

    Plain methods of one store are called one after the other: on an event loop, nothing else came between
    what one of them reads and what it writes.
    """
    if is_immediate(method) or inspect.iscoroutinefunction(method):
        return await settle(method(*arguments))
    call = _InTurn(_lock_of(getattr(method, "__self__", method)), lambda: method(*arguments))
    try:
        answers = await in_thread(call)
    finally:
        call.abandoned = True
    return await settle(answers[0])


class _InTurn(Generic[T]):
    """A call that waits until no other call of the same store is under way.

    Attributes:
        left: nobody waits for it any more: it is not begun.
    """

    def __init__(self, lock: threading.Lock, work: Callable[[], T]) -> None:
        self.abandoned = False
        self._lock = lock
        self._work = work

    def __call__(self) -> list[T]:
        while not self._lock.acquire(timeout=_TICK):
            if self.abandoned:
                return []
        try:
            return [] if self.abandoned else [self._work()]
        finally:
            self._lock.release()


# By the id of the store, which may have an __eq__ of its own, and no hash.
_locks: dict[int, tuple[weakref.ref[object], threading.Lock]] = {}
_any_other = threading.Lock()


def _lock_of(store: object) -> threading.Lock:
    key = id(store)
    try:
        reference = weakref.ref(store, lambda _: _locks.pop(key, None))
    except TypeError:
        # Nothing says when it is gone.
        return _any_other
    return _locks.setdefault(key, (reference, threading.Lock()))[1]
