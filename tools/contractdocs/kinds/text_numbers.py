"""Kinds of drift between numbers in prose and what they count."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._markdown_changelog import FILE as CHANGELOG
from tools.contractdocs._markdown_documents import prose
from tools.contractdocs._markdown_prose import Sentence
from tools.contractdocs._project import Project
from tools.contractdocs._review import short

FILE = "tools/contractdocs/numbers.toml"

NUMBER = re.compile(
    r"""(?ix)
    (?<![\w.]) (?<![a-z]-) \d [\d,]* (?: \.\d+ )*
    | \b (?: two | three | four | five | six | seven | eight | nine | ten | eleven | twelve
           | (?: thir | four | fif | six | seven | eigh | nine ) teen
           | (?: twen | thir | for | fif | six | seven | eigh | nine ) ty
           | hundreds? | thousands? | millions? | dozens? | twice | thrice ) \b
    """
)
"""Digits and number words, but not "one" and "once", nor the numbers in names like UTF-8."""


def numbers_in(plain: str) -> list[str]:
    """The numbers of a sentence, as written."""
    return [match[0].rstrip(".,") for match in NUMBER.finditer(plain)]


def _counted(project: Project) -> Iterator[Place]:
    allowed = {(row["file"], row["sentence"]) for row in rows(project)}
    for file, sentence in _growing_old(project):
        found = numbers_in(sentence.plain)
        if found and (file, sentence.text) not in allowed:
            says = ", ".join(f'"{number}"' for number in found)
            yield at(file, sentence.line, says=says, sentence=short(sentence.text))


def _stale(project: Project) -> Iterator[Place]:
    written = {(file, sentence.text): numbers_in(sentence.plain) for file, sentence in _growing_old(project)}
    for row in rows(project):
        file, sentence = row["file"], row["sentence"]
        line = project.line_of(FILE, json.dumps(sentence, ensure_ascii=False))
        source = row.get("source")
        if not row.get("reason"):
            yield at(FILE, line, said=f'there is no reason for "{short(sentence)}"')
        elif not written.get((file, sentence)):
            yield at(FILE, line, said=f'{file} has no such sentence with a number: "{short(sentence)}"')
        elif source and source["text"] not in project.files.get(source["file"], ""):
            said = f'"{short(sentence)}" rests on {source["text"]!r}, which {source["file"]} no longer holds'
            yield at(FILE, line, said=said)


def _growing_old(project: Project) -> Iterator[tuple[str, Sentence]]:
    """What is written of finalturn as it is. The changelog is not: what changed does not change again."""
    return ((file, sentence) for file, sentence in prose(project) if file != CHANGELOG)


def rows(project: Project) -> list[dict[str, Any]]:
    """The sentences whose numbers are allowed."""
    found: list[dict[str, Any]] = tomllib.loads(project.files.get(FILE, "")).get("number", [])
    return found


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT3B",
        name="counted-prose",
        what='{says} is written by hand: "{sentence}"',
        remedy="show it with <!-- value: NAME --><!-- end -->, leave it out, or list the sentence with a"
        f" reason in {FILE}",
        why=(
            "Numbers in prose are the first thing to grow old, and nobody reads them again. What can be"
            " counted is counted; every other number stands in a list, with the sentence that holds it. The"
            " changelog is left out: what it tells of a change stays so."
        ),
        find=_counted,
    ),
    Kind(
        code="FT3F",
        name="stale-number",
        what="{said}",
        remedy="check the sentence, and mend or delete the entry",
        why="An entry that excuses nothing would excuse the next wrong number.",
        find=_stale,
    ),
)
