"""What a Markdown document holds: fences, comments, code spans, links, headings and prose.

It reads the Markdown that the documents here are written in, line by line. Every part knows its line, and a
masked text has the length of the whole, so that an offset means the same in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

SPAN, ALLOWANCE = "\x02", "\x01"
"""What stands in the masked text for code spans, and for ``not-a-promise`` comments."""

_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}|~{3,})(?P<info>[^\n`]*)$")
_COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(
    r"(?<!\\)(?P<image>!?)\[(?P<text>[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*)\](?P<to>\((?P<target>[^()\s]*)[^()]*\))"
)
_DEFINITION = re.compile(r"^ {0,3}\[(?P<name>[^\]\n]+)\]: *(?P<target>\S+).*$", re.MULTILINE)
_REFERENCE = re.compile(r"(?<!\\)\[(?P<text>[^\[\]]+)\](?P<to>\[(?P<name>[^\[\]]*)\])")
_AUTOLINK = re.compile(r"<(?P<target>https?://[^<>\s]+)>")
_BARE_URL = re.compile(r"\bhttps?://[^\s<>()]+")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_HEADING = re.compile(
    r"^(?P<marks>#{1,6}) +(?P<text>.*?) *#*(?P<attributes> *\{[^{}\n]*\})? *$", re.MULTILINE
)
_BLANK = re.compile(r"[^\n]")


@dataclass(frozen=True)
class Part:
    """A piece of a document: its offset, its line, and what it says."""

    start: int
    end: int
    line: int
    text: str


@dataclass(frozen=True)
class Fence(Part):
    """A fenced block; its text is what stands between the fences."""

    language: str
    info: str


@dataclass(frozen=True)
class Link(Part):
    """A link or an image; its text is where it leads."""

    image: bool


@dataclass(frozen=True)
class Heading(Part):
    """A heading; its text is without the marks and attributes."""

    level: int
    anchor: str


@dataclass(frozen=True)
class Marker(Part):
    """A generated block or value; its text is its name."""

    what: str
    closed: bool


@dataclass(frozen=True)
class Document:
    """A document that has been read.

    Attributes:
        text: the whole of it.
        masked: the same length; everything that is not hand-written prose is blank, code spans and
            ``not-a-promise`` comments are filled with their own character.
        front: its front matter, by key.
        fences: outside generated blocks.
        comments: all of them, but for the ends of blocks.
        markers: generated blocks and values, and ends that close nothing (named "").
        spans: code spans in hand-written prose.
        links: outside generated blocks.
        headings: outside generated blocks.
    """

    text: str
    masked: str
    front: Mapping[str, Part] = field(default_factory=dict[str, Part])
    fences: tuple[Fence, ...] = ()
    comments: tuple[Part, ...] = ()
    markers: tuple[Marker, ...] = ()
    spans: tuple[Part, ...] = ()
    links: tuple[Link, ...] = ()
    headings: tuple[Heading, ...] = ()

    def line_at(self, offset: int) -> int:
        """The 1-based line of an offset."""
        return self.text.count("\n", 0, offset) + 1


@lru_cache(maxsize=512)
def read(text: str) -> Document:
    """Read a document."""
    reader = _Reader(text)
    front = dict(reader.front())
    fences = list(reader.fences())
    comments, markers = reader.comments()
    fences = [fence for fence in fences if not reader.generated(fence.start)]
    spans = tuple(reader.spans())
    headings = tuple(reader.headings())
    links = tuple(reader.links())
    return Document(text, reader.masked, front, tuple(fences), comments, markers, spans, links, headings)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = self.masked = text
        self._generated: list[tuple[int, int]] = []

    def line(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def generated(self, offset: int) -> bool:
        return any(start <= offset < end for start, end in self._generated)

    def mask(self, start: int, end: int, character: str = " ") -> None:
        self.masked = self.masked[:start] + _BLANK.sub(character, self.masked[start:end]) + self.masked[end:]

    def front(self) -> Iterator[tuple[str, Part]]:
        end = self.text.find("\n---\n", 3)
        if not self.text.startswith("---\n") or end < 0:
            return
        for match in re.finditer(r"^(\w+): *(.*)$", self.text[:end], re.MULTILINE):
            value = match[2].strip().strip("\"'")
            yield match[1], Part(match.start(2), match.end(2), self.line(match.start()), value)
        self.mask(0, end + 4)

    def fences(self) -> Iterator[Fence]:
        offset, opened = 0, None
        for line in self.masked.splitlines(keepends=True):
            match = _FENCE.match(line.rstrip("\n"))
            if opened is None and match:
                opened = (offset, offset + len(line), match)
            elif (
                opened
                and match
                and not match["info"].strip()
                and match["ticks"].startswith(opened[2]["ticks"])
            ):
                yield self._fence(*opened, offset, offset + len(line))
                opened = None
            offset += len(line)
        if opened:
            yield self._fence(*opened, offset, offset)

    def _fence(self, start: int, body: int, opening: re.Match[str], close: int, end: int) -> Fence:
        info = opening["info"].strip()
        self.mask(start, end)
        language = re.split(r"[\s{]", info, maxsplit=1)[0].lower()
        return Fence(start, end, self.line(start), self.text[body:close], language, info)

    def comments(self) -> tuple[tuple[Part, ...], tuple[Marker, ...]]:
        comments: list[Part] = []
        markers: list[Marker] = []
        opened: tuple[re.Match[str], str, str] | None = None
        for match in list(_COMMENT.finditer(self._without_spans())):
            words = " ".join(match[1].split())
            what, _, name = words.partition(":")
            if what in ("generated", "value"):
                if opened:
                    markers.append(self._marker(*opened, closed=False))
                opened = (match, what, name.strip())
            elif words == "end":
                if opened:
                    markers.append(self._marker(*opened, closed=True))
                    self._generated.append((opened[0].start(), match.end()))
                    opened = None
                else:
                    markers.append(
                        Marker(match.start(), match.end(), self.line(match.start()), "", "end", False)
                    )
            else:
                comments.append(Part(match.start(), match.end(), self.line(match.start()), words))
                self.mask(match.start(), match.end(), ALLOWANCE if what == "not-a-promise" else " ")
        if opened:
            markers.append(self._marker(*opened, closed=False))
        for start, end in self._generated:
            self.mask(start, end)
        return tuple(part for part in comments if not self.generated(part.start)), tuple(markers)

    def _without_spans(self) -> str:
        """The masked text, without comments that are shown as code."""
        return _SPAN.sub(
            lambda span: re.sub(r"[^\n]", " ", span[0]) if "<!--" in span[0] else span[0], self.masked
        )

    def _marker(self, match: re.Match[str], what: str, name: str, *, closed: bool) -> Marker:
        return Marker(match.start(), match.end(), self.line(match.start()), name, what, closed)

    def spans(self) -> Iterator[Part]:
        for match in list(_SPAN.finditer(self.masked)):
            if "\n\n" in match[0]:
                continue
            said = " ".join(match[2].split())
            yield Part(match.start(), match.end(), self.line(match.start()), said)
            self.mask(match.start(), match.end(), SPAN)

    def headings(self) -> Iterator[Heading]:
        for match in list(_HEADING.finditer(self.masked)):
            text = self.text[match.start("text") : match.end("text")]
            attributes = match["attributes"] or ""
            anchor = re.search(r"#([\w.-]+)", attributes)
            yield Heading(
                match.start(),
                match.end(),
                self.line(match.start()),
                text,
                len(match["marks"]),
                anchor[1] if anchor else "",
            )
            if attributes:
                self.mask(*match.span("attributes"))

    def links(self) -> Iterator[Link]:
        definitions = {match["name"].lower(): match for match in _DEFINITION.finditer(self.masked)}
        for match in definitions.values():
            self.mask(*match.span())
        for match in list(_LINK.finditer(self.masked)):
            yield self._link(match, match["target"], bool(match["image"]))
            self.mask(*match.span("to"))
        for match in list(_REFERENCE.finditer(self.masked)):
            name = (match["name"] or match["text"]).lower()
            target = definitions[name]["target"] if name in definitions else f"[{name}]"
            yield self._link(match, target, image=False)
            self.mask(*match.span("to"))
        for match in list(_AUTOLINK.finditer(self.masked)):
            yield self._link(match, match["target"], image=False)
            self.mask(*match.span())
        for pattern in (_BARE_URL, _TAG):
            for match in list(pattern.finditer(self.masked)):
                self.mask(*match.span())

    def _link(self, match: re.Match[str], target: str, image: bool) -> Link:
        return Link(match.start(), match.end(), self.line(match.start()), target, image)
