"""The tokens that are looked for, prepared for the search."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from finalturn._core.markup.parts import BlockReader, Schemas, Tag

__all__ = ["Closing", "Markup", "closing"]


class Markup:
    """What may hide in a text. Made once, and shared by all answers.

    No token is the beginning of another, and the first character of a token stands in none a second time: so
    the last such character of a text is the only place where a token may be unfinished.

    Args:
        tags: how reasoning is marked.
        blocks: the opening tokens of blocks, each with what makes its reader.
        strays: tokens that are left out once something was hidden.
        frames: tokens that are always left out: they stand around text.
        quotes: whether code is quoted, so that no token counts in it.
    """

    __slots__ = (
        "blocks",
        "closes",
        "first",
        "frames",
        "mark",
        "opening",
        "prefixes",
        "quotes",
        "strays",
        "tags",
    )

    def __init__(
        self,
        tags: Iterable[Tag] = (),
        blocks: Mapping[str, Callable[[Schemas], BlockReader]] | None = None,
        *,
        strays: Iterable[str] = (),
        frames: Iterable[str] = (),
        quotes: bool = True,
    ) -> None:
        self.tags: dict[str, Tag] = {tag.open: tag for tag in tags}
        self.blocks: dict[str, Callable[[Schemas], BlockReader]] = dict(blocks or {})
        self.frames: frozenset[str] = frozenset(frames)
        # Those of them that stand before all else close nothing but what the prompt has opened.
        self.closes: frozenset[str] = frozenset(close for tag in self.tags.values() for close in tag.closes)
        self.strays: frozenset[str] = frozenset((*strays, *self.closes)) - self.blocks.keys() - self.frames
        self.quotes: bool = quotes
        tokens = (*self.tags, *self.blocks, *self.strays, *self.frames)
        self.first: str = "".join(sorted({token[0] for token in tokens}))
        self.prefixes: frozenset[str] = _prefixes(tokens)
        words = [re.escape(token) for token in tokens]
        if quotes:
            words += ["`", "~~*"]
        self.opening: re.Pattern[str] = re.compile("|".join(words))
        # A text without any of these has nothing to look for.
        self.mark: re.Pattern[str] = re.compile(f"[{re.escape(self.first + ('`~' if quotes else ''))}]")


class Closing(NamedTuple):
    """Closing tokens, prepared for the search.

    Attributes:
        pattern: any of them.
        prefixes: everything that may still become one.
        first: the characters that they begin with.
    """

    pattern: re.Pattern[str]
    prefixes: frozenset[str]
    first: str


@lru_cache(maxsize=64)
def closing(closes: tuple[str, ...]) -> Closing:
    """The tokens for the search."""
    first = "".join(sorted({close[0] for close in closes}))
    return Closing(re.compile("|".join(map(re.escape, closes))), _prefixes(closes), first)


def _prefixes(tokens: Iterable[str]) -> frozenset[str]:
    return frozenset(token[:size] for token in tokens for size in range(1, len(token)))
