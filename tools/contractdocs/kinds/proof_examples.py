"""Each example in the documents runs, and prints what the page says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._markdown import read
from tools.contractdocs._project import Project

SKIP = 'let it run, or write test="skip: why it cannot" behind the language'

_IMPORTS = re.compile(r"^ *(?:from|import) finalturn\b", re.MULTILINE)


def _broken(project: Project) -> Iterator[Place]:
    for one in project.evidence.examples:
        if one.outcome == "failed":
            yield at(one.file, one.line, detail=one.detail)


def _not_run(project: Project) -> Iterator[Place]:
    examples = project.evidence.examples
    for one in examples:
        if one.outcome == "skipped" and not one.detail:
            yield at(one.file, one.line, said="is not run, and does not say why", do=SKIP)
    run = {(one.file, one.line) for one in examples}
    for file, text in project.files.items():
        if not run or not _is_document(file):
            continue
        for fence in read(text).fences:
            python = fence.language.lower().startswith("py") or _IMPORTS.search(fence.text)
            if python and (file, fence.line) not in run:
                said = f"is Python in a {fence.language or 'nameless'} fence, which nothing runs"
                yield at(file, fence.line, said=said, do="begin it with ```python")


def _is_document(file: str) -> bool:
    return file in ("README.md", "AGENT.md") or (file.startswith("docs/") and file.endswith(".md"))


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT18",
        name="example-broken",
        what="the example {detail}",
        remedy="find out which of the two is right, and change the other",
        why="An example is copied before anything else is read, mistakes included.",
        find=_broken,
    ),
    Kind(
        code="FT19",
        name="example-not-run",
        what="the example {said}",
        remedy="{do}",
        why="An example that is not run goes on showing what used to be.",
        find=_not_run,
    ),
)
