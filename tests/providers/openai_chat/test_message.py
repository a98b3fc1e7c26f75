"""The parts of a message, in every way that servers write them."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._core.json_text import decode
from finalturn._core.model import ToolCallDelta
from finalturn._providers.openai_chat.message import (
    call_deltas,
    content_pieces,
    finish_reason,
    reasoning_text,
)


def test_finish_reasons_are_mapped() -> None:
    cases: list[tuple[object, str | None]] = [
        ("stop", "stop"),
        ("length", "length"),
        ("MAX_TOKENS", "length"),
        ("tool_calls", "tool_calls"),
        ("function_call", "tool_calls"),
        ("content_filter", "refusal"),
        ("eos", "stop"),
        (7, "stop"),
        ("error", None),
        ("insufficient_system_resource", None),
        ("network_error", None),
        ("sensitive", "refusal"),
    ]
    for given, expected in cases:
        assert finish_reason(given) == expected, given


@pytest.mark.parametrize(
    ("content", "pieces"),
    [
        (None, []),
        (7, []),
        ("", [("", False)]),
        ("a", [("a", False)]),
        ([], []),
        (
            [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, "c"],
            [("a", False), ("b", False), ("c", False)],
        ),
        ([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}], [("hm", True)]),
        (
            [{"type": "thinking", "thinking": "hm"}, {"type": "reasoning", "text": "oh"}],
            [("hm", True), ("oh", True)],
        ),
        ([{"type": "refusal", "refusal": "no"}], [("no", False)]),
        ([{"type": "reference", "reference_ids": [1]}, 3, {"type": "text", "text": None}], [("", False)]),
    ],
)
def test_contents(content: object, pieces: list[tuple[str, bool]]) -> None:
    assert list(content_pieces(content)) == pieces


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({}, ""),
        ({"a": "x"}, "x"),
        ({"a": None, "b": "y"}, "y"),
        ({"a": "same", "b": "same"}, "same"),
        (
            {"a": [{"type": "reasoning.text", "text": "x"}, {"type": "reasoning.summary", "summary": "y"}]},
            "xy",
        ),
        ({"a": [{"type": "reasoning.encrypted", "data": "gA"}], "b": "y"}, "y"),
        ({"a": [7], "b": 7}, ""),
    ],
)
def test_reasoning_comes_from_the_first_field_that_holds_any(message: dict[str, Any], text: str) -> None:
    assert reasoning_text(message, ("a", "b")) == text


class TestCallDeltas:
    @pytest.mark.parametrize(
        ("entry", "expected"),
        [
            (
                {"index": 1, "id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}},
                ToolCallDelta(1, "a", "f", "{}"),
            ),
            ({"index": 0, "id": "", "function": {"name": None, "arguments": None}}, ToolCallDelta(0)),
            ({"id": None, "function": None}, ToolCallDelta()),
            ({"index": "0", "id": 7, "function": {"name": 1}}, ToolCallDelta()),
            ({"index": True}, ToolCallDelta()),
            ({"function": {"name": "f", "arguments": {"a": 1}}}, ToolCallDelta(None, None, "f", '{"a":1}')),
            (
                {"index": 0, "extra_content": {"google": {"thought_signature": "s"}}},
                ToolCallDelta(0, provider_data={"extra_content": {"google": {"thought_signature": "s"}}}),
            ),
            ("call", ToolCallDelta()),
        ],
    )
    def test_an_entry_may_lack_anything(self, entry: object, expected: ToolCallDelta) -> None:
        assert list(call_deltas([entry], whole=False)) == [expected]

    def test_an_object_that_is_too_deep_to_be_written_is_no_json(self) -> None:
        deep: dict[str, Any] = {}
        for _ in range(300):
            deep = {"a": deep}
        (delta,) = call_deltas([{"function": {"name": "f", "arguments": deep}}], whole=False)
        with pytest.raises(ValueError, match="EOF"):
            decode(delta.arguments)

    def test_in_a_whole_message_the_place_is_the_index(self) -> None:
        entries = [{"index": 0, "function": {"name": "f"}}, {"index": 0, "function": {"name": "g"}}]
        assert [item.index for item in call_deltas(entries, whole=True)] == [0, 1]

    def test_what_is_no_list_holds_none(self) -> None:
        assert list(call_deltas({"index": 0}, whole=False)) == []
