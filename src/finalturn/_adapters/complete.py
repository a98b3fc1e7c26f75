"""A provider's whole reply, whether it is synchronous or not."""

from __future__ import annotations

import inspect
from typing import Any

from finalturn._adapters.threaded import in_thread
from finalturn._core.described import described
from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelRequest, ModelResponse
from finalturn._core.protocols import Provider


async def complete(provider: Provider, request: ModelRequest) -> ModelResponse:
    """Ask for the answer as a whole. A synchronous provider is asked in a thread.

    Raises:
        ProviderError: the call failed, or the provider gave something else.
    """
    response: object = await _ask(provider, request)
    if not isinstance(response, ModelResponse):
        raise ProviderError(
            f"{type(provider).__name__}.complete() returned {described(response)}; it must return a"
            " ModelResponse"
        )
    return response


async def _ask(provider: Provider, request: ModelRequest) -> object:
    if inspect.iscoroutinefunction(provider.complete):
        return await provider.complete(request)
    answer: Any = await in_thread(lambda: provider.complete(request))
    return await answer if inspect.isawaitable(answer) else answer
