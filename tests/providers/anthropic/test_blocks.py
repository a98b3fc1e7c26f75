"""The blocks of an answer, as strictly and as loosely as servers send them."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._core.messages import ToolCall
from finalturn._core.model import ToolCallDelta
from finalturn._providers.anthropic.blocks import AnthropicBlock
from tests.providers._anthropic_wire import (
    END,
    begin,
    call,
    event,
    finish,
    layout_of,
    piece,
    read,
    start,
    stop,
    text,
    thought,
)

SIGNED = {"type": "thinking", "thinking": "hm", "signature": "sig"}


def made(*records: bytes, reason: str = "tool_use") -> list[tuple[str, Any, str | None]]:
    """Calls: name, arguments, and whether there is an error."""
    calls = read(start() + b"".join(records) + finish(reason) + END).calls
    return [(item.name, item.arguments, item.id) if not item.error else ("", {}, None) for item in calls]


def raw(kind: str, **fields: Any) -> bytes:
    return event({"type": kind, **fields})


class TestCalls:
    def test_pieces_are_put_together(self) -> None:
        assert made(call(0, "a", "f", '{"x"', ":1}"), call(1, "b", "g", '{"y":2}')) == [
            ("f", {"x": 1}, "a"),
            ("g", {"y": 2}, "b"),
        ]

    def test_pieces_of_two_may_be_mixed(self) -> None:
        records = (
            begin(0, "tool_use", id="a", name="f"),
            begin(1, "tool_use", id="b", name="g"),
            piece(0, "input_json_delta", partial_json='{"x":'),
            piece(1, "input_json_delta", partial_json='{"y":'),
            piece(0, "input_json_delta", partial_json="1}"),
            piece(1, "input_json_delta", partial_json="2}"),
        )
        assert made(*records) == [("f", {"x": 1}, "a"), ("g", {"y": 2}, "b")]

    def test_a_call_without_arguments_is_one(self) -> None:
        assert made(call(0, "a", "f")) == [("f", {}, "a")]

    @pytest.mark.parametrize(
        "given",
        [{"a": 1}, '{"a":1}', '{ "a" : 1 }'],
    )
    def test_the_whole_input_may_stand_in_the_beginning(self, given: object) -> None:
        assert made(begin(0, "tool_use", id="x", name="f", input=given), stop(0)) == [("f", {"a": 1}, "x")]

    def test_and_be_said_again_piece_by_piece(self) -> None:
        records = (
            begin(0, "tool_use", id="x", name="f", input={"a": 1}),
            piece(0, "input_json_delta", partial_json='{"a": '),
            piece(0, "input_json_delta", partial_json="1}"),
        )
        assert made(*records, stop(0)) == [("f", {"a": 1}, "x")]

    def test_but_not_otherwise(self) -> None:
        records = (
            begin(0, "tool_use", id="x", name="f", input={"a": 1}),
            piece(0, "input_json_delta", partial_json='{"a":2}'),
        )
        assert made(*records, stop(0)) == [("", {}, None)]

    @pytest.mark.parametrize("given", [[1], 7, "x", '{"a":'])
    def test_what_is_no_object_does_not_run(self, given: object) -> None:
        assert made(begin(0, "tool_use", id="x", name="f", input=given), stop(0)) == [("", {}, None)]

    def test_a_piece_that_is_no_text_is_not_lost(self) -> None:
        records = (
            begin(0, "tool_use", id="x", name="f"),
            piece(0, "input_json_delta", partial_json={"a": 1}),
        )
        assert made(*records) == [("f", {"a": 1}, "x")]


class TestIndexes:
    def test_without_any_each_beginning_is_a_block(self) -> None:
        assert made(call(None, "a", "f", '{"x":1}'), call(None, "b", "g", '{"y":2}')) == [
            ("f", {"x": 1}, "a"),
            ("g", {"y": 2}, "b"),
        ]

    def test_nor_does_it_matter_that_all_are_0(self) -> None:
        assert made(text(0, "a"), call(0, "a", "f", '{"x":1}'), call(0, "b", "f", '{"x":2}')) == [
            ("f", {"x": 1}, "a"),
            ("f", {"x": 2}, "b"),
        ]

    def test_a_wrong_one_leads_to_the_call_under_way(self) -> None:
        records = (
            begin(1, "tool_use", id="a", name="f"),
            piece(0, "input_json_delta", partial_json='{"x":1}'),
        )
        assert made(*records) == [("f", {"x": 1}, "a")]

    def test_arguments_that_belong_to_no_call_run_nothing(self) -> None:
        assert made(piece(0, "input_json_delta", partial_json='{"x":1}')) == [("", {}, None)]
        assert made(call(0, "a", "f"), piece(7, "input_json_delta", partial_json='{"x":1}')) == [
            ("f", {}, "a"),
            ("", {}, None),
        ]

    def test_a_float_is_one_too(self) -> None:
        records = [
            raw("content_block_start", index=0.0, content_block={"type": "tool_use", "id": "a", "name": "f"}),
            raw(
                "content_block_delta",
                index=0,
                delta={"type": "input_json_delta", "partial_json": '{"x":1}'},
            ),
        ]
        assert made(*records) == [("f", {"x": 1}, "a")]


class TestText:
    def test_it_may_stand_in_the_beginning(self) -> None:
        assert read(begin(0, "text", text="Hi") + piece(0, "text_delta", text="!") + finish()).text == "Hi!"

    def test_a_block_need_not_begin(self) -> None:
        assert read(piece(0, "text_delta", text="Hi") + finish()).text == "Hi"

    def test_types_may_be_left_out(self) -> None:
        body = (
            raw("content_block_start", content_block={"thinking": "h"})
            + raw("content_block_delta", delta={"thinking": "m"})
            + raw("content_block_start", content_block={})
            + raw("content_block_delta", delta={"text": "Hi"})
            + raw("content_block_delta", delta={"text": None})
        )
        got = read(body + finish())
        assert (got.text, got.reasoning) == ("Hi", "hm")

    def test_it_stands_beside_calls(self) -> None:
        got = read(text(0, "Let me see.") + call(1, "a", "f") + text(2, " Done.") + finish("tool_use") + END)
        assert got.text == "Let me see. Done."
        assert [item.name for item in got.calls] == ["f"]

    @pytest.mark.parametrize(
        "delta",
        [
            {"type": "citations_delta", "citation": {"cited_text": "x"}},
            {"type": "of_tomorrow", "content": "x"},
            {},
            {"type": "text_delta", "text": 7},
        ],
    )
    def test_what_is_not_understood_is_skipped(self, delta: dict[str, Any]) -> None:
        got = read(begin(0, "text") + raw("content_block_delta", index=0, delta=delta) + finish() + END)
        assert (got.text, got.failure) == ("", None)


class TestServersOwnTools:
    BODY = (
        begin(0, "server_tool_use", id="s", name="search", input={})
        + piece(0, "input_json_delta", partial_json='{"query":"x"}')
        + stop(0)
        + begin(1, "search_result", content=[{"type": "text", "text": "never"}])
        + stop(1)
    )

    def test_they_are_no_calls(self) -> None:
        got = read(self.BODY + text(2, "Found.") + finish() + END)
        assert (got.text, got.calls) == ("Found.", ())

    def test_nor_are_they_confused_with_calls(self) -> None:
        assert made(self.BODY, call(2, "a", "f", '{"x":1}')) == [("f", {"x": 1}, "a")]


class TestThoughts:
    def test_they_are_shown_as_reasoning(self) -> None:
        got = read(thought(0, "h", "m") + text(1, "Hi") + finish() + END)
        assert (got.text, got.reasoning, got.calls) == ("Hi", "hm", ())

    def test_those_before_a_call_are_kept_with_it(self) -> None:
        got = read(thought(0, "hm") + call(1, "a", "f") + call(2, "b", "f") + finish("tool_use") + END)
        assert layout_of(got) == [SIGNED, None, None]
        assert got.calls[1].provider_data is None

    def test_their_places_are_kept_too(self) -> None:
        hidden = begin(3, "redacted_thinking", data="xyz") + stop(3)
        body = thought(0, "hm") + text(1, "Hé") + text(2, "!") + hidden + call(4, "a", "f") + thought(5, "so")
        got = read(body + finish("tool_use") + END)
        assert layout_of(got) == [
            SIGNED,
            3,
            {"type": "redacted_thinking", "data": "xyz"},
            None,
            {**SIGNED, "thinking": "so"},
        ]

    def test_one_that_gives_no_words_is_kept_all_the_same(self) -> None:
        got = read(thought(0) + call(1, "a", "f") + finish("tool_use") + END)
        assert got.reasoning == ""
        assert layout_of(got) == [{**SIGNED, "thinking": ""}, None]

    def test_none_is_kept_behind_what_is_not(self) -> None:
        body = thought(0, "hm") + TestServersOwnTools.BODY + thought(3, "so") + call(4, "a", "f")
        assert layout_of(read(body + finish("tool_use") + END)) == [SIGNED]

    def test_without_any_nothing_is_kept(self) -> None:
        got = read(text(0, "Hi") + call(1, "a", "f") + finish("tool_use") + END)
        assert got.calls == (ToolCall("f", {}, "a"),)


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
    assert AnthropicBlock(given).kind == kind


class TestThoughtOfABlock:
    def test_one_goes_back_whole(self) -> None:
        block = AnthropicBlock({"type": "thinking", "thinking": "", "signature": ""})
        block.pieces += ["h", "m"]
        block.signature = "sig"
        assert block.thought() == {"type": "thinking", "thinking": "hm", "signature": "sig"}

    def test_one_without_words_does_too(self) -> None:
        block = AnthropicBlock({"type": "thinking", "thinking": "", "signature": "sig"})
        assert block.thought() == {"type": "thinking", "thinking": "", "signature": "sig"}

    def test_one_without_a_signature_gets_none(self) -> None:
        assert AnthropicBlock({"type": "thinking", "thinking": ""}).thought() == {
            "type": "thinking",
            "thinking": "",
        }

    def test_a_redacted_one_is_only_its_data(self) -> None:
        given = {"type": "redacted_thinking", "data": "secret"}
        assert AnthropicBlock({**given, "other": "x" * 100}).thought() == given


class TestCallOfABlock:
    GIVEN = {"type": "tool_use", "id": "a", "name": "f", "input": {}, "caller": {"type": "direct"}}  # noqa: RUF012

    def test_the_pieces_are_joined(self) -> None:
        block = AnthropicBlock(self.GIVEN)
        block.pieces += ['{"x"', ":1}"]
        assert block.call(3, {"k": 1}) == ToolCallDelta(3, "a", "f", '{"x":1}', {"k": 1})

    def test_one_that_has_ended_has_no_arguments_and_one_that_has_not_may_be_cut(self) -> None:
        block = AnthropicBlock(self.GIVEN)
        assert block.call(0, None).arguments == ""
        block.closed = True
        assert block.call(0, None).arguments == "{}"

    @pytest.mark.parametrize("given", [{}, {"id": "", "name": None}, {"id": 7, "name": ["f"]}])
    def test_what_it_lacks_is_lacking(self, given: dict[str, Any]) -> None:
        assert AnthropicBlock({"type": "tool_use", **given}).call(0, None) == ToolCallDelta(0)
