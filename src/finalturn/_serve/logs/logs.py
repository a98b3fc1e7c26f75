"""Formats the log of a server: one line for each record, in JSON or for people.

No line holds what an exception says, unless it is one of ours: its text may be a model's or a person's.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import PurePath
from traceback import walk_tb
from typing import Literal, TextIO, TypeAlias

from finalturn._core.errors import FinalturnError, ToolError

__all__ = ["JsonLines", "LogFormat", "TextLines", "log_to"]

LogFormat: TypeAlias = Literal["json", "text"]

_OWN = ("finalturn", "uvicorn")
_MOST_PLACES = 20
# What every record has, and what uvicorn adds for its own formatter.
_NOT_EXTRA = frozenset((*vars(logging.makeLogRecord({})), "message", "asctime", "color_message"))


class JsonLines(logging.Formatter):
    """Each record as a JSON object in ASCII: ``time``, ``level``, ``logger``, ``message``, its extras."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, object] = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
            **_extras(record),
        }
        if where := _exception(record):
            line["exception"] = where
        return json.dumps(line).replace("\x7f", "\\u007f")


class TextLines(logging.Formatter):
    """Each record as a line for people. What could move a cursor is escaped."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        words = [_time(record), record.levelname, _message(record)]
        words += [f"{name}={_word(value)}" for name, value in _extras(record).items() if value is not None]
        if where := _exception(record):
            words.append(f"({where})")
        return "".join(_printable(" ".join(words)))


def log_to(out: TextIO | None = None, format: LogFormat = "text", level: int = logging.INFO) -> None:
    """Send the records of this process to a stream. A program calls it once, as it starts.

    Other libraries are heard of their warnings only: what they say besides may hold addresses with keys.

    Args:
        out: the stream; by default standard error.
        format: what a line looks like.
        level: the least of the server's own records.
    """
    handler = logging.StreamHandler(sys.stderr if out is None else out)
    handler.setFormatter(JsonLines() if format == "json" else TextLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("finalturn").setLevel(level)


def _time(record: logging.LogRecord) -> str:
    moment = datetime.fromtimestamp(record.created, UTC)
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def _message(record: logging.LogRecord) -> str:
    text = record.getMessage()
    # asyncio, for one, adds lines with the repr() of what has failed.
    return text if record.name.split(".")[0] in _OWN else text.partition("\n")[0]


def _extras(record: logging.LogRecord) -> Mapping[str, object]:
    return {name: _plain(value) for name, value in vars(record).items() if name not in _NOT_EXTRA}


def _plain(value: object) -> object:
    return value if value is None or isinstance(value, (str, int, float)) else type(value).__name__


def _word(value: object) -> str:
    text = str(value)
    return text if text and text.isprintable() and not set(' "=') & set(text) else json.dumps(text)


def _exception(record: logging.LogRecord) -> str:
    """What was raised, and where, the innermost place first; without paths."""
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return ""
    own = isinstance(error, FinalturnError) and not isinstance(error, ToolError)
    kind = f"{type(error).__name__}: {error}" if own else type(error).__name__
    places = [
        f"{PurePath(frame.f_code.co_filename).name}:{line} in {frame.f_code.co_qualname}"
        for frame, line in walk_tb(error.__traceback__)
    ]
    return "; ".join([kind, *places[: -_MOST_PLACES - 1 : -1]])


def _printable(text: str) -> Iterator[str]:
    for char in text:
        yield char if char.isprintable() else char.encode("unicode_escape").decode()
