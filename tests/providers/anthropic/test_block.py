"""One block of an answer."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._core.model import ToolCallDelta
from finalturn._providers.anthropic.block import Block


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"type": "text", "name": "x"}, "text"),
        ({"name": "f"}, "tool_use"),
        ({"input": {}}, "tool_use"),
        ({"thinking": ""}, "thinking"),
        ({"text": "a"}, "text"),
        ({}, "text"),
        ({"type": 7}, "text"),
    ],
)
def test_its_kind_may_have_to_be_guessed(given: dict[str, Any], kind: str) -> None:
    assert Block(given).kind == kind


class TestThoughts:
    def test_one_goes_back_whole(self) -> None:
        block = Block({"type": "thinking", "thinking": "", "signature": ""})
        block.pieces += ["h", "m"]
        block.signature = "sig"
        assert block.thought() == {"type": "thinking", "thinking": "hm", "signature": "sig"}

    def test_one_without_words_does_too(self) -> None:
        block = Block({"type": "thinking", "thinking": "", "signature": "sig"})
        assert block.thought() == {"type": "thinking", "thinking": "", "signature": "sig"}

    def test_one_without_a_signature_gets_none(self) -> None:
        assert Block({"type": "thinking", "thinking": ""}).thought() == {"type": "thinking", "thinking": ""}

    def test_a_redacted_one_is_only_its_data(self) -> None:
        given = {"type": "redacted_thinking", "data": "secret"}
        assert Block({**given, "other": "x" * 100}).thought() == given


class TestCalls:
    GIVEN = {"type": "tool_use", "id": "a", "name": "f", "input": {}, "caller": {"type": "direct"}}  # noqa: RUF012

    def test_the_pieces_are_joined(self) -> None:
        block = Block(self.GIVEN)
        block.pieces += ['{"x"', ":1}"]
        assert block.call(3, {"k": 1}) == ToolCallDelta(3, "a", "f", '{"x":1}', {"k": 1})

    def test_one_that_has_ended_has_no_arguments_and_one_that_has_not_may_be_cut(self) -> None:
        block = Block(self.GIVEN)
        assert block.call(0, None).arguments == ""
        block.closed = True
        assert block.call(0, None).arguments == "{}"

    @pytest.mark.parametrize("given", [{}, {"id": "", "name": None}, {"id": 7, "name": ["f"]}])
    def test_what_it_lacks_is_lacking(self, given: dict[str, Any]) -> None:
        assert Block({"type": "tool_use", **given}).call(0, None) == ToolCallDelta(0)
