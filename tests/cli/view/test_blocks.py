"""Blocks: what one is before anything has come of it."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from finalturn import ToolCall
from finalturn._cli.view.blocks import Bubble, Card, Question, Thought, ToolUse


def test_a_block_that_begins_is_open() -> None:
    assert Bubble("Hi", 0).open and Thought("hm", 0).open
    assert ToolUse(ToolCall("lookup")).outcome is None
    assert Card("Ticket").state == "pending"


def test_blocks_are_frozen() -> None:
    question = Question("Hi")
    with pytest.raises(FrozenInstanceError):
        question.text = "Ho"  # type: ignore[misc]
