"""Reads and changes the file of a server's keys."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from finalturn._core.errors import ConfigurationError
from finalturn._serve.access.keys import StoredKey, read_keys

__all__ = ["append_line", "read_file", "short_digest", "warn_of_readers", "write_without"]

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_file(path: Path, *, missing_ok: bool = False) -> tuple[str, list[StoredKey]]:
    """The text of a key file, and its keys.

    Raises:
        ConfigurationError: it cannot be read, or a line is malformed.
    """
    try:
        # Line ends are kept as they are.
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        if missing_ok:
            return "", []
        raise ConfigurationError("there is no such file") from None
    except OSError as error:
        raise ConfigurationError(f"it cannot be read: {error.strerror or type(error).__name__}") from None
    except UnicodeDecodeError:
        raise ConfigurationError("it is not UTF-8 text") from None
    return text, read_keys(text)


def append_line(path: Path, line: str, text: str) -> None:
    """Add a line. Only its owner can read a file that is made for it.

    Args:
        path: the file.
        line: without a line end.
        text: what the file holds.

    Raises:
        OSError: it cannot be written.
    """
    before = "\n" if text and not text.endswith("\n") else ""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        # One write, so that two commands at once cannot mix their lines.
        file.write(f"{before}{line}\n".encode())


def write_without(path: Path, text: str, numbers: set[int]) -> None:
    """Leave lines out of the file. A crash leaves the old file or the new one.

    Args:
        path: the file.
        text: what it holds.
        numbers: of the lines, from 1.

    Raises:
        OSError: it cannot be written.
    """
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    remaining = "".join(line for number, line in enumerate(lines, 1) if number not in numbers)
    real = path.resolve()
    before = real.stat()
    descriptor, name = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(remaining.encode())
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, stat.S_IMODE(before.st_mode))
        with suppress(AttributeError, PermissionError):
            # An administrator's command must not take the file away from the server's user.
            os.chown(name, before.st_uid, before.st_gid)
        os.replace(name, real)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def short_digest(key: StoredKey) -> str:
    """What tells the keys of one name apart: the first 8 digits of the digest."""
    return key.digest.hex()[:8]


def warn_of_readers(path: Path) -> str | None:
    """A warning, where others than the owner can read or change the file."""
    if os.name == "nt" or not stat.S_IMODE(path.stat().st_mode) & _OTHERS:
        return None
    return f"Warning: others can open {path}; run chmod 600 {path}"
