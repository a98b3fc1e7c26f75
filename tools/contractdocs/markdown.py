"""What a hand-written Markdown document holds: fences, code spans, links, headings, comments and sentences.

markdown-it reads it. What stands in generated blocks is left out, and a generated value is its name in
braces; lines are those of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tools.contractdocs.project import Project

GENERATED_FOLDERS = ("docs/contract/", "docs/reference/")
"""Every file in them is generated."""
CHANGELOG = "CHANGELOG.md"
CHANGELOG_PAGE = "docs/changelog.md"
"""A copy of the changelog, for the site."""
FOR_CONTRIBUTORS = (
    "ARCHITECTURE.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    ".github/",
    "docs/drift.md",
)
"""Documents on finalturn's inside, which write private names and promise nothing to users."""

MARKED = re.compile(
    r"(?P<open><!-- (?P<what>generated|value): (?P<name>[a-z0-9-]+) -->)"
    r"(?:(?!<!-- (?:generated|value): ).)*?"
    r"(?P<close><!-- end -->)",
    re.DOTALL,
)
"""A generated block or value with its markers."""
_CODE = re.compile(r"^ *(?P<ticks>`{3,}).*?^ *(?P=ticks) *$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_FRONT = re.compile(r"\A---\n(?P<front>.*?)^---\n", re.DOTALL | re.MULTILINE)
_NOTE = re.compile(r"(?:---\n.*?\n---\n+)?<!-- *Generated\b", re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[\"'(\[`]*[A-Z0-9`])")
_PARSER = MarkdownIt("commonmark").enable("table").disable("code")  # indented text is that of an admonition


class Part(NamedTuple):
    """A piece of a document: its 1-based line, and what it says."""

    line: int
    text: str


class Fence(NamedTuple):
    """A fenced block: the line of its opening, its language, and what stands between the fences."""

    line: int
    language: str
    text: str


@dataclass
class Sentence:
    """A sentence, a heading, or a row of a table.

    Attributes:
        line: where it starts.
        text: on one line, without marks and comments, and with the text of links alone; code keeps its ticks.
        links: where its links lead.
    """

    line: int
    text: str
    links: list[str] = field(default_factory=list[str])


@dataclass
class Document:
    """A document that has been read, without what is generated in it. It is shared: do not change it."""

    front: dict[str, str]
    fences: list[Fence] = field(default_factory=list[Fence])
    headings: list[str] = field(default_factory=list[str])
    links: list[Part] = field(default_factory=list[Part])
    spans: list[Part] = field(default_factory=list[Part])
    comments: list[Part] = field(default_factory=list[Part])
    sentences: list[Sentence] = field(default_factory=list[Sentence])


def without_code(text: str) -> str:
    """A text of the same length without what is shown as code: no marker stands there."""

    def blank(code: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", code[0]) if code["ticks"] or "<!--" in code[0] else code[0]

    return _CODE.sub(blank, text)


def without_generated(text: str) -> str:
    """A text of as many lines without its generated blocks; a value is its name in braces."""
    parts, at = [], 0
    for match in MARKED.finditer(without_code(text)):
        lines = "\n" * match[0].count("\n")
        parts += [text[at : match.start()], lines if match["what"] == "generated" else f"{{{match['name']}}}"]
        at = match.end()
    return "".join([*parts, text[at:]])


@lru_cache(maxsize=512)
def read(text: str) -> Document:
    """Read a document."""
    front, body = front_matter(text)
    above = text[: len(text) - len(body)].count("\n")
    found = Document(front)
    if "description" in front:
        found.sentences.append(Sentence(1, front["description"]))
    in_heading, row = False, 0
    for token in _PARSER.parse("\n" * above + without_generated(body)):
        line = token.map[0] + 1 if token.map else 1
        if token.type == "fence":
            language = re.split(r"[\s{]", token.info.strip(), maxsplit=1)[0].lower()
            found.fences.append(Fence(line, language, token.content))
        elif token.type == "html_block":
            found.comments += _comments(token.content, line)
        elif token.type == "tr_open":
            row = len(found.sentences)
        elif token.type == "tr_close" and (cells := found.sentences[row:]):
            text = " | ".join(cell.text for cell in cells)
            links = [link for cell in cells for link in cell.links]
            found.sentences[row:] = [Sentence(cells[0].line, text, links)]
        elif token.type == "inline":
            found.sentences += _sentences(token, line, found)
            found.headings += [token.content] if in_heading else []
        in_heading = token.type == "heading_open"
    return found


def front_matter(text: str) -> tuple[dict[str, str], str]:
    """A page's front matter, and what follows it."""
    match = _FRONT.match(text)
    if match is None:
        return {}, text
    pairs = (line.partition(":") for line in match["front"].splitlines() if ":" in line)
    return {name.strip(): value.strip().strip("\"'") for name, _, value in pairs}, text[match.end() :]


def _comments(text: str, line: int) -> Iterator[Part]:
    for match in re.finditer(r"<!--(.*?)-->", text, re.DOTALL):
        yield Part(line + text.count("\n", 0, match.start()), " ".join(match[1].split()))


def _sentences(token: Token, line: int, found: Document) -> Iterator[Sentence]:
    """The sentences of a block of text; its links, spans and comments are added to what was found."""
    text = ""
    starts = [(0, line)]
    targets: list[tuple[int, str]] = []
    for child in token.children or ():
        if child.type in ("softbreak", "hardbreak"):
            line += 1
            text += " "
            starts.append((len(text), line))
        elif child.type == "code_inline":
            found.spans.append(Part(line, child.content))
            text += f"`{child.content}`"
        elif child.type == "html_inline":
            found.comments += _comments(child.content, line)
        elif child.type in ("link_open", "image"):
            target = str(child.attrGet("href") or child.attrGet("src") or "")
            found.links.append(Part(line, target))
            targets.append((len(text), target))
            text += child.content if child.type == "image" else ""
        else:
            text += child.content
    start = 0
    for end in [*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]:
        if words := " ".join(text[start:end].split()):
            at = max(number for offset, number in starts if offset <= start)
            yield Sentence(at, words, [target for offset, target in targets if start <= offset < end])
        start = end


def is_generated(file: str, text: str) -> bool:
    """Whether nobody writes the file by hand; a file with generated blocks is written by hand."""
    return file.startswith(GENERATED_FOLDERS) or file == CHANGELOG_PAGE or bool(_NOTE.match(text))


def written(project: Project) -> Iterator[tuple[str, Document]]:
    """Every Markdown document that people write, by its path. Of the changelog, what is not released yet."""
    for file, text in project.files.items():
        if file.endswith(".md") and not is_generated(file, text):
            if file == CHANGELOG:
                text = "\n## [".join(text.split("\n## [")[:2])
            yield file, read(text)


def documents(project: Project) -> Iterator[tuple[str, Document]]:
    """Those of them that are for users of finalturn."""
    return ((file, one) for file, one in written(project) if not file.startswith(FOR_CONTRIBUTORS))


def anchors(text: str) -> set[str]:
    """Where links may lead to within a file, as a code forge shows it."""
    # Headings of generated blocks are anchors too.
    headings = read(re.sub(r"<!-- *(?:generated|value)\b.*?-->|<!-- *end *-->", "", text)).headings
    return {re.sub(r"[^\w\s-]", "", title).strip().lower().replace(" ", "-") for title in headings}
