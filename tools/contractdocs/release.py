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
from tools.contractdocs.changelog import changelog
from tools.contractdocs.changes import differences
from tools.contractdocs.checks.releases import INIT, VERSION
from tools.contractdocs.commands import findings, look, put
from tools.contractdocs.findings import ROOT
from tools.contractdocs.markdown import CHANGELOG
from tools.contractdocs.project import Project
from tools.contractdocs.render import render
from tools.contractdocs.render.values import limits
from tools.contractdocs.review import confirmed

Check = Callable[[Project], list[str]]

_VALUE = re.compile(r"<!-- value: [\w-]+ -->(.*?)<!-- end -->", re.DOTALL)


class Refused(Exception):
    """There is no release; its arguments say why, one line each."""


def release(version: str) -> int:
    """Release this repository, and give the exit code. Nothing is written where it refuses."""
    try:
        texts = plan(look(), version, datetime.now(UTC).date().isoformat())
    except Refused as refused:
        print(*refused.args, sep="\n")
        print(f"{version or 'Nothing'} is not released, and nothing was written")
        return 1
    put(texts)
    sources = [name for name in texts if name.endswith(".py")]
    for command in (["check", "--fix", "--select=F401,I001"], ["format"]):  # NEXT may be needed no more
        subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--quiet", *sources], cwd=ROOT, check=True, timeout=300
        )
    print(f"{version} is written. Look at the diff, run make test, commit, and tag it v{version}.")
    return 0


def plan(project: Project, version: str, date: str, check: Check = findings) -> dict[str, str]:
    """The files that a release changes, by path.

    Args:
        project: with the evidence of a run, and the last release.
        version: the new one.
        date: of today, such as ``2026-01-31``.
        check: what must find nothing, before and after.

    Raises:
        Refused: something keeps it from being released.
    """
    if reasons := list(_wrong(project, version)) or check(project):
        raise Refused(*reasons)
    new = _released(project, version, date)
    if reasons := check(new):
        raise Refused(*reasons)
    return {name: text for name, text in new.files.items() if project.files.get(name) != text}


def _wrong(project: Project, version: str) -> Iterator[str]:
    """What is wrong with a version, before anything else is looked at."""
    try:
        new = parsed(version)
    except ValueError as error:
        yield str(error)
        return
    last, section = project.baseline, changelog(project).unreleased
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


def _released(project: Project, version: str, date: str) -> Project:
    files = dict(project.files)
    sources = [name for name in files if name.startswith("src/") and name.endswith(".py")]
    files.update({name: filled(files[name], version) for name in sources})
    files[INIT] = VERSION.sub(lambda match: f'__version__{match["type"] or ""} = "{version}"', files[INIT])
    files["pyproject.toml"] = re.sub(
        r'^version = "[^"]*"', f'version = "{version}"', files["pyproject.toml"], count=1, flags=re.MULTILINE
    )
    # What was true of a release does not change any more: values in its section become plain text.
    head, title, rest = files[CHANGELOG].partition("## [Unreleased]\n")
    section, older, rest = rest.partition("\n## ")
    section = _VALUE.sub(r"\1", section)
    files[CHANGELOG] = f"{head}{title}\n## [{version}] - {date}\n{section}{older}{rest}"
    clauses = released(project.clauses, version)
    after = replace(project, clauses=clauses).with_files(files)
    after = after.with_files(render(after))
    baseline = baseline_of(after, version, limits(after))
    after = replace(after, baseline=baseline).with_files({baseline.file: written(baseline)})
    after = after.with_files(confirmed(after))
    return after.with_files(render(after))


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
    return tuple(
        replace(
            clause,
            since=version if clause.since == NEXT else clause.since,
            revised=version if clause.revised == NEXT else clause.revised,
            deprecation=gone and replace(gone, since=version if gone.since == NEXT else gone.since),
        )
        for clause in clauses
        for gone in [clause.deprecation]
    )
