"""Documents against what is generated, and the clauses, links and numbers in them."""

from __future__ import annotations

import json
import posixpath
import re
import tomllib
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any
from urllib.parse import unquote, urlsplit

from tools.contractdocs.findings import Finding, kind, meant, short
from tools.contractdocs.markdown import (
    CHANGELOG,
    CHANGELOG_PAGE,
    GENERATED_FOLDERS,
    Sentence,
    anchors,
    documents,
    is_generated,
    read,
)
from tools.contractdocs.project import Project
from tools.contractdocs.render import obsolete, problems, render
from tools.contractdocs.review import FILE as REVIEWED
from tools.contractdocs.review import pending, retellings, stored

# --- what is generated ------------------------------------------------------------------------------------

WHOLE = "docs/llms-full.txt"


@kind("FT30", "generated-stale")
def _stale(project: Project) -> Iterator[Finding]:
    for file, wanted in render(project).items():
        there = project.files.get(file)
        if there is None:
            yield Finding(file, 1, "it says nothing: there is no such file", "make docs")
        elif there != wanted:
            lines = enumerate(zip_longest(there.split("\n"), wanted.split("\n")), 1)
            line, (old, new) = next((number, pair) for number, pair in lines if pair[0] != pair[1])
            source, line = _source(project, new, old) if file == WHOLE else (file, line)
            holder = "it" if source == file else file
            what = f"{holder} says {_part(old, new)}; from the code it is {_part(new, old)}"
            yield Finding(source, line, what, "make docs, and read what changes")


def _source(project: Project, new: str | None, old: str | None) -> tuple[str, int]:
    """The document that a line of the file with all of them is from, or was from."""
    for wanted in filter(None, (new, old)):
        for file, text in project.files.items():
            if (
                file.endswith(".md")
                and not is_generated(file, text)
                and wanted in (lines := text.split("\n"))
            ):
                return file, lines.index(wanted) + 1
    return WHOLE, render(project)[WHOLE].split("\n").index(new or "") + 1


def _part(text: str | None, other: str | None) -> str:
    return "nothing more" if text is None else f'"{short(text, other, 60)}"'


@kind("FT3E", "left-behind")
def _left_behind(project: Project) -> Iterator[Finding]:
    remedy = "delete it; a page that people write stands elsewhere, and does not begin with <!-- Generated"
    written_as_generated = [
        name
        for name, text in project.files.items()
        if name.startswith("docs/") and name.endswith(".md") and name != CHANGELOG_PAGE
        if not name.startswith(GENERATED_FOLDERS) and is_generated(name, text)
    ]
    for file in [*obsolete(project), *written_as_generated]:
        yield Finding(file, 1, "it is a generated file that nothing generates any more", remedy)


@kind("FT31", "unknown-marker")
def _unfilled(project: Project) -> Iterator[Finding]:
    """Markers and entries of the navigation that lead nowhere, and pages that are in no navigation."""
    for problem in problems(project):
        place, _, what = problem.partition(" ")
        file, _, line = place.partition(":")
        yield Finding(file, int(line or 1), what, "mend it, or take it out")


@kind("FT37", "page-form")
def _form(project: Project) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for file, text in project.files.items():
        if not (file.startswith("docs/") and file.endswith(".md")):
            continue
        document = read(text)
        description = document.front.get("description", "")
        if not description:
            what = "it has no description"
            yield Finding(file, 1, what, "begin it with front matter: description: one sentence")
        elif seen.setdefault(description, file) != file:
            yield Finding(
                file, 2, f"its description is that of {seen[description]}", "say what this page is for"
            )
        tops = [heading for heading in document.headings if heading.level == 1]
        if len(tops) != 1 and "title" not in document.front:
            what = f"it has {len(tops)} headings of level 1"
            yield Finding(file, tops[1].line if tops else 1, what, "let it have one, which is its title")


# --- links ------------------------------------------------------------------------------------------------


@kind("FT3A", "dead-link")
def _dead_link(project: Project) -> Iterator[Finding]:
    """Links that hold in the repository and on its forge; what only the site can tell, mkdocs does."""
    for file, text in project.files.items():
        if file.endswith(".md"):
            for line, target in read(text).links:
                if said := _problem(project, file, target):
                    yield Finding(file, line, f"it links to {target}; {said[0]}", said[1])


def _problem(project: Project, file: str, target: str) -> tuple[str, str] | None:
    parts = urlsplit(target)
    path, fragment = unquote(parts.path), unquote(parts.fragment)
    if parts.scheme in ("http", "https", "mailto"):
        return None
    if parts.scheme or path.startswith("/"):
        return "it holds on this machine alone", "write an address, or a path relative to this file"
    to = posixpath.normpath(posixpath.join(posixpath.dirname(file), path)) if path else file
    on_site = file.startswith("docs/")
    if on_site and not to.startswith("docs/"):
        return f"{to} is not on the site", "link to a page in docs"
    if to not in project.files:
        if not on_site and any(name.startswith(f"{to}/") for name in project.files):
            return None
        return f"there is no {to}", meant(to, project.files, "mend it, or take it out")
    if not fragment or not to.endswith(".md"):
        return None
    known = anchors(project.files[to], site=to.startswith("docs/"))
    owner = fragment
    while owner in project.api.symbols and owner not in known:  # a member is shown with its class
        owner = owner.rpartition(".")[0]
    if owner in known:
        return None
    remedy = meant(f"#{fragment}", (f"#{anchor}" for anchor in known), "mend it")
    return f"{to} has no anchor {fragment}", remedy


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

_NUMBER = re.compile(
    r"""(?ix)
    (?<![\w.{/]) (?<![a-z]-) \d [\d,]* (?: \.\d+ )* (?![\w}])
    | \b (?: two | three | four | five | six | seven | eight | nine | ten | eleven | twelve
           | (?: thir | four | fif | six | seven | eigh | nine ) teen
           | (?: twen | thir | for | fif | six | seven | eigh | nine ) ty
           | hundreds? | thousands? | millions? | dozens? | twice | thrice ) \b
    """
)
"""Digits and number words, but not "one" and "once", nor the numbers in names like UTF-8 and HTTP/1.1."""


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
            row = allowed.pop((file, one.text), None)
            if row is None and (numbers := numbers_in(one)):
                says = ", ".join(f'"{number}"' for number in numbers)
                what = f'{says} is written by hand: "{short(one.text)}"'
                yield Finding(file, one.line, what, remedy)
            source = row.get("source") if row else None
            if source and source["text"] not in project.files.get(source["file"], ""):
                what = (
                    f'"{short(one.text)}" rests on {source["text"]!r}, which {source["file"]} no longer holds'
                )
                line = project.line_of(NUMBERS, json.dumps(one.text, ensure_ascii=False))
                yield Finding(NUMBERS, line, what, "check the sentence, and mend or delete the entry")
    for file, text in allowed:
        line = project.line_of(NUMBERS, json.dumps(text, ensure_ascii=False))
        yield Finding(NUMBERS, line, f'{file} no longer has the sentence "{short(text)}"', "delete the entry")
