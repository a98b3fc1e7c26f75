"""Takes reasoning and calls out of a text. The theory stands at the head of the package."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from types import MappingProxyType
from typing import Final

from finalturn._core.markup.markup import BlockReader, Markup, Part, Schemas, Tag, closing
from finalturn._core.markup.quoted import QuotedCode
from finalturn._core.messages import ToolCall
from finalturn._core.model import ReasoningDelta, TextDelta

__all__ = ["MAX_BLANK", "MarkupSplitter"]

MAX_BLANK: Final = 64
"""How many blank characters are held back at most."""

_LINE_ENDS = "\r\n"
_INDENT = " \t"
_NO_TOOLS: Final[Schemas] = MappingProxyType({})


class MarkupSplitter:
    """One answer's text, fed in pieces.

    Args:
        markup: what may hide in it.
        schemas: the parameters of each tool that was offered, by its name.
        inside: the text begins inside reasoning, as the prompt has opened its tag.

    Attributes:
        flows: nothing is held back or open: a piece without a mark is prose as it stands.
        shown: the piece of prose that was shown last.
    """

    __slots__ = (
        "_block",
        "_code",
        "_fresh",
        "_gap",
        "_gap_open",
        "_hid",
        "_inside",
        "_markup",
        "_partial_token",
        "_parts",
        "_schemas",
        "_tag",
        "flows",
        "shown",
    )

    def __init__(self, markup: Markup, schemas: Schemas = _NO_TOOLS, *, inside: bool = False) -> None:
        self._markup = markup
        self._schemas = schemas
        self._partial_token = ""  # the beginning of what may be a token
        self._inside = inside
        self._tag: Tag | None = None
        self._fresh = False  # line ends directly behind the token that began a thought belong to it
        self._block: BlockReader | None = None
        self._code: QuotedCode | None = None
        self._gap = ""  # blank text that may turn out to surround something hidden
        self._gap_open = True
        self._hid = False
        self._parts: list[Part] = []
        self.shown: str = ""
        self.flows: bool = False

    def plain(self, text: str) -> bool:
        """Whether the piece is prose as it stands; if so, it has been taken note of."""
        if self.flows and self._markup.mark.search(text) is None and text.strip():
            self.shown = text
            return True
        return False

    def outside(self) -> None:
        """The text does not begin inside reasoning after all. Once it has begun, this changes nothing."""
        self._inside = False

    def feed(self, text: str) -> list[Part]:
        """Take a piece of the text. Gives what is certain now."""
        self._take(text)
        self.flows = not (
            self._partial_token or self._gap_open or self._inside or self._tag or self._block or self._code
        )
        return self._take_parts()

    def finish(self) -> list[Part]:
        """The text is complete. Gives what was held back."""
        while self._block is not None:
            ended = self._block.finish()
            self._end_block(ended.parts, ended.then)
            self._take(ended.text[ended.at :])
        if self._tag or self._inside:
            self._reason(self._partial_token)
        else:
            self._show(self._partial_token)
        if self._gap and not self._hid:
            self._parts.append(TextDelta(self._gap))
        self._partial_token = self._gap = ""
        return self._take_parts()

    def _take_parts(self) -> list[Part]:
        parts, self._parts = self._parts, []
        return parts if len(parts) < 2 else _merged(parts)

    def _take(self, text: str) -> None:
        if self._partial_token:
            text, self._partial_token = self._partial_token + text, ""
        at = 0
        while at < len(text):
            if self._block is not None:
                ended = self._block.feed(text, at)
                if ended is None:
                    return
                text, at = ended.text, ended.at
                self._end_block(ended.parts, ended.then)
            elif self._code is not None:
                end = self._code.follow(text, at)
                self._show(text[at:end])
                if end is None:
                    return
                self._code = None
                at = end
            elif self._inside:
                at = self._begin_inside(text, at)
            elif self._tag is not None:
                at = self._think(text, at, self._tag)
            else:
                at = self._speak(text, at)

    def _speak(self, text: str, at: int) -> int:
        """Read prose, up to the next thing that is not."""
        start = at
        while token := self._markup.opening.search(text, at):
            mark = token[0][0]
            if mark == "`" or (mark == "~" and self._at_line_start(text, start, token.start())):
                self._show(text[start : token.start()])
                self._code = QuotedCode(mark)
                return token.start()
            at = token.end()
            if mark == "~" or self._is_text(token[0], text[start : token.start()]):
                continue
            self._show(text[start : token.start()])
            self._open(token[0])
            return at
        end = _unfinished(text, at, self._markup.first_characters, self._markup.prefixes)
        self._show(text[start:end])
        self._partial_token = text[end:]
        return len(text)

    def _is_text(self, token: str, before: str) -> bool:
        """Whether a token that closes nothing stays in the prose, where some of it stands before."""
        if token not in self._markup.strays or self._hid:
            return False
        return token not in self._markup.closes or bool((self.shown + self._gap + before).strip())

    def _open(self, token: str) -> None:
        if token in self._markup.tags:
            self._begin(self._markup.tags[token])
        elif token in self._markup.blocks:
            self._block = self._markup.blocks[token](self._schemas)
        else:
            self._hide()

    def _begin(self, tag: Tag) -> None:
        self._tag = tag
        self._fresh = True

    def _think(self, text: str, at: int, tag: Tag) -> int:
        """Read reasoning, up to its end."""
        if self._fresh:
            while at < len(text) and text[at] in _LINE_ENDS:
                at += 1
            self._fresh = at == len(text)
        ends = closing(tag.closes)
        token = ends.pattern.search(text, at)
        if token is None:
            end = _unfinished(text, at, ends.first_characters, ends.prefixes)
            self._reason(text[at:end])
            self._partial_token = text[end:]
            return len(text)
        self._reason(text[at : token.start()])
        self._tag = None
        self._hide()
        # The beginning of something else is an end too.
        return token.start() if token[0] in self._markup.blocks else token.end()

    def _begin_inside(self, text: str, at: int) -> int:
        """The first words of reasoning that the prompt has begun. A model may open its tag once more."""
        words = text[at:].lstrip()
        blank = len(text) - at - len(words)
        if blank <= MAX_BLANK and (not words or words in self._markup.prefixes):
            self._partial_token = text[at:]
            return len(text)
        self._inside = False
        token = self._markup.opening.match(words) if blank <= MAX_BLANK else None
        if token is not None and token[0] in self._markup.tags:
            self._begin(self._markup.tags[token[0]])
            return at + blank + token.end()
        self._tag = Tag("", tuple(close for tag in self._markup.tags.values() for close in tag.closes))
        return at

    def _end_block(self, parts: Iterable[ToolCall | TextDelta], then: Tag | BlockReader | None) -> None:
        self._block = None
        has_parts = False
        for part in parts:
            has_parts = True
            if isinstance(part, ToolCall):
                self._parts.append(part)
                self._hide()
            else:
                self._show(part.text)
        if isinstance(then, Tag):
            self._begin(then)
        elif then is not None:
            self._block = then
        elif not has_parts:
            self._hide()

    def _hide(self) -> None:
        self._hid = True
        self._gap_open = True

    def _reason(self, text: str) -> None:
        if text:
            self._parts.append(ReasoningDelta(text))

    def _show(self, text: str) -> None:
        if self._gap_open and not (text := self._without_gap(text)):
            return
        if not text:
            return
        self._parts.append(TextDelta(text))
        # Where a line of blanks comes in pieces, its start is needed to tell a fence.
        self.shown = (self.shown + text)[-MAX_BLANK:] if text.isspace() else text

    def _without_gap(self, text: str) -> str:
        words = text.lstrip()
        blank = text[: len(text) - len(words)]
        if self._hid and (not self.shown or self.shown[-1].isspace()):
            self._gap = ""
            self._gap_open = not words
            return words
        self._gap += blank
        if not words and len(self._gap) <= MAX_BLANK:
            return ""
        text, self._gap = self._gap + words, ""
        self._gap_open = False
        return text

    def _at_line_start(self, text: str, start: int, at: int) -> bool:
        while at > start and text[at - 1] in _INDENT:
            at -= 1
        if at > start:
            return text[at - 1] == "\n"
        before = (self.shown + self._gap).rstrip(_INDENT)
        return not before or before[-1] == "\n"


def _merged(parts: list[Part]) -> list[Part]:
    """The same with neighbours of one kind as one."""
    merged: list[Part] = []
    for kind, group in groupby(parts, type):
        if kind is ToolCall:
            merged += group
        else:
            pieces = [part.text for part in group if not isinstance(part, ToolCall)]
            text = "".join(pieces)
            merged.append(TextDelta(text) if kind is TextDelta else ReasoningDelta(text))
    return merged


def _unfinished(text: str, start: int, first_characters: str, unfinished: frozenset[str]) -> int:
    """Where the text ends in what may become a token; its length where it does not."""
    at = max((text.rfind(character, start) for character in first_characters), default=-1)
    return at if at >= 0 and text[at:] in unfinished else len(text)
