"""What a splitter makes of a text, however it is cut."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from finalturn._core.markup import EVERY_TAG, HARMONY, Markup, MarkupSplitter, Part, Schemas
from finalturn._core.messages import ToolCall
from finalturn._core.model import ReasoningDelta, TextDelta
from finalturn._core.textcalls import markup_of

ANY = markup_of((*EVERY_TAG, HARMONY), "any")
TAUGHT = markup_of((*EVERY_TAG, HARMONY), "taught")
THOUGHTS = markup_of((*EVERY_TAG, HARMONY), "none")

SCHEMAS: Schemas = {
    "f": {
        "type": "object",
        "properties": {
            "q": {"type": "string"},
            "n": {"type": "integer"},
            "on": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
        },
    },
    "g": {"type": "object", "properties": {}},
}


class Split(NamedTuple):
    """The prose, the reasoning and the calls of a text, and all of them in order."""

    text: str
    reasoning: str
    calls: tuple[ToolCall, ...]
    order: tuple[str, ...]


def pieces_of(text: str, places: Iterable[int]) -> list[str]:
    """The text, cut at these places."""
    edges = [0, *sorted(min(place, len(text)) for place in places), len(text)]
    return [text[a:b] for a, b in itertools.pairwise(edges)]


def split(
    pieces: Iterable[str], markup: Markup = ANY, schemas: Schemas = SCHEMAS, *, inside: bool = False
) -> Split:
    """What comes out of a splitter that is fed these pieces."""
    splitter = MarkupSplitter(markup, schemas, inside=inside)
    parts: list[Part] = []
    for piece in pieces:
        parts += [TextDelta(piece)] if splitter.plain(piece) else splitter.feed(piece)
    return summed(parts + splitter.finish())


def summed(parts: Sequence[Part]) -> Split:
    """The parts, put together."""
    words = [part.text if not isinstance(part, ToolCall) else part.name for part in parts]
    kinds = [type(part) for part in parts]
    order = [
        f"{kind.__name__}: {''.join(word for _, word in group)}"
        for kind, group in itertools.groupby(zip(kinds, words, strict=True), lambda pair: pair[0])
    ]
    return Split(
        "".join(part.text for part in parts if isinstance(part, TextDelta)),
        "".join(part.text for part in parts if isinstance(part, ReasoningDelta)),
        tuple(part for part in parts if isinstance(part, ToolCall)),
        tuple(order),
    )


def split_everywhere(
    text: str, markup: Markup = ANY, schemas: Schemas = SCHEMAS, *, inside: bool = False
) -> Split:
    """What comes out of the text, which is the same whole, byte by byte and with every single cut."""
    whole = split([text], markup, schemas, inside=inside)
    assert split(text, markup, schemas, inside=inside) == whole
    for place in range(1, len(text)):
        assert split([text[:place], text[place:]], markup, schemas, inside=inside) == whole, place
    return whole
