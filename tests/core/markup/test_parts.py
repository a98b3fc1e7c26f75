"""What a reader of a block says of its end."""

from __future__ import annotations

from finalturn._core.markup import THINK, Ended, Tag


def test_behind_a_block_stands_prose_unless_it_says_otherwise() -> None:
    assert Ended((), "text", 2).then is None
    assert Ended((), "text", 2, THINK).then is THINK


def test_a_tag_is_its_tokens() -> None:
    assert Tag("<a>", ("</a>",)) == Tag("<a>", ("</a>",)) != THINK
