"""The end of an answer in formats of content blocks, with records of Messages."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._core.model import FinishReason, ModelEnd, ModelEvent, ToolCallDelta
from finalturn._providers.answers.usage import MESSAGES
from finalturn._providers.anthropic.blocks import AnthropicBlocks
from finalturn._providers.blocks.answer import BlockAnswer

CALL: dict[str, Any] = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
THOUGHT: dict[str, Any] = {"type": "thinking", "thinking": "hm", "signature": "s"}


def ended(*blocks: dict[str, Any], reason: FinishReason | None = None) -> list[ModelEvent]:
    content, events = AnthropicBlocks(), list[ModelEvent]()
    answer = BlockAnswer(MESSAGES, content, None, lambda layout: {"layout": layout})
    for block in blocks:
        content.start(None, block, events)
        content.stop(None)
    answer.reason = reason
    assert answer.size == content.size
    return answer.end()


def test_a_call_comes_at_the_end_with_the_thoughts_before_it() -> None:
    call, end = ended(THOUGHT, CALL)
    assert isinstance(call, ToolCallDelta)
    assert (call.id, call.arguments, call.provider_data) == ("a", "{}", {"layout": [THOUGHT, None]})
    assert isinstance(end, ModelEnd)
    assert end.finish_reason == "tool_calls"


@pytest.mark.parametrize(
    ("blocks", "reason", "finish"),
    [([], None, "stop"), ([THOUGHT], "length", "length"), ([CALL], "refusal", "refusal")],
)
def test_without_calls_and_in_a_refusal_there_is_only_the_end(
    blocks: list[dict[str, Any]], reason: FinishReason | None, finish: str
) -> None:
    (end,) = ended(*blocks, reason=reason)
    assert isinstance(end, ModelEnd)
    assert end.finish_reason == finish
