"""BedrockBlocks of an answer, with and without what a server may leave out."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._core.model import ModelEvent, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn._providers.bedrock.blocks import BedrockBlock, BedrockBlocks

THOUGHT = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "sig"}}}


def use(call_id: str, **fields: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": call_id, "name": "f", **fields}}


def argued(piece: str) -> dict[str, Any]:
    return {"toolUse": {"input": piece}}


def thinks(**fields: str) -> dict[str, Any]:
    return {"reasoningContent": fields}


def made(blocks: BedrockBlocks) -> list[tuple[str | None, str, str]]:
    return [(call.id, call.name, call.arguments) for call in blocks.calls(None)]


@pytest.fixture
def blocks() -> BedrockBlocks:
    return BedrockBlocks()


class TestCalls:
    def test_pieces_go_to_the_call_of_their_index(self, blocks: BedrockBlocks) -> None:
        blocks.start(1, use("a"))
        blocks.start(2, use("b"))
        for index, piece in [(1, '{"x":'), (2, '{"y":'), (1, "1}"), (2, "2}")]:
            blocks.delta(index, argued(piece), [])
        assert made(blocks) == [("a", "f", '{"x":1}'), ("b", "f", '{"y":2}')]

    @pytest.mark.parametrize("index", [None, "0", True])
    def test_without_indexes_to_the_last(self, blocks: BedrockBlocks, index: object) -> None:
        for call_id in "ab":
            blocks.start(index, use(call_id))
            blocks.delta(index, argued("{}"), [])
        assert made(blocks) == [("a", "f", "{}"), ("b", "f", "{}")]

    def test_blocks_may_share_an_index(self, blocks: BedrockBlocks) -> None:
        blocks.delta(0, {"text": "Hi"}, [])
        for call_id in "ab":
            blocks.start(0, use(call_id))
            blocks.delta(0, argued('{"x":1}'), [])
            blocks.stop(0)
        assert made(blocks) == [("a", "f", '{"x":1}'), ("b", "f", '{"x":1}')]

    def test_an_index_may_be_wrong(self, blocks: BedrockBlocks) -> None:
        blocks.delta(0, {"text": "Hi"}, [])
        blocks.start(1, use("a"))
        blocks.delta(0, argued('{"x"'), [])
        blocks.delta(7, argued(":1}"), [])
        assert made(blocks) == [("a", "f", '{"x":1}')]

    def test_a_piece_after_the_end_is_one_all_the_same(self, blocks: BedrockBlocks) -> None:
        blocks.start(0, use("a"))
        blocks.stop(0)
        blocks.delta(0, argued('{"x":'), [])
        assert made(blocks) == [("a", "f", '{"x":')]

    def test_a_piece_of_no_call_makes_one_without_a_name(self, blocks: BedrockBlocks) -> None:
        blocks.start(0, use("a"))
        blocks.stop(0)
        blocks.delta(1, argued('{"x":1}'), [])
        assert made(blocks) == [("a", "f", "{}"), (None, "", '{"x":1}')]

    def test_empty_pieces_make_nothing(self, blocks: BedrockBlocks) -> None:
        blocks.delta(0, argued(""), [])
        blocks.delta(0, {"toolUse": {}}, [])
        assert not blocks.has_calls

    def test_only_the_first_keeps_what_goes_back(self, blocks: BedrockBlocks) -> None:
        blocks.start(0, use("a"))
        blocks.start(1, use("b"))
        assert [call.provider_data for call in blocks.calls({"k": 1})] == [{"k": 1}, None]

    @pytest.mark.parametrize(
        "start",
        [
            {"toolUse": {"toolUseId": "s", "name": "x", "type": "server_tool_use"}},
            {"toolResult": {"toolUseId": "s"}},
            {"image": {"format": "png"}},
            {"toolUse": None},
        ],
    )
    def test_what_the_service_runs_itself_is_no_call(
        self, blocks: BedrockBlocks, start: dict[str, Any]
    ) -> None:
        blocks.start(0, start)
        blocks.delta(0, argued('{"code":1}'), [])
        blocks.delta(0, {"toolResult": [{"text": "no"}]}, [])
        blocks.stop(0)
        assert not blocks.has_calls


class TestText:
    def test_it_and_thoughts_are_given_at_once(self, blocks: BedrockBlocks) -> None:
        events: list[ModelEvent] = []
        blocks.delta(0, thinks(text="hm"), events)
        blocks.delta(1, {"text": "Hi"}, events)
        assert events == [ReasoningDelta("hm"), TextDelta("Hi")]

    @pytest.mark.parametrize(
        "delta",
        [
            {},
            {"text": ""},
            {"text": 7},
            {"citation": {"title": "x"}},
            {"image": {"source": {}}},
            {"reasoningContent": {}},
            {"reasoningContent": {"signature": "s"}},
            {"reasoningContent": {"redactedContent": "aGk="}},
            {"reasoningContent": "x"},
        ],
    )
    def test_what_says_nothing_gives_nothing(self, blocks: BedrockBlocks, delta: dict[str, Any]) -> None:
        events: list[ModelEvent] = []
        blocks.delta(0, delta, events)
        assert events == []


class TestWhole:
    def test_each_block_is_there_at_once(self, blocks: BedrockBlocks) -> None:
        events: list[ModelEvent] = []
        given: list[dict[str, Any]] = [
            THOUGHT,
            {"text": "Hi", "toolUse": None},
            {"citationsContent": {"content": [{"text": "cited"}, {}], "citations": []}},
            use("a", input={"x": 1}),
            use("b", input={}),
            {"image": {}},
            {},
            {"text": None},
        ]
        for block in given:
            blocks.whole(block, events)
        assert events == [ReasoningDelta("hm"), TextDelta("Hi"), TextDelta("cited")]
        assert made(blocks) == [("a", "f", '{"x":1}'), ("b", "f", "{}")]
        assert blocks.layout() == [THOUGHT, 7, None, None]

    def test_a_redacted_thought(self, blocks: BedrockBlocks) -> None:
        blocks.whole({"reasoningContent": {"redactedContent": "aGk="}}, [])
        assert blocks.layout() == [{"reasoningContent": {"redactedContent": "aGk="}}]


class TestLayout:
    def test_it_says_where_the_thoughts_stand(self, blocks: BedrockBlocks) -> None:
        for index, delta in [
            (0, thinks(text="h")),
            (0, thinks(text="m")),
            (0, thinks(signature="sig")),
            (1, {"text": "Hé"}),
            (1, {"text": "!"}),
            (3, thinks(redactedContent="aGk=")),
        ]:
            blocks.delta(index, delta, [])
        blocks.start(4, use("a"))
        redacted = {"reasoningContent": {"redactedContent": "aGk="}}
        assert blocks.layout() == [THOUGHT, 3, redacted, None]

    def test_thoughts_may_follow_each_other(self, blocks: BedrockBlocks) -> None:
        for index in (0, 1):
            blocks.delta(index, thinks(text="hm", signature="sig"), [])
        assert blocks.layout() == [THOUGHT, THOUGHT]

    def test_and_share_an_index_once_they_are_over(self, blocks: BedrockBlocks) -> None:
        for _ in range(2):
            blocks.delta(0, thinks(text="hm", signature="sig"), [])
            blocks.stop(0)
        assert blocks.layout() == [THOUGHT, THOUGHT]

    def test_it_is_empty_without_thoughts(self, blocks: BedrockBlocks) -> None:
        blocks.delta(0, {"text": "Hi"}, [])
        blocks.start(1, use("a"))
        assert blocks.layout() == []

    @pytest.mark.parametrize("unsigned", [True, False])
    def test_it_ends_before_what_cannot_go_back(self, blocks: BedrockBlocks, unsigned: bool) -> None:
        blocks.delta(0, thinks(text="hm", signature="sig"), [])
        if unsigned:
            blocks.delta(1, thinks(text="never"), [])
        else:
            blocks.start(1, {"toolResult": {}})
        blocks.delta(2, thinks(text="hm", signature="sig"), [])
        assert blocks.layout() == [THOUGHT]


def test_it_knows_how_much_has_come(blocks: BedrockBlocks) -> None:
    blocks.start(0, use("a" * 1000))
    blocks.delta(0, argued("b" * 1000), [])
    blocks.delta(1, thinks(text="c" * 1000, signature="d" * 1000, redactedContent="e" * 1000), [])
    blocks.delta(2, {"text": "f" * 100_000}, [])
    assert 105_000 <= blocks.size < 105_100


def reasoning(*pieces: str, signature: str = "", redacted: list[str] | None = None) -> BedrockBlock:
    block = BedrockBlock("reasoningContent")
    block.pieces += pieces
    block.signature = signature
    block.redacted += redacted or []
    return block


def test_a_signed_thought_goes_back_with_its_signature() -> None:
    signed = {"reasoningText": {"text": "hm, yes", "signature": "sig"}}
    assert reasoning("hm,", " yes", signature="sig").thought() == {"reasoningContent": signed}


def test_its_text_may_be_empty_and_is_sent_all_the_same() -> None:
    signed = {"reasoningText": {"text": "", "signature": "sig"}}
    assert reasoning(signature="sig").thought() == {"reasoningContent": signed}


def test_one_without_a_signature_does_not_go_back() -> None:
    assert reasoning("hm").thought() is None


@pytest.mark.parametrize(
    ("pieces", "whole"),
    [
        (["aGk="], "aGk="),
        (["not base64!"], "not base64!"),
        (["aGk=", "aGk="], "aGloaQ=="),
        (["a", "b"], "ab"),
    ],
)
def test_a_redacted_one_is_bytes_that_may_come_in_pieces(pieces: list[str], whole: str) -> None:
    found = reasoning("seen", redacted=pieces).thought()
    assert found == {"reasoningContent": {"redactedContent": whole}}


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
def test_the_arguments_of_a_call(pieces: list[str], closed: bool, arguments: str) -> None:
    block = BedrockBlock("toolUse", id="a", name="f")
    block.pieces += pieces
    block.closed = closed
    assert block.call(1, {"k": 1}) == ToolCallDelta(1, "a", "f", arguments, {"k": 1})


def test_a_call_may_have_no_id() -> None:
    assert BedrockBlock("toolUse").call(0, None).id is None
