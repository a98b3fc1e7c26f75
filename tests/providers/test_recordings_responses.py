"""Recorded bodies of Responses servers, read exactly; see `test_recordings`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from finalturn._providers.errors.failures import http_error
from tests.providers._responses_wire import read
from tests.providers._wire import Read
from tests.providers.test_recordings import FOLDER, INDEX, cuttings, names

pytestmark = pytest.mark.recordings

MINE = [entry for entry in INDEX if entry["format"] in ("responses", "responses-json")]
ANSWERS = [entry for entry in MINE if entry["status"] == 200]
REFUSALS = [entry for entry in MINE if entry["status"] != 200]
# Other bodies that may lie beside the recordings, without an index.
OTHERS = sorted(FOLDER.parent.glob("*/*responses*.txt")) if INDEX else []


def check(got: Read, expected: dict[str, Any]) -> None:
    assert got.text == (expected.get("text") or "")
    assert got.reasoning == (expected.get("reasoning") or "")
    tokens = expected.get("usage")
    if tokens is not None:
        assert got.usage is not None
        assert (got.usage.input_tokens, got.usage.output_tokens, got.usage.total_tokens) == (
            tokens["input_tokens"], tokens["output_tokens"], tokens["total_tokens"]
        )  # fmt: skip
        read_from: dict[str, Any] = tokens.get("input_tokens_details") or {}
        assert got.usage.cached_tokens == read_from.get("cached_tokens", 0)
        spent_on: dict[str, Any] = tokens.get("output_tokens_details") or {}
        assert got.usage.reasoning_tokens == spent_on.get("reasoning_tokens", 0)
    if expected.get("error"):
        assert got.failure is not None
        assert got.failure.detail == expected["error"]["message"]
        assert (got.finish, got.calls) == (None, ())
        return
    assert got.failure is None
    assert [
        {"id": call.id, "name": call.name, "arguments": call.arguments_json()} for call in got.calls
    ] == expected["tool_calls"]
    assert [call.error for call in got.calls] == [None] * len(got.calls)
    if expected["finish_reason"] == "completed":
        assert got.finish == ("tool_calls" if got.calls else "stop")
    else:
        assert got.finish in ("length", "refusal")


@pytest.mark.parametrize("entry", ANSWERS, ids=names(ANSWERS))
def test_an_answer_is_read_as_its_index_says(entry: dict[str, Any]) -> None:
    body = (FOLDER / entry["file"]).read_bytes()
    for cuts in cuttings(body):
        check(read(body, cuts), entry["expected"])


@pytest.mark.parametrize("entry", REFUSALS, ids=names(REFUSALS))
def test_a_refusal_tells_its_code_and_words(entry: dict[str, Any]) -> None:
    error = http_error(entry["status"], (FOLDER / entry["file"]).read_bytes(), secret=None)
    expected = entry["expected"]["error"]
    assert (error.status, error.detail) == (entry["status"], expected["message"])
    assert error.code == (expected.get("code") or expected.get("type"))


@pytest.mark.parametrize("path", OTHERS, ids=[path.name for path in OTHERS])
def test_a_body_without_an_index_is_read_the_same_however_it_is_cut(path: Path) -> None:
    body = path.read_bytes()
    whole = read(body)
    for cuts in cuttings(body):
        got = read(body, cuts)
        assert got._replace(failure=None) == whole._replace(failure=None)
        assert str(got.failure) == str(whole.failure)
    assert (whole.failure is None) is not ("error" in path.name or "truncated" in path.name)
