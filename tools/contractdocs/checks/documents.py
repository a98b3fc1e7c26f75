"""Documents against what is generated, and the clauses, links and numbers in them."""

from __future__ import annotations

import json
import posixpath
import re
import tomllib
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from tools.contractdocs.findings import Finding, kind, meant, short
from tools.contractdocs.markdown import (
    CHANGELOG,
    Sentence,
    anchors,
    documents,
    read,
)
from tools.contractdocs.project import Project
from tools.contractdocs.render import obsolete, render
from tools.contractdocs.render.blocks import unknown_markers
from tools.contractdocs.review import FILE as REVIEWED
from tools.contractdocs.review import pending, retellings, stored

# --- what is generated ------------------------------------------------------------------------------------


@kind("FT30", "generated-stale")
def _stale(project: Project) -> Iterator[Finding]:
    for file, wanted in render(project).items():
        there = project.files.get(file)
        if there is None:
            yield Finding(file, 1, "it says nothing: there is no such file", "make docs")
        elif there != wanted:
            lines = enumerate(zip_longest(there.split("\n"), wanted.split("\n")), 1)
            line, (old, new) = next((number, pair) for number, pair in lines if pair[0] != pair[1])
            what = f"it says {_part(old, new)}; from the code it is {_part(new, old)}"
            yield Finding(file, line, what, "make docs, and read what changes")
    for file in obsolete(project):
        remedy = "make docs; a page that people write stands in another folder"
        yield Finding(file, 1, "it is a generated file that nothing generates any more", remedy)


def _part(text: str | None, other: str | None) -> str:
    return "nothing more" if text is None else f'"{short(text, other, 60)}"'


@kind("FT31", "unknown-marker")
def _unfilled(project: Project) -> Iterator[Finding]:
    for file, line, marker in unknown_markers(project):
        yield Finding(file, line, f"{marker} is a marker that nothing fills", "mend it, or take it out")


@kind("FT37", "page-form")
def _form(project: Project) -> Iterator[Finding]:
    for file, text in project.files.items():
        if file.startswith("docs/") and file.endswith(".md") and not read(text).front.get("description"):
            remedy = "begin it with front matter: description: one sentence"
            yield Finding(file, 1, "it has no description", remedy)


# --- links ------------------------------------------------------------------------------------------------


@kind("FT3A", "dead-link")
def _dead_link(project: Project) -> Iterator[Finding]:
    """Links of documents that are not on the site; within the site, mkdocs looks at them."""
    for file, text in project.files.items():
        for line, target in read(text).links if file.endswith(".md") and file[:5] != "docs/" else ():
            path, _, fragment = target.partition("#")
            to = posixpath.normpath(posixpath.join(posixpath.dirname(file), path)) if path else file
            if re.match(r"https?:|mailto:", target):
                continue
            if not any(name == to or name.startswith(f"{to}/") for name in project.files):
                what, remedy = f"there is no {to}", meant(to, project.files, "mend it, or take it out")
                yield Finding(file, line, f"it links to {target}; {what}", remedy)
            elif fragment and to.endswith(".md") and fragment not in (known := anchors(project.files[to])):
                what, remedy = f"{to} has no anchor {fragment}", meant(fragment, known, "mend it")
                yield Finding(file, line, f"it links to {target}; {what}", remedy)


# --- sentences that retell clauses ------------------------------------------------------------------------


@kind("FT3C", "unreviewed-promise")
def _unreviewed(project: Project) -> Iterator[Finding]:
    remedy = "read the sentence beside the clause; then python -m tools.contractdocs review"
    waiting = list(pending(project))
    for one, what in waiting:
        yield Finding(one.file, one.line, what, f"{remedy} {one.file}:{one.line}")
    there, changed = retellings(project), {one.file for one, _ in waiting}
    for file, text in stored(project):
        if (file, text) not in there and file not in changed:
            what = f'{file} no longer has the sentence "{short(text)}", or it speaks of no clause now'
            line = project.line_of(REVIEWED, json.dumps(text, ensure_ascii=False))
            yield Finding(REVIEWED, line, what, f"python -m tools.contractdocs review {file}")


# --- numbers ----------------------------------------------------------------------------------------------

NUMBERS = "tools/contractdocs/numbers.toml"

_NUMBER = re.compile(r"(?<![\w.{/])(?<![A-Za-z]-)\d[\d,]*(?:\.\d+)*(?![\w}])")
"""Digits, but not in names like UTF-8 and HTTP/1.1."""


def numbers_in(sentence: Sentence) -> list[str]:
    """The numbers of a sentence, as written; those in code and in addresses are no prose."""
    prose = re.sub(r"`[^`]*`|https?://\S+", "`", sentence.text)
    return [match[0].rstrip(".,") for match in _NUMBER.finditer(prose)]


@kind("FT3B", "counted-prose")
def _counted(project: Project) -> Iterator[Finding]:
    rows: list[dict[str, Any]] = tomllib.loads(project.files.get(NUMBERS, "")).get("number", [])
    allowed = {(row["file"], row["sentence"]): row for row in rows}
    remedy = (
        "show it with <!-- value: NAME --><!-- end -->, leave it out, or list the sentence with a reason in"
        f" {NUMBERS}"
    )
    for file, document in documents(project):
        for one in document.sentences if file != CHANGELOG else ():
            row = allowed.pop((file, one.text), {})
            if not row and (numbers := numbers_in(one)):
                what = f'{", ".join(numbers)} is written by hand: "{short(one.text)}"'
                yield Finding(file, one.line, what, remedy)
            source = row.get("source", {"file": file, "text": ""})
            if source["text"] not in project.files.get(source["file"], ""):
                what = (
                    f'{source["file"]} no longer holds {source["text"]!r}, on which "{short(one.text)}" rests'
                )
                yield Finding(NUMBERS, 1, what, "check the sentence, and mend or delete its entry")
    for file, text in allowed:
        what = f'{file} no longer has the sentence "{short(text)}"'
        yield Finding(NUMBERS, 1, what, "delete its entry")
