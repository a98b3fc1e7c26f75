"""Kinds of drift between what is generated and what is committed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import zip_longest

from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._markdown import read
from tools.contractdocs._markdown_documents import CHANGELOG_PAGE, GENERATED_FOLDERS, is_generated
from tools.contractdocs._project import Project
from tools.contractdocs.render import render
from tools.contractdocs.render.blocks import BLOCKS
from tools.contractdocs.render.values import VALUES

MOST = 60
"""How much of a line a message shows."""


WHOLE = "docs/llms-full.txt"


def _stale(project: Project) -> Iterator[Place]:
    for file, wanted in render(project).items():
        found = project.files.get(file)
        if file == WHOLE and next(_not_in_whole(project), None):
            continue
        if found is None:
            yield at(file, 1, found="there is no such file", wanted=_short(wanted.partition("\n")[0], ""))
        elif found != wanted:
            lines = enumerate(zip_longest(found.split("\n"), wanted.split("\n")), 1)
            line, (old, new) = next((number, pair) for number, pair in lines if pair[0] != pair[1])
            yield at(file, line, found=_short(old, new), wanted=_short(new, old))


def _not_in_whole(project: Project) -> Iterator[Place]:
    """The first line that a document and the file with all of them do not share."""
    found, wanted = project.files.get(WHOLE, ""), render(project).get(WHOLE, "")
    if found == wanted:
        return
    before, after = found.split("\n"), wanted.split("\n")
    known = set(before)
    new = next((line for line in after if line not in known), None)
    for file in _in_whole(project):
        lines = project.files[file].split("\n")
        if new and new in lines:
            yield at(file, lines.index(new) + 1, said=f"does not say what stands here: {_short(new, '')}")
            return
    kept = set(after)
    gone = next((number for number, line in enumerate(before) if line not in kept), None)
    if gone is not None and new is None:
        file, line = _page_of(project, before, gone)
        yield at(file, line, said=f"says what no longer stands here: {_short(before[gone], '')}")


def _in_whole(project: Project) -> list[str]:
    """The hand-written documents that the file with all of them holds."""
    return [
        file
        for file, text in project.files.items()
        if file in ("AGENT.md", "README.md")
        or (file.startswith("docs/") and file.endswith(".md") and not is_generated(file, text))
    ]


def _page_of(project: Project, lines: list[str], number: int) -> tuple[str, int]:
    """The document that a line of the whole came from, and where in it the line before it stands."""
    heads = [line for line in lines[:number] if line.startswith("Page: ")]
    name = heads[-1].removeprefix("Page: ") if heads else "AGENT.md"
    file = name if name in ("AGENT.md", "README.md") else f"docs/{name}"
    there = project.files.get(file, "").split("\n")
    above = next((line for line in reversed(lines[:number]) if line.strip() and line in there), "")
    return file, there.index(above) + 1 if above in there else 1


def _short(text: str | None, other: str | None) -> str:
    """The part of a line around its first difference from another."""
    if text is None:
        return "the end of the file"
    pairs = enumerate(zip_longest(text, other or ""))
    same = next((at for at, (one, two) in pairs if one != two), 0)
    start = 0 if len(text) <= MOST or same < MOST // 2 else same - MOST // 3
    part = text[start : start + MOST]
    return f'"{"…" if start else ""}{part}{"…" if start + MOST < len(text) else ""}"'


def _left_behind(project: Project) -> Iterator[Place]:
    rendered = render(project)
    for file, text in project.files.items():
        if file == CHANGELOG_PAGE or file.startswith(GENERATED_FOLDERS):
            left = file not in rendered
        else:
            left = file.startswith("docs/") and file.endswith(".md") and is_generated(file, text)
        if left:
            yield at(file, 1)


_YAML = re.compile(r"^ *# generated: (?P<name>.*)$", re.MULTILINE)
_COMMENT_LIKE = re.compile(r"<!--\s*(generated|value|end|covers|not-a-promise)\b(?!\s*:|\s*-->)[^>]*-->")


def _unknown_marker(project: Project) -> Iterator[Place]:
    site = project.files.get("mkdocs.yml", "")
    for match in _YAML.finditer(site):
        line = site.count("\n", 0, match.start()) + 1
        closed = re.match(r"(?:(?! *# generated: ).*\n)*? *# end$", site[match.end() + 1 :], re.MULTILINE)
        if match["name"] not in BLOCKS:
            yield at("mkdocs.yml", line, **_unknown("block", match["name"], BLOCKS))
        elif closed is None:
            said = f'the block "{match["name"]}" is not closed'
            yield at("mkdocs.yml", line, said=said, do="put # end below it")
    for file, text in project.files.items():
        if not file.endswith(".md") or is_generated(file, text):
            continue
        for marker in read(text).markers:
            known = BLOCKS if marker.what == "generated" else VALUES
            kind = "block" if marker.what == "generated" else "value"
            if marker.what == "end":
                yield at(file, marker.line, said="<!-- end --> closes nothing", do="delete it")
            elif marker.text not in known:
                yield at(file, marker.line, **_unknown(kind, marker.text, known))
            elif not marker.closed:
                yield at(
                    file,
                    marker.line,
                    said=f'the {kind} "{marker.text}" is not closed',
                    do="put <!-- end --> behind it",
                )
        for match in _COMMENT_LIKE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield at(file, line, said=f"{match[0]} is not understood", do="write <!-- word: NAME -->")


def _unknown(kind: str, name: str, known: Mapping[str, object]) -> dict[str, object]:
    close = get_close_matches(name, known, 1, 0)
    return {"said": f'there is no {kind} "{name}"', "do": f'did you mean "{close[0]}"?'}


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT30",
        name="generated-stale",
        what="it says {found}; from the code it is {wanted}",
        remedy="make docs, and read what changes",
        why=(
            "Whatever is generated is committed, so that people and assistants read it without building it."
            " A copy that no longer follows from the code tells them what was true once."
        ),
        find=_stale,
    ),
    Kind(
        code="FT38",
        name="llms-stale",
        what=f"{WHOLE} {{said}}",
        remedy="make docs, and read what changes",
        why=(
            "Assistants read all documents in one file. A sentence that was changed in its page alone leaves"
            " them with the old one."
        ),
        find=_not_in_whole,
    ),
    Kind(
        code="FT31",
        name="unknown-marker",
        what="{said}",
        remedy="{do}",
        why=(
            "A document holds generated blocks and values between markers. A marker that is misspelt or not"
            " closed is filled by nothing: what stands there grows old in silence."
        ),
        find=_unknown_marker,
    ),
    Kind(
        code="FT3E",
        name="left-behind",
        what="it is a generated file that nothing generates any more",
        remedy="delete it; a page that people write stands elsewhere, and does not begin with <!-- Generated",
        why="The page of a clause that is gone is still found by search, and still promises.",
        find=_left_behind,
    ),
)
