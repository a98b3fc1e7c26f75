"""``finalturn keys list``."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from finalturn._cli.keys.file import read_file, short_digest, warn_of_readers
from finalturn._core.errors import ConfigurationError

__all__ = ["run_list"]


def run_list(file: str, out: TextIO, err: TextIO) -> int:
    """Name every key: the first digits of its digest, and whose it is. The exit code is 2 on an error.

    Args:
        file: the path of the key file.
        out: gets a line for each key, in the order of the file.
        err: gets what is wrong.
    """
    path = Path(file)
    try:
        _, keys = read_file(path)
    except ConfigurationError as error:
        print(f"Error: {file}: {error}", file=err)
        return 2
    for key in keys:
        print(f"{short_digest(key)}  {key.name}", file=out)
    warning = warn_of_readers(path)
    if warning:
        print(warning, file=err)
    return 0
