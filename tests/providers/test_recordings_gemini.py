"""Recorded bodies of Gemini models, read exactly; ``test_recordings`` says where they are."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from finalturn._core.result import Usage
from finalturn._providers.errors.failures import http_error
from tests.providers._gemini_wire import read
from tests.providers._wire import Read
from tests.providers.test_recordings import cuttings, names

pytestmark = pytest.mark.recordings

FOLDER = Path(os.environ.get("FINALTURN_RECORDINGS", ""))
INDEX: list[dict[str, Any]] = (
    json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))
    if os.environ.get("FINALTURN_RECORDINGS")
    else []
)
ALL = [entry for entry in INDEX if entry["format"].startswith("generateContent")]
ANSWERS = [entry for entry in ALL if entry["status"] == 200]
REFUSALS = [entry for entry in ALL if entry["status"] != 200]
# Bodies of mock servers that may lie beside the recordings, without an index.
OTHERS = sorted(FOLDER.parent.glob("*/*gemini*.txt")) if INDEX else []

FINISH = {"STOP": "stop", "MAX_TOKENS": "length", "SAFETY": "refusal", "FUNCTION_CALL": "tool_calls"}


def usage(tokens: dict[str, int]) -> Usage:
    thoughts = tokens.get("thoughtsTokenCount", 0)
    return Usage(
        input_tokens=tokens["promptTokenCount"] + tokens.get("toolUsePromptTokenCount", 0),
        cached_tokens=tokens.get("cachedContentTokenCount", 0),
        output_tokens=tokens.get("candidatesTokenCount", 0) + thoughts,
        reasoning_tokens=thoughts,
        total_tokens=tokens["totalTokenCount"],
    )


def check(got: Read, expected: dict[str, Any]) -> None:
    error = expected.get("error")
    if error and "promptFeedback" in error:
        assert (got.text, got.calls, got.finish, got.failure) == ("", (), "refusal", None)
        return
    if error:
        assert got.failure is not None
        assert (got.finish, got.calls) == (None, ())
        assert got.failure.detail == error.get("message")
        return
    assert got.failure is None
    assert got.text == expected["text"]
    assert got.reasoning == expected["reasoning"]
    assert got.finish == FINISH[expected["finish_reason"]]
    assert got.usage == usage(expected["usage"])
    assert [call.error for call in got.calls] == [None] * len(got.calls)
    assert [(call.name, call.arguments) for call in got.calls] == [
        (call["name"], call["arguments"]) for call in expected["tool_calls"]
    ]
    for call, told in zip(got.calls, expected["tool_calls"], strict=True):
        assert call.id == told["id"] if told["id"] else call.id
    assert len({call.id for call in got.calls}) == len(got.calls)


@pytest.mark.parametrize("entry", ANSWERS, ids=names(ANSWERS))
def test_an_answer_is_read_as_its_index_says(entry: dict[str, Any]) -> None:
    body = (FOLDER / entry["file"]).read_bytes()
    for cuts in cuttings(body):
        check(read(body, cuts), entry["expected"])


@pytest.mark.parametrize("entry", ANSWERS, ids=names(ANSWERS))
def test_every_signature_of_a_call_is_kept(entry: dict[str, Any]) -> None:
    body = (FOLDER / entry["file"]).read_text(encoding="utf-8")
    kept = [(call.provider_data or {}).get("gemini", {}) for call in read(body.encode()).calls]
    told = [call["id"] for call in entry["expected"].get("tool_calls", ())]
    assert [found.get("id") for found in kept] == told
    for found in kept:
        assert found.get("thoughtSignature", "") in body
    if kept and "thoughtSignature" in body:
        assert kept[0]["thoughtSignature"]


def test_refusals_tell_their_codes_and_words() -> None:
    for entry in REFUSALS:
        error = http_error(entry["status"], (FOLDER / entry["file"]).read_bytes(), secret=None)
        expected = entry["expected"]["error"]
        assert (error.status, error.code, error.detail) == (
            entry["status"],
            expected.get("status"),
            expected.get("message"),
        )


@pytest.mark.parametrize("path", OTHERS, ids=[path.name for path in OTHERS])
def test_a_body_without_an_index_is_read_the_same_however_it_is_cut(path: Path) -> None:
    body = path.read_bytes()
    whole = read(body)
    for cuts in cuttings(body):
        got = read(body, cuts)
        assert got._replace(failure=None) == whole._replace(failure=None)
        assert str(got.failure) == str(whole.failure)
    assert (whole.failure is None) is not ("error" in path.name or "truncated" in path.name)
    assert bool(whole.events) is ("error" not in path.name)
    assert len(whole.calls) == (2 if "parallel" in path.name else 1 if "tool" in path.name else 0)
    assert bool(whole.reasoning) is ("thinking" in path.name)
