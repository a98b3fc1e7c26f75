"""A script: answers in order, taken by model calls from any thread."""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Generic, TypeVar

from finalturn._core.errors import FinalturnError

__all__ = ["Progress", "Script", "ScriptError"]

R = TypeVar("R")
A = TypeVar("A")


class ScriptError(FinalturnError, AssertionError):
    """A scripted model was asked for more than its script holds. A failed expectation of a test."""


class Script(Generic[R, A]):
    """The answers, in order, and the requests that took them. Any thread may take one."""

    def __init__(self, answers: Sequence[A], then: A | None) -> None:
        self._answers = answers
        self._then = then
        self._lock = threading.Lock()
        self.requests: list[R] = []
        self.open = 0
        self.abandoned = 0

    def take(self, request: R) -> tuple[int, A]:
        """The next answer and its number, from 0.

        Raises:
            ScriptError: there is none left.
        """
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
        if number < len(self._answers):
            return number, self._answers[number]
        if self._then is None:
            raise ScriptError(
                f"the script holds {len(self._answers)} model call(s), and call {number + 1} was made: script"
                " one more, give then=, or find out why it is made (requests[-1] is its request)"
            )
        return number, self._then

    @contextmanager
    def answering(self) -> Generator[Progress, None, None]:
        """Counts an answer while it is given. It ends by its script, or because its reader left."""
        progress = Progress()
        with self._lock:
            self.open += 1
        try:
            yield progress
            progress.ended = True
        except Exception:
            progress.ended = True
            raise
        finally:
            with self._lock:
                self.open -= 1
                self.abandoned += not progress.ended


class Progress:
    """How far an answer is."""

    ended = False
