"""Single blocks."""

from __future__ import annotations

import pytest

from finalturn._core.model import ToolCallDelta
from finalturn._providers.bedrock.block import Block


def reasoning(*pieces: str, signature: str = "", redacted: list[str] | None = None) -> Block:
    block = Block("reasoningContent")
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
    block = Block("toolUse", id="a", name="f")
    block.pieces += pieces
    block.closed = closed
    assert block.call(1, {"k": 1}) == ToolCallDelta(1, "a", "f", arguments, {"k": 1})


def test_a_call_may_have_no_id() -> None:
    assert Block("toolUse").call(0, None).id is None
