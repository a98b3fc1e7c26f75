"""Calling user code that may be synchronous or not."""

from __future__ import annotations

from collections.abc import Awaitable, Generator
from typing import Any

import pytest

from finalturn._adapters.awaiting import settle

pytestmark = pytest.mark.anyio


class Later:
    """An awaitable that is no coroutine."""

    def __await__(self) -> Generator[Any, None, str]:
        yield from ()
        return "later"


async def give() -> str:
    return "given"


def either(later: Awaitable[str]) -> str | Awaitable[str]:
    return later


@pytest.mark.parametrize("value", [None, 0, "", "text", {"a": 1}, give])
async def test_a_value_is_itself(value: object) -> None:
    assert await settle(value) is value


async def test_an_awaitable_is_awaited() -> None:
    assert await settle(either(give())) == "given"
    assert await settle(either(Later())) == "later"


async def test_what_awaiting_raises_is_raised() -> None:
    error = ValueError("mine")

    async def fail() -> str:
        raise error

    with pytest.raises(ValueError, match="mine") as caught:
        await settle(either(fail()))
    assert caught.value is error
