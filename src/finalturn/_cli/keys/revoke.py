"""``finalturn keys revoke NAME``."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from finalturn._cli.keys.file import read_file, short_digest, write_without
from finalturn._core.errors import ConfigurationError

__all__ = ["run_revoke"]


def run_revoke(name: str, file: str, out: TextIO, err: TextIO, *, only: str | None = None) -> int:
    """Take keys out of the key file. The exit code is 2 when there are none, or that cannot be done.

    Args:
        name: whose keys.
        file: the path of the key file.
        out: is told which ones are gone.
        err: gets what is wrong.
        only: the digits that `run_list` shows of one of them; else all go.
    """
    path = Path(file)
    try:
        text, keys = read_file(path)
    except ConfigurationError as error:
        print(f"Error: {file}: {error}", file=err)
        return 2
    gone = [key for key in keys if key.name == name and only in (None, short_digest(key))]
    if not gone:
        # What was typed may be a key.
        which = "there is no such key" if only is None else "that name has no such key"
        print(f"Error: {file}: {which}; finalturn keys list shows what there is", file=err)
        return 2
    try:
        write_without(path, text, {key.number for key in gone})
    except OSError as error:
        print(f"Error: {file}: it cannot be written: {error.strerror or type(error).__name__}", file=err)
        return 2
    for key in gone:
        print(f"{short_digest(key)}  {key.name}", file=out)
    print("Revoked. A server that is running takes them until it is restarted.", file=err)
    return 0
