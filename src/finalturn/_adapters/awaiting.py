"""Calling user code that may be synchronous or not."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def settle(value: T | Awaitable[T]) -> T:
    """The value itself, or what awaiting it gives."""
    if inspect.isawaitable(value):
        return await value
    return value
