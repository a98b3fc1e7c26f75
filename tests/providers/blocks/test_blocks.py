"""The blocks of an answer, with blocks of no vendor's."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from finalturn._core.model import ModelEvent, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn._providers.blocks.blocks import AnswerBlock, AnswerBlocks


class PlainBlock(AnswerBlock):
    def thought(self) -> dict[str, Any] | None:
        return {"thought": "".join(self.pieces)} if self.signature else None


class PlainBlocks(AnswerBlocks[PlainBlock]):
    call_kind: ClassVar[str] = "call"

    def take(self, kind: str, text: str, events: list[ModelEvent], *, signature: str = "") -> None:
        block = self._add(None, PlainBlock(kind))
        block.signature = signature
        if kind == "text":
            self._add_text(block, text, events)
        elif kind == "thought":
            self._add_thought(block, text, events)
        else:
            self._add_piece(block, text)


def filled(*entries: tuple[str, str]) -> tuple[PlainBlocks, list[ModelEvent]]:
    blocks, events = PlainBlocks(), list[ModelEvent]()
    for kind, text in entries:
        blocks.take(kind, text, events, signature="s" if kind == "thought" else "")
    return blocks, events


def test_text_and_thoughts_are_shown_at_once_and_calls_are_not() -> None:
    blocks, events = filled(("thought", "hm"), ("text", "Hi"), ("text", ""), ("call", "{}"))
    assert events == [ReasoningDelta("hm"), TextDelta("Hi")]
    assert blocks.has_calls
    assert blocks.size == len("hm") + len("Hi") + 1 + len("{}")


def test_what_goes_back_rides_on_the_first_call() -> None:
    blocks, _ = filled(("call", "{}"), ("call", "[1]"))
    assert list(blocks.calls({"a": 1})) == [
        ToolCallDelta(0, None, "", "{}", {"a": 1}), ToolCallDelta(1, None, "", "[1]", None)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("pieces", "closed", "arguments"),
    [
        (['{"x":', "1}"], True, '{"x":1}'),
        ([], True, "{}"),
        (["  "], True, "{}"),
        ([], False, ""),
        (['{"x'], False, '{"x'),
    ],
)
def test_nothing_was_cut_off_a_call_that_has_ended(pieces: list[str], closed: bool, arguments: str) -> None:
    block = PlainBlock("call", id="a", name="f")
    block.pieces += pieces
    block.closed = closed
    assert block.call(2, None) == ToolCallDelta(2, "a", "f", arguments, None)


@pytest.mark.parametrize(
    ("entries", "layout"),
    [
        ([("text", "Hi"), ("call", "")], []),
        ([("thought", "a"), ("call", "")], [{"thought": "a"}, None]),
        ([("text", "Hi"), ("text", "you"), ("thought", "a")], [5, {"thought": "a"}]),
        ([("thought", "a"), ("other", ""), ("thought", "b")], [{"thought": "a"}]),
        ([("text", ""), ("thought", "a")], [{"thought": "a"}]),
    ],
)
def test_the_layout_says_where_thoughts_stand(entries: list[tuple[str, str]], layout: list[Any]) -> None:
    assert filled(*entries)[0].layout() == layout


def test_an_end_without_an_index_is_that_of_the_last_block() -> None:
    blocks, _ = filled(("text", "Hi"), ("call", ""))
    blocks.stop(None)
    blocks.stop(7)
    assert [call.arguments for call in blocks.calls(None)] == ["{}"]
