"""A provider's whole reply, whether it is synchronous or not."""

from __future__ import annotations

import threading
from collections.abc import Awaitable
from functools import partial
from typing import Any

import pytest

from finalturn import Message, ModelRequest, ModelResponse, ProviderError
from finalturn._adapters.complete import complete
from finalturn._core.described import described

pytestmark = pytest.mark.anyio

REQUEST = ModelRequest([Message.user("hi")])
REPLY = ModelResponse("hello")


class Completing:
    """A provider that completes with whatever its function gives."""

    def __init__(self, complete: Any) -> None:
        self.complete = complete


async def test_of_a_coroutine_function() -> None:
    here = threading.get_ident()

    async def answer(request: ModelRequest) -> ModelResponse:
        assert request is REQUEST
        assert threading.get_ident() == here
        return REPLY

    assert await complete(Completing(answer), REQUEST) is REPLY


async def test_of_a_function_it_comes_from_a_thread() -> None:
    here = threading.get_ident()

    def answer(request: ModelRequest) -> ModelResponse:
        assert request is REQUEST
        assert threading.get_ident() != here
        return REPLY

    assert await complete(Completing(answer), REQUEST) is REPLY


async def test_of_a_function_that_gives_an_awaitable_it_is_awaited() -> None:
    async def later(_: object) -> ModelResponse:
        return REPLY

    def answer(request: ModelRequest) -> Awaitable[ModelResponse]:
        return later(request)

    assert await complete(Completing(answer), REQUEST) is REPLY
    assert await complete(Completing(partial(later)), REQUEST) is REPLY


@pytest.mark.parametrize("found", [None, "hello", {"content": "hello"}])
async def test_it_is_a_model_response(found: object) -> None:
    with pytest.raises(
        ProviderError, match=rf"Completing.complete\(\) returned {described(found)}; it must return"
    ):
        await complete(Completing(lambda request: found), REQUEST)  # pyright: ignore


async def test_what_the_provider_raises_is_raised() -> None:
    error = ProviderError("down")

    def answer(request: ModelRequest) -> ModelResponse:
        raise error

    with pytest.raises(ProviderError, match="down") as caught:
        await complete(Completing(answer), REQUEST)
    assert caught.value is error
