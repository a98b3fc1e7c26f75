"""finalturn's loggers. They print nothing where nobody has set up logging."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import logging

__all__ = ["logger"]

_ROOT = "finalturn"


def logger(name: str = _ROOT) -> logging.Logger:
    """The logger of that name; ``finalturn`` is above all of them.

    Python prints warnings for which it finds no handler at all. A handler that does nothing is found. Logging
    is imported with the first thing to say: most programs that import finalturn never come to it.
    """
    import logging

    root = logging.getLogger(_ROOT)
    if not any(isinstance(handler, logging.NullHandler) for handler in root.handlers):
        root.addHandler(logging.NullHandler())
    return logging.getLogger(name)
