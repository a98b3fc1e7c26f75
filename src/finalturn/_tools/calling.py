"""Calls a user's function: an async one where we are, a sync one in a worker thread."""

from __future__ import annotations

import inspect
import math
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from finalturn._tools.contain import Raised
from finalturn._tools.function import is_async

__all__ = ["call", "call_then"]

T = TypeVar("T")


async def call(fn: Callable[[], object]) -> object:
    """What ``fn`` returns, awaited if need be, or a `Raised`; see `call_then`."""
    return await call_then(fn, lambda value: value)


async def call_then(fn: Callable[[], Any], then: Callable[[Any], T]) -> T | Raised:
    """Call ``fn``, await what it returns if need be, and pass the value through ``then``.

    A sync function runs in a thread with the context variables of the caller, and ``then`` with it; it
    is abandoned there when the caller is cancelled. What it raises is returned, so that no event loop
    has to carry it.
    """
    if is_async(fn):
        return then(await fn())
    value = await _in_thread(lambda: _finish(fn(), then))
    if isinstance(value, _Pending):
        return then(await value.awaitable)
    return value


class _Pending:
    """A sync function gave an awaitable: it belongs to the event loop."""

    def __init__(self, awaitable: Awaitable[Any]) -> None:
        self.awaitable = awaitable


def _finish(value: Any, then: Callable[[Any], T]) -> T | _Pending:
    return _Pending(value) if inspect.isawaitable(value) else then(value)


async def _in_thread(fn: Callable[[], T]) -> T | Raised:
    """Run it in a worker thread, and leave it there when the caller is cancelled."""
    import anyio
    from anyio import to_thread

    # A limiter of its own, without a limit: calls that were abandoned must not keep others waiting.
    limiter = anyio.CapacityLimiter(math.inf)
    return await to_thread.run_sync(_capture, fn, abandon_on_cancel=True, limiter=limiter)


def _capture(fn: Callable[[], T]) -> T | Raised:
    try:
        return fn()
    except BaseException as error:
        return Raised(error)
