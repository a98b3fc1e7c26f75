"""The commands: each reads the repository once, and writes only what it says."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from tools.contractdocs._broken import broken
from tools.contractdocs._check import check
from tools.contractdocs._project import ROOT, Project, read_files
from tools.contractdocs._reproducible import digests
from tools.contractdocs.kinds import kinds

USAGE = "usage: python -m tools.contractdocs write|check|review|explain CODE|draft|release VERSION"


def run(arguments: Sequence[str]) -> int:
    """Run a command, and give the exit code."""
    match arguments:
        case [("write" | "check" | "review" | "draft" | "digests") as name]:
            return _guarded(name)
        case ["explain", code]:
            return _explain(code)
        case ["release", version]:
            return _release(version)
        case _:
            print(USAGE)
            return 2


def _guarded(name: str) -> int:
    try:
        return _COMMANDS[name]()
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


def _review() -> int:
    from tools.contractdocs._review import review

    for name, text in review(Project(read_files())).items():
        (ROOT / name).write_text(text, encoding="utf-8")
        print(f"wrote {name}")
    return 0


def _draft() -> int:
    from tools.contractdocs._release import draft

    print(draft(Project(read_files())))
    return 0


def _digests() -> int:
    for name, digest in digests().items():
        print(digest, name)
    return 0


def _explain(code: str) -> int:
    for kind in kinds():
        if code.upper() in (kind.code, kind.name.upper()):
            print(f"{kind.code} {kind.name}\n\n{kind.what}\n-> {kind.remedy}\n\n{kind.why}")
            return 0
    print(f"there is no kind of drift {code}; there are {', '.join(kind.code for kind in kinds())}")
    return 2


def _release(version: str) -> int:
    from tools.contractdocs._release import release

    return release(version)


_COMMANDS: dict[str, Callable[[], int]] = {
    "write": _write,
    "check": _check,
    "review": _review,
    "draft": _draft,
    "digests": _digests,
}
