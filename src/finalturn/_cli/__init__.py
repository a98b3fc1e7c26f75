"""The command line: ``finalturn demo`` and ``finalturn chat``. It needs the extra ``cli``."""

from finalturn.cli._main import main

__all__ = ["main"]
