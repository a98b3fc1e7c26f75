"""The entry point of the command line. It works without the extra ``cli`` too, and says what to install."""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib.util import find_spec

__all__ = ["main"]

_NEEDED = ("typer", "rich")


def main() -> None:
    """Run the command line of this process; it ends by ``SystemExit``."""
    if any(find_spec(package) is None for package in _NEEDED):
        sys.exit("The command line needs two more packages: pip install 'finalturn[cli]'")
    _never_fail_to_print()
    from finalturn._cli.app import app

    app(prog_name="finalturn")


def _never_fail_to_print() -> None:
    """A character that the terminal's encoding lacks becomes a question mark."""
    for stream in (sys.stdout, sys.stderr):
        # Whoever has put another object in their place knows what it can take.
        with suppress(AttributeError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
