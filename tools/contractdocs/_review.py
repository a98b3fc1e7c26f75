"""Sentences that retell a clause, as a person last confirmed them beside it."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tools.contractdocs._markdown_changelog import changelog
from tools.contractdocs._markdown_documents import prose
from tools.contractdocs._markdown_prose import Sentence
from tools.contractdocs._project import Project

FILE = "tools/contractdocs/reviewed.toml"
HEAD = """\
# Sentences of documents that speak of what clauses promise, each with digests of the statements that a person
# read beside it. Written by `python -m tools.contractdocs review`, after reading.
"""
_TERM = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")


@dataclass(frozen=True)
class Review:
    """A sentence and what it must be read beside.

    Attributes:
        file: the document.
        line: where the sentence starts.
        text: the sentence, on one line.
        clauses: a digest of each clause's statement, by id; none for what is marked as no promise.
    """

    file: str
    line: int
    text: str
    clauses: Mapping[str, str]

    @property
    def of(self) -> str:
        """What it speaks of, for a person."""
        return ", ".join(self.clauses) or "what it says is no promise"


def reviews(project: Project) -> Iterator[Review]:
    """Every sentence that cites a clause, names what a clause names, or is marked as no promise."""
    statements: dict[str, str] = {clause.id: digest(clause.statement) for clause in project.clauses}
    terms = _terms(project)
    for file, sentence in prose(project):
        ids = set(cited(project, sentence))
        for word in _TERM.findall(sentence.text):
            ids |= terms.get(word, set())
        if ids or sentence.allowance:
            found = {clause_id: statements[clause_id] for clause_id in sorted(ids)}
            yield Review(file, sentence.line, sentence.text, found)


def cited(project: Project, sentence: Sentence) -> list[str]:
    """The ids of the clauses that a sentence cites, by a link or as code."""
    said = [span.text for span in sentence.spans]
    said += [link.text.partition("#")[2] for link in sentence.links]
    return sorted({clause.id for clause in project.clauses} & set(said))


def _terms(project: Project) -> dict[str, set[str]]:
    """The names with an underscore that clauses speak of, and the clauses that do."""
    found: dict[str, set[str]] = {}
    for clause in project.clauses:
        for term in _TERM.findall(clause.statement):
            found.setdefault(term, set()).add(clause.id)
    return found


def stored(project: Project) -> dict[tuple[str, str], dict[str, str]]:
    """What was confirmed: digests by clause, by file and sentence."""
    rows: list[dict[str, Any]] = tomllib.loads(project.files.get(FILE, "")).get("sentence", [])
    return {(str(row["file"]), str(row["text"])): dict(row["clauses"]) for row in rows}


def stored_notes(project: Project) -> dict[str, str]:
    """A digest of what the changelog says of each released version, as it was confirmed."""
    notes: dict[str, str] = tomllib.loads(project.files.get(FILE, "")).get("released", {})
    return notes


def review(project: Project) -> dict[str, str]:
    """The file as it is once a person has read everything: by its path."""
    parts = [HEAD]
    notes = [
        f'"{section.version}" = "{digest(section.text)}"'
        for section in changelog(project).sections
        if section.version
    ]
    if notes:
        parts.append("\n".join(["[released]", *notes, ""]))
    rows = {(one.file, one.text): one for one in reviews(project)}
    for (file, text), one in sorted(rows.items()):
        clauses = ", ".join(
            f"{json.dumps(name)} = {json.dumps(value)}" for name, value in one.clauses.items()
        )
        text = json.dumps(text, ensure_ascii=False)
        parts.append(f"[[sentence]]\nfile = {json.dumps(file)}\ntext = {text}\nclauses = {{ {clauses} }}\n")
    return {FILE: "\n".join(parts).replace("{  }", "{}")}


def digest(text: str) -> str:
    """A short digest of a text, whatever its line breaks."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:12]


def short(text: str, other: str | None = None, most: int = 90) -> str:
    """A text short enough for a message, around its first difference from another."""
    if len(text) <= most:
        return text
    pairs = enumerate(zip(text, other or text[:1], strict=False))
    first = next((at for at, (one, two) in pairs if one != two), 0)
    start = max(0, min(first - most // 2, len(text) - most))
    return f"{'…' if start else ''}{text[start : start + most]}{'…' if start + most < len(text) else ''}"
