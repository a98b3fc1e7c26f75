"""Releases: everything that a version changes in the repository, or nothing.

`plan` is a function from a project to the texts that change; `release` writes them.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

from finalturn.contract import Clause
from finalturn.stability import NEXT
from tools.contractdocs.baseline import baseline_of, parsed, written
from tools.contractdocs.changelog import changelog, read_changelog
from tools.contractdocs.changes import differences
from tools.contractdocs.checks.releases import INIT, VERSION
from tools.contractdocs.commands import findings, look
from tools.contractdocs.findings import ROOT
from tools.contractdocs.markdown import CHANGELOG
from tools.contractdocs.project import Project
from tools.contractdocs.render import render
from tools.contractdocs.review import confirmed

Tidy = Callable[[str, str], str]
Check = Callable[[Project], list[str]]


class Refused(Exception):
    """There is no release; ``reasons`` says why, one line each."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__("\n".join(reasons))
        self.reasons = reasons


def unchanged(name: str, text: str) -> str:
    """A source file, left in the style that it is in."""
    return text


def plan(
    project: Project, version: str, date: str, tidy: Tidy = unchanged, check: Check = findings
) -> dict[str, str]:
    """The files that a release changes, by path.

    Args:
        project: with the evidence of a run, and the last release.
        version: the new one.
        date: of today, such as ``2026-01-31``.
        tidy: puts a source file, by its path and text, into the project's style.
        check: what must find nothing, before and after.

    Raises:
        Refused: something keeps it from being released.
    """
    if reasons := list(_wrong(project, version)):
        raise Refused(reasons)
    if reasons := check(project):
        raise Refused(reasons)
    new = _released(project, version, date, tidy)
    if reasons := check(new):
        raise Refused(reasons)
    return {name: text for name, text in new.files.items() if project.files.get(name) != text}


def _wrong(project: Project, version: str) -> Iterator[str]:
    """What is wrong with a version, before anything else is looked at."""
    try:
        new = parsed(version)
    except ValueError as error:
        yield str(error)
        return
    last = project.baseline
    section = changelog(project).unreleased
    if last is not None and new <= parsed(last.version):
        yield f"{version} is not greater than {last.version}, the last release"
    elif last is not None:
        major, minor, _ = parsed(last.version)
        breaking = [one.name for one in differences(project) if one.breaks]
        least = (major + 1, 0, 0) if major else (0, minor + 1, 0)
        if breaking and new < least:
            needed = ".".join(map(str, least))
            yield f"{version} cannot break {', '.join(breaking)}: that takes {needed} or later"
    if section is None or not any(section.entries.values()):
        yield f"{CHANGELOG}: nothing is listed under [Unreleased]"


def _released(project: Project, version: str, date: str, tidy: Tidy) -> Project:
    files = dict(project.files)
    for name, text in project.files.items():
        if name.startswith("src/") and name.endswith(".py") and (new := filled(text, version)) != text:
            files[name] = tidy(name, new)
    files[INIT] = VERSION.sub(lambda match: f'__version__{match["type"] or ""} = "{version}"', files[INIT])
    files["pyproject.toml"] = re.sub(
        r'^version = "[^"]*"', f'version = "{version}"', files["pyproject.toml"], count=1, flags=re.MULTILINE
    )
    files[CHANGELOG] = closed(files[CHANGELOG], version, date)
    after = _rendered(replace(project, files=files, clauses=released(project.clauses, version)))
    baseline = baseline_of(after, version)
    after = _with(replace(after, baseline=baseline), {baseline.file: written(baseline)})
    return _rendered(_with(after, confirmed(after)))


def _rendered(project: Project) -> Project:
    return _with(project, render(project))


def _with(project: Project, files: dict[str, str]) -> Project:
    return replace(project, files=dict(sorted({**project.files, **files}.items())))


def release(version: str) -> int:
    """Release this repository, and give the exit code. Nothing is written where it refuses."""
    try:
        texts = plan(look(), version, datetime.now(UTC).date().isoformat(), formatted)
    except Refused as refused:
        print("\n".join(refused.reasons))
        print(f"{version or 'Nothing'} is not released, and nothing was written")
        return 1
    for name, text in texts.items():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"wrote {name}")
    print(f"{version} is written. Look at the diff, run make test, commit, and tag it v{version}.")
    return 0


def formatted(name: str, text: str) -> str:
    """A source file, as ruff formats it, without imports that it does not need any more."""
    for command in (["check", "--exit-zero", "--fix", "--select=F401,I001"], ["format"]):
        text = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--quiet", "--stdin-filename", name, "-"],
            cwd=ROOT,
            input=text,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout
    return text


# --- the changelog ---

_VALUE = re.compile(r"<!-- value: [\w-]+ -->(.*?)<!-- end -->", re.DOTALL)


def closed(text: str, version: str, date: str) -> str:
    """The changelog with its unreleased section given to a version, and a fresh one above it.

    Values in the section become plain text: what was true of a release does not change any more.
    """
    section = read_changelog(text).unreleased
    if section is None:
        return text
    head = text[: section.start]
    head = head[: head.rindex("##")]
    body = _VALUE.sub(r"\1", text[section.start : section.end])
    return f"{head}## [Unreleased]\n\n## [{version}] - {date}{body}{text[section.end :]}"


# --- NEXT, filled in ---


def filled(text: str, version: str) -> str:
    """A source file with every ``since=NEXT`` and ``revised=NEXT`` filled in. Nothing else is touched."""
    lines = text.encode().split(b"\n")
    places = [
        (keyword.value.lineno - 1, keyword.value.col_offset, keyword.value.end_col_offset)
        for node in ast.walk(ast.parse(text if "NEXT" in text else ""))
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg in ("since", "revised")
        if ast.unparse(keyword.value).rpartition(".")[2] == "NEXT"
    ]
    for line, start, end in sorted(places, reverse=True):
        lines[line] = lines[line][:start] + f'"{version}"'.encode() + lines[line][end:]
    return b"\n".join(lines).decode()


def released(clauses: tuple[Clause, ...], version: str) -> tuple[Clause, ...]:
    """The clauses, as the filled source declares them."""
    return tuple(_filled(clause, version) for clause in clauses)


def _filled(clause: Clause, version: str) -> Clause:
    deprecation = clause.deprecation
    if deprecation is not None and deprecation.since == NEXT:
        deprecation = replace(deprecation, since=version)
    return replace(
        clause,
        since=version if clause.since == NEXT else clause.since,
        revised=version if clause.revised == NEXT else clause.revised,
        deprecation=deprecation,
    )
