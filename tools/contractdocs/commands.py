"""The commands: each reads the repository once, and writes only what it says."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence

from tools.contractdocs.check import check
from tools.contractdocs.findings import ROOT, broken
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


def _check() -> int:
    started = time.perf_counter()
    findings, summary = check()
    print("\n".join(findings), end="\n" if findings else "")
    seconds = time.perf_counter() - started
    print(f"docs-check: {summary}; {len(findings) or 'no'} findings ({seconds:.0f} s)")
    return 1 if findings else 0


def _write() -> int:
    from tools.contractdocs.render import obsolete, problems, render

    project = Project(read_files())
    wrong = list(problems(project))
    for problem in wrong:
        print(problem)
    for name in obsolete(project):
        (ROOT / name).unlink()
        print(f"deleted {name}")
    for name, text in render(project).items():
        if project.files.get(name) != text:
            path = ROOT / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    return 1 if wrong else 0


def _review(*names: str) -> int:
    from tools.contractdocs.review import confirmed, shown

    project = Project(read_files())
    if not names:
        print(shown(project))
        return 0
    for name, text in confirmed(project, None if "--all" in names else names).items():
        (ROOT / name).write_text(text, encoding="utf-8")
        print(f"wrote {name}")
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
