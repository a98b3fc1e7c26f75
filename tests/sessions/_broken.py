"""SQLite files that do not work, each in its own way."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path

from finalturn import Message
from finalturn.sessions import SQLSessions

__all__ = ["BROKEN", "Broken", "unprivileged"]

_NOBODY = 65534


def _filled(file: Path) -> None:
    async def fill() -> None:
        async with SQLSessions(file) as store:
            for number in range(30):
                await store.append(f"s{number}", [Message.user("x" * 2000)], 0)

    asyncio.run(fill())


def _execute(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(statement)


def _garbage(file: Path) -> None:
    file.write_text("This is no database, as it is a text of some length. " * 50, encoding="utf-8")


def _damaged(file: Path) -> None:
    _filled(file)
    content = bytearray(file.read_bytes())
    # The head is whole, and no other page is.
    content[4096:] = b"\xa5" * (len(content) - 4096)
    file.write_bytes(content)


def _cut_off(file: Path) -> None:
    _filled(file)
    os.truncate(file, 6000)


def _newer(file: Path) -> None:
    _filled(file)
    _execute(file, "UPDATE finalturn_schema SET version_num = '9999'")


def _other_table(file: Path) -> None:
    _execute(file, "CREATE TABLE finalturn_schema (version_num TEXT)")
    _execute(file, "INSERT INTO finalturn_schema VALUES ('0001')")
    _execute(file, "CREATE TABLE finalturn_turns (something TEXT)")


def _read_only(file: Path) -> None:
    _filled(file)
    file.chmod(0o444)


def _not_yours(file: Path) -> None:
    _filled(file)
    file.chmod(0o000)


def _folder_not_yours(file: Path) -> None:
    file.parent.chmod(0o555)


Broken = tuple[Callable[[Path], None], str]
BROKEN: dict[str, Broken] = {
    "garbage": (_garbage, "the file is no SQLite database"),
    "damaged": (_damaged, "the file is damaged"),
    "cut off": (_cut_off, "the file is damaged"),
    "newer": (_newer, "upgrade finalturn"),
    "a folder": (Path.mkdir, "it is a folder"),
    "no folder": (lambda file: file.parent.rmdir(), "see that its folder exists"),
    "another table": (_other_table, "no such column"),
    "read-only": (_read_only, "the database cannot be written: see that this user may write"),
    "not yours": (_not_yours, "see that this user may read and write it and its folder"),
    "a folder that is not yours": (
        _folder_not_yours,
        "see that this user may read and write it and its folder",
    ),
}
"""What makes one of a path, and why it is refused."""


@contextmanager
def unprivileged() -> Generator[Path]:
    """A folder, for a user whom the permissions of files stop: they do not stop root."""
    folder = Path(tempfile.mkdtemp(prefix="finalturn-"))
    root = os.geteuid() == 0
    if root:
        os.chown(folder, _NOBODY, _NOBODY)
        os.seteuid(_NOBODY)
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        for path in (folder, *folder.iterdir()):
            path.chmod(0o755)
        shutil.rmtree(folder)
