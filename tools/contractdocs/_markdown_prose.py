"""The sentences of a document, as a person reads them: without code, comments, marks and line breaks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tools.contractdocs._markdown import ALLOWANCE, Document, Link, Part

_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+")
_QUOTE = re.compile(r"^[ \t]*(?:> ?)+")
_ADMONITION = re.compile(r"^[ \t]*(?:!!!|\?\?\?\+?|===)[ \t]*[\w -]*(?=\"|$)")
_RULE = re.compile(r"^[ \t|:*_-]*$")
_END = re.compile(r"[.!?][\"')*_\]”]*(?:\s*\x01+)?(?=\s+[\"'(*_\[“]*(?:[A-Z0-9\x02]|finalturn\b))")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|vs|cf|etc|approx|no)\.$", re.IGNORECASE)
_VALUE = re.compile(r"<!-- *value: *([\w-]+) *-->.*?<!-- *end *-->", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(frozen=True)
class Sentence:
    """A sentence, a heading, or a row of a table.

    Attributes:
        line: where it starts.
        text: as written, on one line, without comments; a generated value is its name in braces.
        plain: what is left of it without code spans, link targets and values.
        spans: its code spans.
        links: its links.
        allowance: its ``not-a-promise`` comment: "" without one.
        allowance_line: where that stands.
    """

    line: int
    text: str
    plain: str
    spans: tuple[Part, ...] = ()
    links: tuple[Link, ...] = ()
    allowance: str = ""
    allowance_line: int = 0


def sentences(document: Document) -> Iterator[Sentence]:
    """Every sentence, in order; the description of a page's front matter is the first."""
    if "description" in document.front:
        part = document.front["description"]
        yield Sentence(part.line, part.text, part.text)
    for start, end in _blocks(document.masked):
        for first, last in _split(document.masked, start, end):
            yield _sentence(document, first, last)


def _blocks(masked: str) -> Iterator[tuple[int, int]]:
    """Where each paragraph, list item, heading and table row starts and ends."""
    offset, start, end = 0, -1, -1
    for line in masked.splitlines(keepends=True):
        lead = 0
        alone = False
        for pattern in (_QUOTE, _ITEM, _ADMONITION):
            if match := pattern.match(line, 0):
                lead = max(lead, match.end())
                alone = alone or pattern is not _QUOTE
        bare = line[lead:].strip()
        single = bare.startswith(("|", "#")) or _ADMONITION.match(line) is not None
        if not bare or alone or single or _RULE.match(bare):
            if start >= 0:
                yield start, end
            start = -1
        if bare and not _RULE.match(bare):
            if single:
                yield offset + lead, offset + len(line)
            else:
                start = offset + lead if start < 0 else start
                end = offset + len(line)
        offset += len(line)
    if start >= 0:
        yield start, end


def _split(masked: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    first = start
    if not masked[start:end].lstrip().startswith(("|", "#")):
        for match in _END.finditer(masked, start, end):
            if not _ABBREVIATION.search(masked, first, match.start() + 1):
                yield first, match.end()
                first = match.end()
    if masked[first:end].strip(f" \n{ALLOWANCE}"):
        yield first, end


def _sentence(document: Document, start: int, end: int) -> Sentence:
    masked = document.masked[start:end]
    start += len(masked) - len(masked.lstrip())
    allowance = next(
        (part for part in document.comments if start <= part.start < end and _allows(part)), None
    )
    return Sentence(
        document.line_at(start),
        _normal(_COMMENT.sub(" ", _VALUE.sub(r"{\1}", document.text[start:end]))),
        _normal(masked.replace(ALLOWANCE, " ")),
        tuple(span for span in document.spans if start <= span.start < end),
        tuple(link for link in document.links if start <= link.start < end),
        allowance.text.partition(":")[2].strip() if allowance else "",
        allowance.line if allowance else 0,
    )


def _allows(comment: Part) -> bool:
    return comment.text.startswith("not-a-promise")


def _normal(text: str) -> str:
    """On one line, without the marks of headings, lists and quotes."""
    words = re.sub(r"^\s*(?:[#>|]+\s*)+", "", text)
    return " ".join(re.sub(r"\s*\|\s*$", "", words).split())
