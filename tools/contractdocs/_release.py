"""Releases: everything that a version changes in the repository, or nothing.

`plan` is a function from a project to the texts that change; `release` writes them.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

from tools.contractdocs._baseline import baseline_of, parsed, written
from tools.contractdocs._check import look
from tools.contractdocs._markdown_changelog import FILE as CHANGELOG
from tools.contractdocs._markdown_changelog import changelog
from tools.contractdocs._project import ROOT, Project
from tools.contractdocs._release_changes import differences
from tools.contractdocs._release_notes import closed, draft, with_drafts
from tools.contractdocs._release_source import filled, released
from tools.contractdocs._review import review
from tools.contractdocs.kinds import kinds
from tools.contractdocs.kinds.history_versions import INIT, VERSION
from tools.contractdocs.render import render

__all__ = ["Refused", "draft", "plan", "release"]

Tidy = Callable[[str, str], str]
Check = Callable[[Project], list[str]]

MENDED = re.compile(r"^\S+ FT5[48] ")
"""Findings that drafted lines of the changelog may mend."""


class Refused(Exception):
    """There is no release; ``reasons`` says why, one line each."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__("\n".join(reasons))
        self.reasons = reasons


def findings(project: Project) -> list[str]:
    """What the check says, but for kinds that look at what other processes made of the files as they were."""
    return [line for kind in kinds() if kind.code != "FT61" for line in kind.findings(project)]


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
    if reasons := [line for line in check(project) if not MENDED.match(line)]:
        raise Refused(reasons)
    drafted = with_drafts(project)
    if drafted.files[CHANGELOG] != project.files[CHANGELOG]:
        drafted = _rendered(drafted)
        drafted = _with(drafted, review(drafted))  # everything but the drafted lines was confirmed
        if reasons := check(drafted):
            raise Refused([*reasons, f"A draft of what {CHANGELOG} lacks:", *draft(project).split("\n")])
    new = _released(drafted, version, date, tidy)
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
    return _rendered(_with(after, review(after)))


def _rendered(project: Project) -> Project:
    return _with(project, render(project))


def _with(project: Project, files: dict[str, str]) -> Project:
    return replace(project, files=dict(sorted({**project.files, **files}.items())))


def release(version: str) -> int:
    """Release this repository, and give the exit code. Nothing is written where it refuses."""
    try:
        project, problems = look()
        if problems:
            raise Refused(problems)
        texts = plan(project, version, datetime.now(UTC).date().isoformat(), _formatted)
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


def _formatted(name: str, text: str) -> str:
    """A source file, as ruff formats it."""
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", name, "-"]
    done = subprocess.run(
        command, cwd=ROOT, input=text, capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout
