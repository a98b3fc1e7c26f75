"""The commands ``finalturn keys new``, ``list`` and ``revoke``."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from finalturn._cli.keys.file import append_line, read_file, short_digest, warn_of_readers, write_without
from finalturn._core.errors import ConfigurationError
from finalturn._serve.access.keys import new_key

__all__ = ["run_list", "run_new", "run_revoke"]


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
        problem = "there is no such key" if only is None else "that name has no such key"
        print(f"Error: {file}: {problem}; finalturn keys list shows what there is", file=err)
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
