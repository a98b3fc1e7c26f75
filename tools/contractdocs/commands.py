"""The commands: each reads the repository once, and writes only what it says."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

from tools.contractdocs.baseline import load
from tools.contractdocs.checks import kinds
from tools.contractdocs.evidence.gather import gather
from tools.contractdocs.findings import ROOT, Kind, broken
from tools.contractdocs.project import Project, read_files

USAGE = "usage: python -m tools.contractdocs write|check|review [NAME...|--all]|release VERSION|digests"


def run(arguments: Sequence[str]) -> int:
    """Run a command, and give the exit code."""
    name, *more = arguments or [""]
    if name not in _COMMANDS or (name != "review" and len(more) != (name == "release")):
        print(USAGE)
        return 2
    try:
        return _COMMANDS[name](*more)
    except Exception as error:
        print(broken(error, f"{name} could not be done"))
        return 1


def look() -> Project:
    """The files, and what their tests and examples come to."""
    from tools.contractdocs.render import render

    files = read_files()
    project = Project(files, baseline=load(files))
    with ThreadPoolExecutor(1) as pool:
        evidence = pool.submit(gather)
        with suppress(Exception):  # the kind that looks at it says so
            render(project)  # while the tests run, on which it does not depend
        return replace(project, evidence=evidence.result(timeout=1800)).sharing(project)


def findings(project: Project) -> list[str]:
    """What every kind finds."""
    return [line for kind in kinds() for line in findings_of(kind, project)]


def findings_of(kind: Kind, project: Project) -> list[str]:
    """What one kind finds; an exception in it is a finding too."""
    try:
        return list(kind.findings(project))
    except Exception as error:
        return [broken(error, f"{kind.code} {kind.name} could not look")]


def _check() -> int:
    started = time.perf_counter()
    project = look()
    found = findings(project)
    print("\n".join(found), end="\n" if found else "")
    evidence = project.evidence
    print(
        f"docs-check: {len(project.clauses)} clauses, {len(evidence.proofs)} proofs,"
        f" {len(evidence.examples)} examples, {len(project.api.symbols)} public names;"
        f" {len(found) or 'no'} findings ({time.perf_counter() - started:.0f} s)"
    )
    return 1 if found else 0


def _write() -> int:
    from tools.contractdocs.render import obsolete, render

    project = Project(read_files())
    for name in obsolete(project):
        (ROOT / name).unlink()
        print(f"deleted {name}")
    put({name: text for name, text in render(project).items() if project.files.get(name) != text})
    return 0


def put(files: Mapping[str, str]) -> None:
    """Write files, by path from the root."""
    for name, text in files.items():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"wrote {name}")


def _review(*names: str) -> int:
    from tools.contractdocs.review import confirmed, shown

    project = Project(read_files())
    if not names:
        print(shown(project))
        return 0
    put(confirmed(project, None if "--all" in names else names))
    return 0


def _digests() -> int:
    """Tell a digest of each generated file, to compare another Python or system with this one."""
    from tools.contractdocs.render import render

    for name, text in render(Project(read_files())).items():
        print(hashlib.sha256(text.encode()).hexdigest(), name)
    return 0


def _release(version: str) -> int:
    from tools.contractdocs.release import release

    return release(version)


_COMMANDS: dict[str, Callable[..., int]] = {
    "write": _write,
    "check": _check,
    "review": _review,
    "release": _release,
    "digests": _digests,
}
