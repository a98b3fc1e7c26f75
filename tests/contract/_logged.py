"""What is logged while a test runs."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager


class _Keep(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(self.format(record))


@contextmanager
def logged() -> Generator[list[str]]:
    """The text of every record at any level, tracebacks included."""
    root, keep = logging.getLogger(), _Keep()
    level, disabled = root.level, root.manager.disable
    root.addHandler(keep)
    root.setLevel(logging.DEBUG)
    logging.disable(logging.NOTSET)
    try:
        yield keep.texts
    finally:
        root.removeHandler(keep)
        root.setLevel(level)
        logging.disable(disabled)
