"""Trace files: JSON Lines, one record a line.

The first line says what the file is::

    {"record": "trace", "format": 2, "version": "0.2.0"}

Every other line is a record: its name, the turn that it belongs to, and its fields. Turns that ran at the
same time may alternate::

    {"record": "model_text", "turn": 0, "call": 0, "text": "Your order"}
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

from finalturn._contract.traces.records import Record
from finalturn._contract.traces.trace import Trace
from finalturn._contract.traces.values import Kind, Misfit, kind_of, misses
from finalturn._core import json_text
from finalturn._core.errors import FinalturnError
from finalturn._core.type_guards import is_mapping
from finalturn._support.keywords import known_keywords
from finalturn.stability import beta

__all__ = [
    "FORMAT",
    "FileTrace",
    "TraceFormatError",
    "TraceWriter",
    "fields_of_records",
    "read_file",
    "read_traces",
]

FORMAT = 2
"""The version of the format. It grows when a record or a field is added or changed."""

# What a model or a person sent is nested up to 100 deep, and a record wraps it a few times.
_DEPTH = 150

_VERSION = re.compile(r"[0-9A-Za-z.+-]{1,40}")


@beta(since="0.1.0")
class TraceFormatError(FinalturnError, ValueError):
    """A trace file is not as it must be. Its text names the file, the line and the field, and quotes nothing.

    Attributes:
        path: the file.
        line: the 1-based number of the line.
        problem: what is wrong with it.
    """

    def __init__(self, path: str, line: int, problem: str) -> None:
        super().__init__(path, line, problem)
        self.path = path
        self.line = line
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.problem}"


@dataclass(frozen=True)
class FileTrace:
    """A trace, and where it stands.

    Attributes:
        trace: the turn.
        turn: its number in the file.
        lines: the 1-based line of each record.
    """

    trace: Trace
    turn: int
    lines: tuple[int, ...]


def _name(kind: type) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


def _kinds_of(kind: type) -> dict[str, Kind]:
    hints = get_type_hints(kind)
    return {field.name: kind_of(hints[field.name]) for field in fields(kind)}


_RECORDS: dict[str, type[Any]] = {_name(kind): kind for kind in get_args(Record)}
_NAMES: dict[type[Any], str] = {kind: name for name, kind in _RECORDS.items()}
_DEFAULTS: dict[str, set[str]] = {
    name: {field.name for field in fields(kind) if field.default is not MISSING}
    for name, kind in _RECORDS.items()
}
_FIELDS: dict[str, dict[str, Kind]] = {name: _kinds_of(kind) for name, kind in _RECORDS.items()}


def fields_of_records() -> dict[str, dict[str, str]]:
    """For each record, by its name in a file: its fields, and what each is in JSON, in words."""
    return {name: {field: kind.json for field, kind in kinds.items()} for name, kinds in _FIELDS.items()}


def record_types() -> dict[str, type[Any]]:
    """The class of each record, by its name in a file."""
    return dict(_RECORDS)


class TraceWriter:
    """Writes a new trace file, each line at once.

    Args:
        path: where; only the owner of the file can read it.

    Raises:
        FileExistsError: there is something at that path.
        OSError: it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        from finalturn import __version__

        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError as error:
            problem = "there is such a file already, and a trace is never added to one; name another"
            raise FileExistsError(error.errno, problem, str(path)) from None
        self._file = open(descriptor, "wb")  # noqa: SIM115  # closed by close()
        self._write({"record": "trace", "format": FORMAT, "version": __version__})

    def write(self, turn: int, record: Record) -> None:
        """Add a record."""
        name = _NAMES[type(record)]
        values = {field: kind.write(getattr(record, field)) for field, kind in _FIELDS[name].items()}
        self._write({"record": name, "turn": turn, **values})

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, line: Mapping[str, Any]) -> None:
        # In one piece, newline included: what a crash leaves are whole lines.
        self._file.write(json_text.encode(line) + b"\n")
        self._file.flush()


@beta(since="0.1.0")
@known_keywords("read_traces")
def read_traces(path: str | os.PathLike[str]) -> list[Trace]:
    """Read a trace file: one trace for each turn in it, by their number.

    Args:
        path: a file that `finalturn.testing.record` has written.

    Raises:
        TraceFormatError: a line is not as it must be; it is named. A file of a newer version is refused.
        OSError: the file cannot be read.
    """
    return [file_trace.trace for file_trace in read_file(path)]


def read_file(path: str | os.PathLike[str]) -> list[FileTrace]:
    """As `read_traces`, with the line of each record."""
    name = os.fspath(path)
    header, *lines = Path(path).read_bytes().split(b"\n")
    turns: dict[int, list[tuple[int, Record]]] = {}
    number = 1
    try:
        version = _read_header(header)
        if lines and lines.pop():
            number = len(lines) + 2
            raise Misfit("the line is cut off")
        for number, line in enumerate(lines, 2):
            turn, record = _read_record(line, version)
            turns.setdefault(turn, []).append((number, record))
    except Misfit as error:
        raise TraceFormatError(name, number, str(error)) from None
    return [_file_trace(turn, turns[turn]) for turn in sorted(turns)]


def _file_trace(turn: int, numbered: Sequence[tuple[int, Record]]) -> FileTrace:
    trace = Trace(tuple(record for _, record in numbered))
    return FileTrace(trace, turn, tuple(line for line, _ in numbered))


def _read_header(line: bytes) -> str:
    """The version of finalturn that wrote the file."""
    data = _decoded(line)
    if data.get("record") != "trace":
        raise Misfit('record: the first line of a trace file must be {"record": "trace", "format": ...}')
    version, number = data.get("version"), data.get("format")
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        raise misses("version", "the version of finalturn that wrote the file")
    if type(number) is not int or number < 1:
        raise misses("format", "an integer, 1 or more")
    if number > FORMAT:
        raise Misfit(
            f"format: {number} is newer than what this finalturn reads, which is {FORMAT};"
            f" finalturn {version} wrote it"
        )
    return version


def _read_record(line: bytes, version: str) -> tuple[int, Record]:
    data = _decoded(line)
    name = data.get("record")
    if not isinstance(name, str) or name not in _RECORDS:
        raise Misfit(f"record: is none of format {FORMAT}{_newer(version)}")
    kinds = _FIELDS[name]
    for field in ("turn", *kinds):
        # Fields of later formats have defaults.
        if field not in data and field not in _DEFAULTS[name]:
            raise Misfit(f"{field}: is missing")
    if not data.keys() <= {"record", "turn", *kinds}:
        raise Misfit(f"a {name} has a field that is none of format {FORMAT}{_newer(version)}")
    turn = data["turn"]
    if type(turn) is not int or turn < 0:
        raise misses("turn", "an integer, 0 or more")
    values = {field: kind.read(field, data[field]) for field, kind in kinds.items() if field in data}
    record: Record = _RECORDS[name](**values)
    return turn, record


def _newer(version: str) -> str:
    from finalturn import __version__

    return f"; finalturn {version} wrote the file, and this is {__version__}"


def _decoded(line: bytes) -> Mapping[str, Any]:
    try:
        data: object = json_text.decode(line, max_depth=_DEPTH)
    except ValueError:
        raise Misfit("the line is not JSON") from None
    if not is_mapping(data):
        raise Misfit("the line is not a JSON object")
    return data
