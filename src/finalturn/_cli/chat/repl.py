"""Lines that a person types."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module

__all__ = ["read_lines"]

_PROMPT = "> "
_QUIT = ("/quit", "/exit")


def read_lines() -> Iterator[str]:
    """What a person types, line by line, until Ctrl-D or ``/quit``. Ctrl-C drops a line."""
    with suppress(ImportError):
        import_module("readline")  # input() then edits lines and remembers them
    while True:
        try:
            line = _read()
        except EOFError:
            sys.stderr.write("\n")
            return
        except KeyboardInterrupt:
            sys.stderr.write("\n")
            continue
        except UnicodeDecodeError:
            sys.stderr.write("error: this line is not text in the terminal's encoding\n")
            continue
        if line.strip() in _QUIT:
            return
        if line.strip():
            yield line


def _read() -> str:
    if sys.stdout.isatty():
        return input(_PROMPT)
    # Answers go elsewhere: the prompt is for the person.
    sys.stderr.write(_PROMPT)
    sys.stderr.flush()
    return input()
