"""Recorded bodies of Amazon Bedrock's Converse API, read exactly; they are kept outside this repository.

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
from tests.providers._bedrock_wire import read
from tests.providers._wire import Read

pytestmark = pytest.mark.recordings

FOLDER = Path(os.environ.get("FINALTURN_RECORDINGS", ""))
INDEX: list[dict[str, Any]] = (
    json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))
    if os.environ.get("FINALTURN_RECORDINGS")
    else []
)
CONVERSED = [entry for entry in INDEX if entry["format"] in ("eventstream", "eventstream-json")]
ANSWERS = [entry for entry in CONVERSED if entry["status"] == 200]
REFUSALS = [entry for entry in CONVERSED if entry["status"] != 200]

REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "guardrail_intervened": "refusal",
    "content_filtered": "refusal",
}


def names(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["file"] for entry in entries]


def check(got: Read, expected: dict[str, Any]) -> None:
    assert got.text == (expected["text"] or "")
    assert got.reasoning == (expected.get("reasoning") or "")
    tokens = expected["usage"]
    if tokens is not None:
        assert got.usage is not None
        cached = tokens.get("cacheReadInputTokens") or 0
        stored = tokens.get("cacheWriteInputTokens") or 0
        assert got.usage.input_tokens == tokens["inputTokens"] + cached + stored
        assert got.usage.cached_tokens == cached
        assert got.usage.output_tokens == tokens["outputTokens"]
        assert got.usage.total_tokens == tokens["totalTokens"]
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


@pytest.mark.parametrize("entry", ANSWERS, ids=names(ANSWERS))
def test_an_answer_that_is_damaged_is_never_taken_for_another(entry: dict[str, Any]) -> None:
    body = (FOLDER / entry["file"]).read_bytes()
    whole = read(body)
    chance = Random(len(body))
    for place in chance.sample(range(len(body)), min(200, len(body))):
        got = read(body[:place] + bytes([body[place] ^ 1 << chance.randrange(8)]) + body[place + 1 :])
        assert whole.text.startswith(got.text)
        assert got.calls in ((), whole.calls)
        assert (got.failure is None) is (got.finish is not None)


@pytest.mark.parametrize("entry", ANSWERS, ids=names(ANSWERS))
def test_an_answer_that_is_cut_short_fails_or_is_whole(entry: dict[str, Any]) -> None:
    body = (FOLDER / entry["file"]).read_bytes()
    whole = read(body)
    for size in range(len(body)):
        got = read(body[:size])
        assert (got.text, got.calls) == (whole.text, whole.calls) or got.failure is not None
        assert got.failure is None or (got.failure.retryable and got.calls == ())


@pytest.mark.parametrize("entry", REFUSALS, ids=names(REFUSALS))
def test_a_refusal_tells_its_words(entry: dict[str, Any]) -> None:
    error = http_error(entry["status"], (FOLDER / entry["file"]).read_bytes(), secret=None)
    expected = entry["expected"]["error"]
    assert error.status == entry["status"]
    assert error.detail == expected["message"]
    assert error.retryable is (entry["status"] == 429 or entry["status"] >= 500)
