"""What an agent asks of a session store: in time, and with errors of one kind."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from finalturn._adapters.store import call_store, is_immediate
from finalturn._agent.checks import store_seconds
from finalturn._agent.loop import within
from finalturn._core.described import described
from finalturn._core.errors import ConfigurationError, SessionDamagedError, SessionError, SessionTimeoutError
from finalturn._core.messages import Message
from finalturn._core.protocols import SessionHistory, SessionStore

__all__ = ["ask_store", "load_history"]

T = TypeVar("T")


async def ask_store(store: object, method: Callable[..., T | Awaitable[T]], *arguments: Any) -> T:
    """Call a method of a store.

    Args:
        store: says how long it may take.
        method: of the store; synchronous or not.
        arguments: of the method.

    Raises:
        SessionTimeoutError: it took longer. What it was asked may be done all the same, or be done yet.
    """
    seconds = store_seconds(store)
    if seconds is None or is_immediate(method):
        return await call_store(method, *arguments)
    try:
        return await within(seconds, lambda: call_store(method, *arguments))
    except TimeoutError as error:
        raise SessionTimeoutError(f"the session store did not answer within {seconds:g} seconds") from error


async def load_history(store: SessionStore, session: str) -> SessionHistory:
    """Read a session.

    Raises:
        SessionDamagedError: what is stored is no conversation.
        SessionTimeoutError: the store took too long.
        SessionError: it cannot be read.
        ConfigurationError: the store cannot be used as it is.
    """
    try:
        return _as_history(await ask_store(store, store.load, session))
    except (ConfigurationError, SessionError):
        raise
    except ValueError as error:
        # It was read, and makes no sense: json's, pydantic's and our own errors about that are such.
        raise SessionDamagedError(
            f"the session could not be loaded: what is stored cannot be read ({type(error).__name__})"
        ) from error
    except Exception as error:
        raise SessionError(f"the session could not be loaded ({type(error).__name__})") from error


def _as_history(history: object) -> SessionHistory:
    if not isinstance(history, SessionHistory):
        raise SessionDamagedError(
            f"the store's load() returned {described(history)}; it must return a SessionHistory"
        )
    for index, message in enumerate(history.messages):
        _expect_message(message, index)
    return history


def _expect_message(message: object, index: int) -> None:
    if not isinstance(message, Message):
        raise SessionDamagedError(
            f"messages[{index}] of the loaded session is {described(message)}; it must be a Message"
        )
