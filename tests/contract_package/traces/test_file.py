"""Trace files: written line by line, read strictly."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest

import finalturn
from finalturn import FinalturnError, StreamChunk, Usage
from finalturn._contract.traces.file import (
    FORMAT,
    FileTrace,
    TraceWriter,
    fields_of_records,
    read_file,
    record_types,
)
from finalturn._core import json_text
from finalturn.contract import (
    ModelText,
    Record,
    Shown,
    Trace,
    TraceFormatError,
    TurnResult,
    TurnSaved,
    read_traces,
)
from tests.contract_package._traces import TURNS, clean

HEADER: dict[str, Any] = {"record": "trace", "format": 1, "version": "0.1.0"}
TEXT: dict[str, Any] = {"record": "model_text", "turn": 0, "call": 0, "text": "secret"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace.jsonl"


def write(path: Path, *lines: Any) -> None:
    path.write_bytes(b"".join(json_text.encode(line) + b"\n" for line in lines))


def test_traces_are_read_as_they_were_written(path: Path) -> None:
    traces = [clean(name) for name in TURNS]
    writer = TraceWriter(path)
    for turn, trace in enumerate(traces):
        for one in trace.records:
            writer.write(turn, one)
    writer.close()
    assert read_traces(path) == read_traces(str(path)) == traces


def test_a_line_is_there_as_soon_as_it_is_written(path: Path) -> None:
    writer = TraceWriter(path)
    assert path.read_text() == f'{{"record":"trace","format":{FORMAT},"version":"{finalturn.__version__}"}}\n'
    writer.write(2, ModelText(1, "é"))
    assert path.read_text().splitlines()[1] == '{"record":"model_text","turn":2,"call":1,"text":"é"}'
    writer.close()


def test_a_field_that_is_newer_than_the_file_has_its_default(path: Path) -> None:
    result = TurnResult(None, "completed", "", "", None, False, (), (), Usage(), 1, 0)
    writer = TraceWriter(path)
    writer.write(0, result)
    writer.close()
    line: Any = json_text.decode(path.read_bytes().splitlines()[1])
    assert line.pop("limit") is None
    path.unlink()
    write(path, HEADER, line)
    assert read_traces(path) == [Trace((result,))]


def test_turns_may_alternate(path: Path) -> None:
    write(path, HEADER, {**TEXT, "turn": 7}, TEXT, {"record": "turn_saved", "turn": 7})
    assert read_file(path) == [
        FileTrace(Trace((ModelText(0, "secret"),)), 0, (3,)),
        FileTrace(Trace((ModelText(0, "secret"), TurnSaved())), 7, (2, 4)),
    ]


def test_halves_of_characters_can_be_written(path: Path) -> None:
    writer = TraceWriter(path)
    writer.write(0, Shown(StreamChunk("a\ud800")))
    writer.close()
    assert read_traces(path) == [Trace((Shown(StreamChunk("a\ufffd")),))]


def test_deep_values_are_read_again(path: Path) -> None:
    deep: Any = "x"
    for _ in range(100):
        deep = [deep]
    message = {"role": "assistant", "tool_calls": [{"name": "f", "arguments": {"a": deep[0]}}]}
    write(
        path, HEADER, {"record": "finalize_asked", "turn": 0, "messages": [message], "last_response_text": ""}
    )
    assert len(read_traces(path)) == 1


def test_a_file_without_turns_has_no_traces(path: Path) -> None:
    write(path, HEADER)
    assert read_traces(path) == []


THIS = f"finalturn 9.9.0 wrote the file, and this is {finalturn.__version__}"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "1: the line is not JSON"),
        (b"\n", "1: the line is not JSON"),
        (b"[]\n", "1: the line is not a JSON object"),
        (json_text.encode(HEADER), None),
        (
            json_text.encode(TEXT) + b"\n",
            '1: record: the first line of a trace file must be {"record": "trace", "format": ...}',
        ),
    ],
)
def test_a_file_that_is_none_is_refused(path: Path, data: bytes, problem: str | None) -> None:
    path.write_bytes(data)
    if problem is None:
        assert read_traces(path) == []
        return
    with pytest.raises(TraceFormatError) as caught:
        read_traces(path)
    assert str(caught.value) == f"{path}:{problem}"
    assert (caught.value.path, caught.value.line) == (str(path), 1)
    assert isinstance(caught.value, FinalturnError)


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        (
            {"format": FORMAT + 1, "version": "9.9.0"},
            f"format: {FORMAT + 1} is newer than what this finalturn reads, which is {FORMAT};"
            " finalturn 9.9.0 wrote it",
        ),
        ({"format": "1"}, "format: must be an integer, 1 or more"),
        ({"format": 0}, "format: must be an integer, 1 or more"),
        ({"version": None}, "version: must be the version of finalturn that wrote the file"),
        ({"version": "a secret"}, "version: must be the version of finalturn that wrote the file"),
    ],
)
def test_a_header_that_does_not_fit_is_named(path: Path, header: dict[str, Any], problem: str) -> None:
    write(path, {**HEADER, **header}, TEXT)
    with pytest.raises(TraceFormatError) as caught:
        read_traces(path)
    assert str(caught.value) == f"{path}:1: {problem}"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ({**TEXT, "record": "tool_paused"}, f"record: is none of format {FORMAT}; {THIS}"),
        ({**TEXT, "record": ["secret"]}, f"record: is none of format {FORMAT}; {THIS}"),
        ({**TEXT, "mood": "secret"}, f"a model_text has a field that is none of format {FORMAT}; {THIS}"),
        ({"record": "model_text", "turn": 0, "call": 0}, "text: is missing"),
        ({"record": "model_text", "call": 0, "text": "secret"}, "turn: is missing"),
        ({**TEXT, "turn": -1}, "turn: must be an integer, 0 or more"),
        ({**TEXT, "turn": True}, "turn: must be an integer, 0 or more"),
        ({**TEXT, "text": ["secret"]}, "text: must be a string"),
        ("secret", "the line is not a JSON object"),
    ],
)
def test_a_record_that_does_not_fit_is_named_and_not_quoted(path: Path, line: Any, problem: str) -> None:
    write(path, {**HEADER, "version": "9.9.0"}, TEXT, line)
    with pytest.raises(TraceFormatError) as caught:
        read_traces(path)
    assert str(caught.value) == f"{path}:3: {problem}"
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_line_that_is_cut_off_is_named(path: Path) -> None:
    write(path, HEADER, TEXT, TEXT)
    path.write_bytes(path.read_bytes()[:-2])
    with pytest.raises(TraceFormatError, match=r":3: the line is cut off$"):
        read_traces(path)


def test_an_empty_line_is_none(path: Path) -> None:
    path.write_bytes(json_text.encode(HEADER) + b"\n\n")
    with pytest.raises(TraceFormatError, match=r":2: the line is not JSON$"):
        read_traces(path)


def test_a_file_that_is_not_there(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_traces(path)


def test_every_record_is_documented_with_its_fields() -> None:
    found, kinds = fields_of_records(), record_types()
    assert set(kinds.values()) == set(get_args(Record))
    assert list(found) == list(kinds)
    for name, kind in kinds.items():
        assert list(found[name]) == [field.name for field in fields(kind)]
        assert all(found[name].values())
    assert found["tool_outcome_recorded"]["place"] == "an integer"
