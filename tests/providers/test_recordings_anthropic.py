"""Recorded bodies of Anthropic's Messages API, read exactly; they are kept outside this repository.

``FINALTURN_RECORDINGS`` names their folder. Its ``index.json`` lists, for each file, what a right reading
gives.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random
from typing import Any

import pytest

from finalturn._providers.errors.failures import http_error
from tests.providers._anthropic_wire import read
from tests.providers._wire import Read

pytestmark = pytest.mark.recordings

FOLDER = Path(os.environ.get("FINALTURN_RECORDINGS", ""))
INDEX: list[dict[str, Any]] = (
    json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))
    if os.environ.get("FINALTURN_RECORDINGS")
    else []
)
MESSAGES = [entry for entry in INDEX if entry["format"] in ("messages", "messages-json")]
ANSWERS = [entry for entry in MESSAGES if entry["status"] == 200]
REFUSALS = [entry for entry in MESSAGES if entry["status"] != 200]
# Other bodies of the format that may lie beside the recordings, without an index.
OTHERS = sorted(FOLDER.parent.glob("*/*anthropic*.txt")) if INDEX else []

REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "pause_turn": "length",
    "refusal": "refusal",
}


def names(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["file"] for entry in entries]


def check(got: Read, expected: dict[str, Any]) -> None:
    assert got.text == (expected["text"] or "")
    assert got.reasoning == (expected.get("reasoning") or "")
    tokens = expected["usage"]
    if tokens is not None:
        assert got.usage is not None
        asked = (
            tokens["input_tokens"]
            + (tokens.get("cache_read_input_tokens") or 0)
            + (tokens.get("cache_creation_input_tokens") or 0)
        )
        assert got.usage.input_tokens == asked
        assert got.usage.cached_tokens == (tokens.get("cache_read_input_tokens") or 0)
        assert got.usage.output_tokens == tokens["output_tokens"]
        assert got.usage.total_tokens == asked + tokens["output_tokens"]
    if expected.get("error"):
        assert got.failure is not None
        assert got.failure.detail == expected["error"]["message"]
        assert (got.finish, got.calls) == (None, ())
        return
    assert got.failure is None
    assert got.finish == REASONS[expected["finish_reason"]]
    assert [call.error for call in got.calls] == [None] * len(got.calls)
    for call, made in zip(got.calls, expected["tool_calls"], strict=True):
        assert (call.id, call.name) == (made["id"], made["name"])
        arguments = made["arguments"]
        if isinstance(arguments, str):
            assert call.arguments_json() == arguments
        else:
            assert call.arguments == arguments


def cuttings(body: bytes) -> list[list[int]]:
    """Whole, byte by byte, and a sample of others."""
    chance = Random(len(body))
    samples = [
        sorted(chance.sample(range(1, len(body)), min(count, len(body) - 1)))
        for count in (1, 1, 1, 3, 20, 200)
    ]
    return [[], list(range(1, len(body))), *samples]


@pytest.mark.parametrize("entry", ANSWERS, ids=names(ANSWERS))
def test_an_answer_is_read_as_its_index_says(entry: dict[str, Any]) -> None:
    body = (FOLDER / entry["file"]).read_bytes()
    for cuts in cuttings(body):
        check(read(body, cuts), entry["expected"])


@pytest.mark.parametrize("entry", REFUSALS, ids=names(REFUSALS))
def test_a_refusal_tells_its_code_and_words(entry: dict[str, Any]) -> None:
    error = http_error(entry["status"], (FOLDER / entry["file"]).read_bytes(), secret=None)
    expected = entry["expected"]["error"]
    assert error.status == entry["status"]
    assert (error.code, error.detail) == (expected["type"], expected["message"])
    assert error.retryable is (entry["status"] == 429 or entry["status"] >= 500)


@pytest.mark.parametrize("path", OTHERS, ids=[path.name for path in OTHERS])
def test_a_body_without_an_index_is_read_the_same_however_it_is_cut(path: Path) -> None:
    body = path.read_bytes()
    whole = read(body)
    for cuts in cuttings(body):
        got = read(body, cuts)
        assert got._replace(failure=None) == whole._replace(failure=None)
        assert str(got.failure) == str(whole.failure)
    assert (whole.failure is None) is not ("error" in path.name or "truncated" in path.name)
    assert bool(whole.events) is not ("error" in path.name or path.name == "llmock-anthropic-truncated.txt")
