"""The question to a user's function, and what is made of its answer."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

import anyio
import pytest

from finalturn._gates.refusal import refusal

pytestmark = pytest.mark.anyio


def answering(answer: object, is_async: bool) -> Callable[[], object]:
    """A function that gives the answer, or raises it."""

    def ask() -> object:
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def ask_later() -> object:
        await anyio.lowlevel.checkpoint()
        return ask()

    return ask_later if is_async else ask


@pytest.mark.parametrize("is_async", [True, False])
@pytest.mark.parametrize("timeout", [None, 60])
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (True, None),
        (False, "its check was refused."),
        (None, "its check gave no yes or no (a NoneType)."),
        (0, "its check gave no yes or no (a int)."),
        (1, "its check gave no yes or no (a int)."),
        ("True", "its check gave no yes or no (a str)."),
        ((True,), "its check gave no yes or no (a tuple)."),
        (ValueError("secret"), "its check failed (ValueError)."),
        (TimeoutError("its own"), "its check failed (TimeoutError)."),
        (SystemExit("secret"), "its check failed (SystemExit)."),
        (asyncio.CancelledError("secret"), "its check failed (CancelledError)."),
    ],
)
async def test_only_true_is_a_yes(
    answer: object, words: str | None, timeout: float | None, is_async: bool
) -> None:
    assert await refusal(answering(answer, is_async), timeout, "its check") == words


async def test_an_answer_that_equals_true_is_none() -> None:
    class Equal:
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]

    assert await refusal(Equal, None, "it") == "it gave no yes or no (a Equal)."


async def test_a_sync_function_may_give_an_awaitable() -> None:
    async def later(answer: bool) -> bool:
        return answer

    def ask(answer: bool) -> Awaitable[bool]:
        return later(answer)

    assert await refusal(lambda: ask(True), None, "it") is None
    assert await refusal(lambda: ask(False), None, "it") == "it was refused."


@pytest.mark.parametrize("is_async", [True, False])
async def test_one_that_is_over_time(is_async: bool) -> None:
    release = threading.Event()
    try:
        ask = anyio.sleep_forever if is_async else release.wait
        assert await refusal(ask, 0.01, "its check") == "its check took too long."
    finally:
        release.set()


async def test_a_yes_after_the_time_does_not_count() -> None:
    async def ask() -> bool:
        try:
            await anyio.sleep_forever()
        except BaseException:
            return True
        return True

    assert await refusal(ask, 0.01, "it") == "it took too long."


async def test_a_sync_function_runs_in_a_thread_with_the_context_of_the_caller() -> None:
    user: ContextVar[str] = ContextVar("user")
    user.set("ann")
    seen: list[Any] = []

    def ask() -> bool:
        seen.extend([user.get(), threading.get_ident()])
        return True

    assert await refusal(ask, None, "it") is None
    assert seen[0] == "ann"
    assert seen[1] != threading.get_ident()


@pytest.mark.parametrize("is_async", [True, False])
async def test_an_interrupt_is_no_answer(is_async: bool) -> None:
    with pytest.raises(KeyboardInterrupt):
        await refusal(answering(KeyboardInterrupt(), is_async), None, "it")


async def test_a_cancellation_is_no_answer() -> None:
    answers: list[object] = []

    async def ask() -> bool:
        scope.cancel()
        await anyio.sleep_forever()
        return True

    with anyio.CancelScope() as scope:
        answers.append(await refusal(ask, 60, "it"))
    assert scope.cancelled_caught
    assert answers == []
