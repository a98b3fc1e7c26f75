"""Sentences that retell a clause, as a person last confirmed them beside it."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from tools.contractdocs.findings import short
from tools.contractdocs.markdown import documents
from tools.contractdocs.project import Project

FILE = "tools/contractdocs/reviewed.toml"
HEAD = """\
# Sentences of documents that speak of what clauses promise, each with digests of the statements that a person
# read beside it. Written by `python -m tools.contractdocs review`, after reading.
"""
_TERM = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")

Key = tuple[str, str]


class Retelling(NamedTuple):
    """A sentence on one line, and a digest of the statement of each clause that it must be read beside."""

    file: str
    line: int
    text: str
    clauses: Mapping[str, str]


def retellings(project: Project) -> dict[Key, Retelling]:
    """Every sentence that cites a clause, or names what a clause names."""
    statements: dict[str, str] = {clause.id: digest(clause.statement) for clause in project.clauses}
    terms: dict[str, set[str]] = {}
    for clause in project.clauses:
        for term in _TERM.findall(clause.statement):
            terms.setdefault(term, set()).add(clause.id)
    found: dict[Key, Retelling] = {}
    for file, document in documents(project):
        for one in document.sentences:
            # By a link, or as code.
            cited = {link.partition("#")[2] for link in one.links}.union(re.findall(r"`([^`]+)`", one.text))
            ids = (cited & statements.keys()).union(
                *(terms.get(word, ()) for word in _TERM.findall(one.text))
            )
            if ids:
                digests = {clause_id: statements[clause_id] for clause_id in sorted(ids)}
                found[file, one.text] = Retelling(file, one.line, one.text, digests)
    return found


def stored(project: Project) -> dict[Key, dict[str, str]]:
    """What was confirmed: digests by clause, by file and sentence."""
    rows: list[dict[str, Any]] = tomllib.loads(project.files.get(FILE, "")).get("sentence", [])
    return {(str(row["file"]), str(row["text"])): dict(row["clauses"]) for row in rows}


def pending(project: Project) -> Iterator[tuple[Retelling, str]]:
    """Each sentence that nobody has confirmed as it is, and what is new about it."""
    known, wanted = stored(project), retellings(project)
    statements: dict[str, str] = {clause.id: clause.statement for clause in project.clauses}
    for key, one in wanted.items():
        sentence = short(one.text)
        if key not in known:
            yield one, f'nobody has confirmed "{sentence}" beside {", ".join(one.clauses)}'
            continue
        changed = {clause for clause, _ in known[key].items() ^ one.clauses.items()}
        for clause in sorted(changed):
            says = f'says: "{statements[clause]}"' if clause in one.clauses else "is no longer retold there"
            yield one, f'{clause} has changed since "{sentence}" was confirmed; it {says}'


def shown(project: Project) -> str:
    """Each sentence that waits for a person, beside what it retells."""
    statements: dict[str, str] = {clause.id: clause.statement for clause in project.clauses}
    waiting = dict.fromkeys((one.file, one.line, one.text, tuple(one.clauses)) for one, _ in pending(project))
    lines: list[str] = []
    for file, line, text, clauses in waiting:
        lines += [f"{file}:{line}: {text}", *(f"    {name}: {statements[name]}" for name in clauses), ""]
    ending = "name files, places or clauses behind review to confirm their sentences, or --all"
    return "\n".join([*lines, f"{len(waiting)} sentences wait; {ending}" if waiting else "nothing waits"])


def confirmed(project: Project, names: Collection[str] | None = None) -> dict[str, str]:
    """The file as it is once a person has read sentences: by its path.

    Args:
        project: with its documents.
        names: files, ``file:line`` or ids of clauses whose sentences were read; ``None`` for all.
    """
    known = stored(project)
    rows: dict[Key, Mapping[str, str]] = {}
    for key, one in retellings(project).items():
        labels = {one.file, f"{one.file}:{one.line}", *one.clauses}
        if names is None or labels & set(names):
            rows[key] = one.clauses
        elif key in known:
            rows[key] = known[key]
    parts = [HEAD]
    for (file, text), clauses in sorted(rows.items()):
        table = ", ".join(f"{json.dumps(name)} = {json.dumps(value)}" for name, value in clauses.items())
        text = json.dumps(text, ensure_ascii=False)
        parts.append(f"[[sentence]]\nfile = {json.dumps(file)}\ntext = {text}\nclauses = {{ {table} }}\n")
    return {FILE: "\n".join(parts)}


def digest(text: str) -> str:
    """A short digest of a text, whatever its line breaks."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:12]
