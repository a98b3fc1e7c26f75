"""Logs a message at most once a minute: one that any client can cause over and over again."""

from __future__ import annotations

import logging
from time import monotonic

__all__ = ["OncePerMinute"]

_EVERY = 60.0


class OncePerMinute(logging.Filter):
    """Lets a message pass, and the next of the same text only a minute later.

    Args:
        texts: of the messages, before anything is filled in; all others pass. Without any, each counts.
    """

    def __init__(self, *texts: str) -> None:
        super().__init__()
        self._texts = frozenset(texts)
        self._last: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record passes."""
        text = str(record.msg)
        if self._texts and text not in self._texts:
            return True
        now = monotonic()
        if now - self._last.get(text, -_EVERY) < _EVERY:
            return False
        self._last[text] = now
        return True
