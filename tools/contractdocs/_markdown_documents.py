"""Which documents people write, and which are generated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from tools.contractdocs._markdown import Document, read
from tools.contractdocs._markdown_prose import Sentence, sentences
from tools.contractdocs._project import Project

GENERATED_FOLDERS = ("docs/contract/", "docs/reference/", "docs/drift/")
"""Every file in them is generated."""

CHANGELOG_PAGE = "docs/changelog.md"
"""A copy of the changelog, for the site."""

FOR_CONTRIBUTORS = ("ARCHITECTURE.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md", ".github/")
"""Documents, and folders of them, on finalturn's inside and on how it is made.

They write private names, and promise nothing to users: what is checked is their links and commands, and, in
tests/test_documents.py, the files that they name.
"""

_NOTE = re.compile(r"(?:---\n.*?\n---\n+)?<!-- *Generated\b", re.DOTALL)


def is_generated(file: str, text: str) -> bool:
    """Whether nobody writes the file by hand; a file with generated blocks is written by hand."""
    return file.startswith(GENERATED_FOLDERS) or file == CHANGELOG_PAGE or bool(_NOTE.match(text))


def written_documents(project: Project) -> Iterator[tuple[str, Document]]:
    """Every Markdown document that people write, by its path."""
    for file, text in project.files.items():
        if file.endswith(".md") and not is_generated(file, text):
            yield file, read(text)


def documents(project: Project) -> Iterator[tuple[str, Document]]:
    """Those of them that are for users of finalturn."""
    for file, document in written_documents(project):
        if not file.startswith(FOR_CONTRIBUTORS):
            yield file, document


def pages(project: Project) -> Iterator[tuple[str, Document]]:
    """Every page of the site, written and generated."""
    for file, text in project.files.items():
        if file.startswith("docs/") and file.endswith(".md"):
            yield file, read(text)


@cache
def _sentences(text: str) -> tuple[Sentence, ...]:
    return tuple(sentences(read(text)))


def prose(project: Project) -> Iterator[tuple[str, Sentence]]:
    """Every sentence that people wrote of finalturn as it is: not what was said of past releases."""
    for file, document in documents(project):
        end = _first_release(document) if file == "CHANGELOG.md" else None
        for sentence in _sentences(document.text):
            if end is None or sentence.line < end:
                yield file, sentence


def _first_release(document: Document) -> int:
    lines = [
        heading.line
        for heading in document.headings
        if heading.level == 2 and not heading.text.lower().startswith("[unreleased]")
    ]
    return min(lines, default=document.text.count("\n") + 2)
