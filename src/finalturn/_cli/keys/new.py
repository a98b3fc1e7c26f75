"""``finalturn keys new NAME``."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from finalturn._cli.keys.file import append_line, read_file, warn_of_readers
from finalturn._core.errors import ConfigurationError
from finalturn._serve.access.keys import new_key

__all__ = ["run_new"]


def run_new(name: str, file: str, out: TextIO, err: TextIO) -> int:
    """Make a key, and add its digest to the key file. The exit code is 2 when that cannot be done.

    Args:
        name: whose key it is.
        file: the path of the key file; it is made where there is none.
        out: gets the key, which is shown this once.
        err: gets everything else that is said.
    """
    path = Path(file)
    try:
        key, line = new_key(name)
    except ConfigurationError as error:
        print(f"Error: {error}", file=err)
        return 2
    try:
        text, _ = read_file(path, missing_ok=True)
        append_line(path, line, text)
    except ConfigurationError as error:
        print(f"Error: {file}: {error}", file=err)
        return 2
    except OSError as error:
        print(f"Error: {file}: it cannot be written: {error.strerror or type(error).__name__}", file=err)
        return 2
    print(key, file=out, flush=True)
    print(f"Added to {file}. The key is shown only now: {file} holds its digest alone.", file=err)
    warning = warn_of_readers(path)
    if warning:
        print(warning, file=err)
    return 0
