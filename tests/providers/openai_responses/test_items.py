"""What items say, in every way that servers write them."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._core.frozen import freeze
from finalturn._providers.openai_responses.items import (
    message_text,
    reasoning_text,
    refuses,
    replayable,
)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        (7, ""),
        ("a", "a"),
        ([], ""),
        ([{"type": "output_text", "text": "a"}, {"type": "output_text", "text": "b"}], "ab"),
        ([{"type": "refusal", "refusal": "no"}], "no"),
        ([{"type": "output_text", "text": None}, "a", 7, {"type": "output_audio", "data": "x"}], ""),
    ],
)
def test_the_text_of_a_message(content: object, text: str) -> None:
    assert message_text({"content": content}) == text


def test_a_refusal_is_a_part() -> None:
    assert refuses({"content": [{"type": "output_text", "text": "a"}, {"type": "refusal", "refusal": ""}]})
    assert not refuses({"content": [{"type": "output_text", "text": "a"}]})
    assert not refuses({"content": "refusal"})


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ({}, ""),
        ({"summary": [{"text": "a"}, {"text": "b"}], "content": None}, "ab"),
        ({"summary": [{"text": "short"}], "content": [{"text": "long"}]}, "long"),
        ({"summary": "a", "content": 7}, ""),
    ],
)
def test_reasoning_is_its_text_or_else_the_summary(item: dict[str, Any], text: str) -> None:
    assert reasoning_text(item) == text


class TestReplay:
    @pytest.mark.parametrize(
        "item",
        [
            {},
            {"id": "rs_1", "summary": []},
            {"id": "rs_1", "summary": [{"type": "summary_text", "text": "short"}], "content": []},
            {"encrypted_content": None, "content": [{"type": "reasoning_text", "text": ""}]},
            {"encrypted_content": 7, "content": "text"},
        ],
    )
    def test_without_anything_that_means_something_there_is_none(self, item: dict[str, Any]) -> None:
        assert replayable(item) is None

    def test_it_is_what_the_server_understands(self) -> None:
        item = {
            "id": "rs_1",
            "type": "reasoning",
            "status": "completed",
            "summary": [{"type": "summary_text", "text": "short"}],
            "content": [],
            "encrypted_content": "gA",
        }
        assert replayable(item) == {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "short"}],
            "encrypted_content": "gA",
        }

    def test_plain_reasoning_goes_back_with_its_signature(self) -> None:
        item = {"content": [{"type": "reasoning_text", "text": "hm"}], "signature": "s", "format": "f"}
        assert replayable(item) == {
            "type": "reasoning",
            "summary": [],
            "content": [{"type": "reasoning_text", "text": "hm"}],
            "signature": "s",
            "format": "f",
        }

    def test_it_can_be_kept_whatever_else_the_item_holds(self) -> None:
        deep: dict[str, Any] = {}
        for _ in range(300):
            deep = {"a": deep}
        found = replayable({"id": "\ud800", "encrypted_content": "\ud83d", "deep": deep, "x": float("nan")})
        assert freeze(found, "data") == {
            "type": "reasoning",
            "id": "\ufffd",
            "summary": [],
            "encrypted_content": "\ufffd",
        }
