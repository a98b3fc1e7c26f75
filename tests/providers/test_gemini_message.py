"""Finish reasons, calls and tokens as generateContent writes them."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn.core.model import ToolCallDelta
from finalturn.providers._gemini_message import FAILURES, call_delta, finish_reason, in_pieces


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("STOP", "stop"),
        ("OTHER", "stop"),
        ("SOMETHING_NEW", "stop"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "refusal"),
        ("RECITATION", "refusal"),
        ("PROHIBITED_CONTENT", "refusal"),
        ("BLOCKLIST", "refusal"),
        ("SPII", "refusal"),
        ("LANGUAGE", "refusal"),
        ("IMAGE_SAFETY", "refusal"),
        ("MODEL_ARMOR", "refusal"),
        ("FUNCTION_CALL", "tool_calls"),
    ],
)
def test_reasons(name: str, reason: str) -> None:
    assert finish_reason(name) == reason


def test_a_failure_is_no_reason_to_stop() -> None:
    assert {name for name, (_, retryable) in FAILURES.items() if retryable} == {
        "MALFORMED_FUNCTION_CALL",
        "MALFORMED_RESPONSE",
        "UNEXPECTED_TOOL_CALL",
    }


class TestCalls:
    def test_one_has_neither_id_nor_signature(self) -> None:
        assert call_delta({"name": "f", "args": {"x": [1]}}, place=3, signature="") == ToolCallDelta(
            3, None, "f", '{"x":[1]}'
        )

    def test_both_are_kept_to_go_back_with_it(self) -> None:
        found = call_delta({"name": "f", "args": {}, "id": "a"}, place=0, signature="s")
        assert found == ToolCallDelta(0, "a", "f", "{}", {"gemini": {"id": "a", "thoughtSignature": "s"}})

    @pytest.mark.parametrize(
        ("args", "written"),
        [
            (None, "{}"),
            ({}, "{}"),
            ([1], "[1]"),
            ('{"x":1}', '{"x":1}'),
            ({"n": 9007199254740993}, '{"n":9007199254740993}'),
            ({"s": "\ud83d"}, '{"s":"\ufffd"}'),
        ],
    )
    def test_arguments_become_text(self, args: Any, written: str) -> None:
        assert call_delta({"name": "f", "args": args}, place=0, signature="").arguments == written

    def test_those_that_are_too_deep_become_text_that_does_not_run(self) -> None:
        deep: Any = []
        for _ in range(5000):
            deep = [deep]
        assert call_delta({"name": "f", "args": deep}, place=0, signature="").arguments == "["

    @pytest.mark.parametrize("call", [{}, {"name": 7, "args": None, "id": 7}, {"name": None}])
    def test_what_is_wrong_with_one_is_left_to_who_puts_it_together(self, call: Any) -> None:
        assert call_delta(call, place=0, signature="") == ToolCallDelta(0, None, "", "{}")

    def test_one_may_be_in_pieces(self) -> None:
        assert in_pieces({"name": "f", "willContinue": True})
        assert in_pieces({"partialArgs": [{"jsonPath": "$.x", "stringValue": "a"}]})
        assert not in_pieces({"name": "f", "args": {}, "willContinue": False})
