"""Blocks with a head, and blocks that are one JSON value."""

from __future__ import annotations

import re

import pytest

from finalturn._core.markup import BlockReader, Ended
from finalturn._core.messages import ToolCall
from finalturn._core.model import TextDelta
from finalturn._core.textcalls.head_block import MAX_HEAD, HeadBlock, JsonBlock
from finalturn._core.textcalls.token_block import CUT, MALFORMED, TokenBlock

END = TokenBlock(("</a>",), lambda text: None)


def fed(block: BlockReader, pieces: list[str]) -> tuple[Ended, str]:
    """How the block ends, and the text behind it."""
    for place, piece in enumerate(pieces):
        if ended := block.feed(piece, 0):
            return ended, ended.text[ended.at :] + "".join(pieces[place + 1 :])
    ended = block.finish()
    return ended, ended.text[ended.at :]


class TestHead:
    def block(self) -> HeadBlock:
        def then(found: re.Match[str]) -> TokenBlock | TextDelta:
            return TextDelta("shown") if found[1] == "no" else END

        return HeadBlock("<a=", re.compile(r"(\w+)>"), re.compile(r"\w*"), then)

    @pytest.mark.parametrize(
        ("text", "parts", "rest", "is_block"),
        [
            ("f>x", (), "x", True),
            ("no>x", (TextDelta("shown"),), "x", False),
            ("f x", (TextDelta("<a="),), "f x", False),
            ("f", (TextDelta("<a="),), "f", False),
            ("", (TextDelta("<a="),), "", False),
            ("f" * MAX_HEAD + ">", (TextDelta("<a="),), "f" * MAX_HEAD + ">", False),
            ("f" * (MAX_HEAD - 1) + ">x", (), "x", True),
        ],
    )
    def test_it_leads_on_or_was_none(
        self, text: str, parts: tuple[TextDelta, ...], rest: str, is_block: bool
    ) -> None:
        for pieces in ([text], list(text)):
            ended, behind = fed(self.block(), pieces)
            assert (ended.parts, behind, ended.then is END) == (parts, rest, is_block)


class TestJson:
    @pytest.mark.parametrize(
        ("text", "calls", "rest"),
        [
            ('{"a": "}"} x', [ToolCall('{"a": "}"}')], " x"),
            ('[{"a": "\\"]"}]x', [ToolCall('[{"a": "\\"]"}]')], "x"),
            ("{]x", [ToolCall("{]")], "x"),
            ('{"a": "\\', [ToolCall("n", error=CUT)], ""),
            ("{{}", [ToolCall("n", error=CUT)], ""),
        ],
    )
    def test_it_ends_with_its_value(self, text: str, calls: list[ToolCall], rest: str) -> None:
        for pieces in ([text], list(text)):
            ended, behind = fed(JsonBlock(lambda text: (ToolCall(text),), name="n"), pieces)
            assert (list(ended.parts), behind) == (calls, rest)

    @pytest.mark.parametrize(
        ("text", "names", "rest"),
        [
            ("{}; {} ;{1} x", ["{}", "{}", "{1}"], " x"),
            ("{}", ["{}"], ""),
            ("{} ; ", ["{}"], " ; "),
            ("{} ;; {}", ["{}"], " ;; {}"),
            ("{} {}", ["{}"], " {}"),
            ("{}" + " " * 300 + ";{}", ["{}"], " " * 300 + ";{}"),
        ],
    )
    def test_more_may_follow_behind_a_semicolon(self, text: str, names: list[str], rest: str) -> None:
        for pieces in ([text], list(text), [text[:3], text[3:]]):
            ended, behind = fed(JsonBlock(lambda text: (ToolCall(text),), more=True), pieces)
            assert ([part.name for part in ended.parts if isinstance(part, ToolCall)], behind) == (
                names,
                rest,
            )

    def test_a_value_that_cannot_be_read_is_malformed(self) -> None:
        ended = JsonBlock(lambda text: None, name="n").feed("x{}y", 1)
        assert ended == Ended((ToolCall("n", error=MALFORMED),), "x{}y", 3)
