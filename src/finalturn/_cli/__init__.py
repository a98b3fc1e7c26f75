"""The command line: ``finalturn demo`` and ``finalturn chat``. It needs the extra ``cli``."""

from finalturn._cli.main import main

__all__ = ["main"]
