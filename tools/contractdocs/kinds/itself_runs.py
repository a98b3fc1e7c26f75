"""Kinds of drift that keep the check from being run, or from seeing what it should."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from hashlib import sha256
from pathlib import Path

import finalturn
from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import ROOT, Project
from tools.contractdocs.render import render

MAKEFILE, CI, IGNORE = "Makefile", ".ci/run", ".gitignore"

GATES = {
    "lint": ("ruff check", "ruff format"),
    "types": ("mypy",),
    "unit": ("pytest",),
    "docs-check": ("tools.contractdocs check",),
    "mutants": ("tools.mutants",),
}
"""What `make test` runs, and what each part of it must run."""

_SWALLOWED = re.compile(
    r"(?:^\s*[@+]*-|\|\|\s*(?:true|:|exit 0|echo)|;\s*(?:true|:|exit 0)\s*$|&\s*$|2>/dev/null\s*\|\|)",
    re.MULTILINE,
)


def _unrun(project: Project) -> Iterator[Place]:
    makefile = project.files.get(MAKEFILE, "")
    rules = _rules(makefile)
    line, needs, _ = rules.get("test", (1, "", ""))
    for gate, tools in GATES.items():
        if gate not in needs.split():
            yield at(MAKEFILE, line, said=f"make test does not run {gate}", do=f"let test depend on {gate}")
        at_line, _, recipe = rules.get(gate, (1, "", ""))
        for tool in tools:
            if not re.search(rf"^(?!\s*#).*{re.escape(tool)}\b", recipe, re.MULTILINE):
                yield at(MAKEFILE, at_line, said=f"make {gate} does not run {tool}", do="run it")
        if _SWALLOWED.search(recipe):
            yield at(
                MAKEFILE, at_line, said=f"make {gate} goes on after a failure", do="let the failure through"
            )
    if match := re.search(
        r"^\s*(?:\.IGNORE|MAKEFLAGS\s*[+:]?=.*(?:-i|-k|--ignore|--keep)|\.SILENT:.*\.IGNORE).*$",
        makefile,
        re.MULTILINE,
    ):
        yield at(
            MAKEFILE,
            makefile.count("\n", 0, match.start()) + 1,
            said="make goes on after failures",
            do="take it out",
        )
    yield from _unrun_in_ci(project.files.get(CI, ""))


def _rules(makefile: str) -> dict[str, tuple[int, str, str]]:
    """Line, prerequisites and recipe of each target."""
    found: dict[str, tuple[int, str, str]] = {}
    joined = makefile.replace("\\\n", "  ")
    for match in re.finditer(
        r"^(?P<names>[\w. -]+?)[ \t]*::?(?!=)(?P<needs>[^\n=#]*)(?:#[^\n]*)?\n(?P<recipe>(?:\t[^\n]*\n)*)",
        joined,
        re.MULTILINE,
    ):
        line = makefile.count("\n", 0, makefile.find(match["names"] + ":")) + 1
        for name in match["names"].split():
            if name != ".PHONY":
                found[name] = (line, match["needs"], match["recipe"])
    return found


def _unrun_in_ci(script: str) -> Iterator[Place]:
    lines = script.split("\n")
    strict = next(
        (number for number, line in enumerate(lines, 1) if re.match(r"set -[A-Za-z]*e", line)), None
    )
    loose = next(
        (number for number, line in enumerate(lines, 1) if re.match(r"\s*set \+[A-Za-z]*e", line)), None
    )
    run = next(
        (
            number
            for number, line in enumerate(lines, 1)
            if re.match(r"(?:timeout \d+ )?make test\s*(?:#.*)?$", line)
        ),
        None,
    )
    if strict is None or (run is not None and strict > run):
        yield at(CI, strict or 1, said="it goes on after a failure", do="begin it with set -Eeuo pipefail")
    if loose is not None:
        yield at(CI, loose, said="it goes on after a failure from here", do="take set +e out")
    if run is None:
        number = next(
            (
                number
                for number, line in enumerate(lines, 1)
                if "make test" in line and not line.startswith(("#", "step"))
            ),
            1,
        )
        yield at(
            CI,
            number,
            said="it does not run make test, on a line of its own",
            do="run it, and let its failure through",
        )


def _hidden(project: Project) -> Iterator[Place]:
    """Generated files, and the check's own, that git would not keep."""
    text = project.files.get(IGNORE, "")
    kept = [
        *render(project),
        *(name for name in project.files if name.startswith(("tools/", "tests/", "docs/"))),
    ]
    for number, line in enumerate(text.split("\n"), 1):
        pattern = line.strip()
        if not pattern or pattern.startswith(("#", "!")):
            continue
        if hidden := next((name for name in sorted(set(kept)) if _ignores(pattern, name)), None):
            yield at(IGNORE, number, pattern=pattern, hidden=hidden)


def _ignores(pattern: str, name: str) -> bool:
    bare = pattern.strip("/")
    parts = name.split("/")
    heads = ["/".join(parts[: number + 1]) for number in range(len(parts))]
    if pattern.endswith("/"):
        heads = heads[:-1]
    if pattern.startswith("/") or "/" in bare:
        return any(fnmatch(head, bare) for head in heads)
    return any(fnmatch(head.rpartition("/")[2], bare) for head in heads)


def foreign(source: str, root: Path = ROOT) -> str | None:
    """Where finalturn was imported from, when it is not from this checkout."""
    return None if Path(source).resolve().is_relative_to(root.resolve() / "src") else source


def _foreign(project: Project) -> Iterator[Place]:
    if source := foreign(finalturn.__file__):
        yield at("src/finalturn/__init__.py", 1, source=Path(source).parent.name, folder=Path(source).parent)


def differing(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """The files that two renders do not agree upon."""
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def _not_reproducible(project: Project) -> Iterator[Place]:
    if not project.renders:
        return
    here = {name: sha256(text.encode()).hexdigest() for name, text in render(project).items()}
    for number, there in enumerate(project.renders, 1):
        for name in differing(here, there):
            yield at(name, 1, number=number)


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT61",
        name="not-reproducible",
        what="it differs when it is rendered in another process (the one with PYTHONHASHSEED={number})",
        remedy="sort what it is made of, and take out clocks, paths and random numbers",
        why="A generated file that differs from run to run is stale for everyone but its author.",
        find=_not_reproducible,
    ),
    Kind(
        code="FT64",
        name="unrun-check",
        what="{said}",
        remedy="{do}",
        why="A check that nobody runs, or whose failure is swallowed, is the same as none.",
        find=_unrun,
    ),
    Kind(
        code="FT67",
        name="hidden-file",
        what="{pattern} hides {hidden} from git",
        remedy="name what is not to be kept more closely",
        why="A generated file that is not committed is missing in a clone, where everyone reads it.",
        find=_hidden,
    ),
    Kind(
        code="FT68",
        name="foreign-source",
        what="finalturn was imported from {folder}, not from this checkout",
        remedy="run it through make, which uses this checkout's own environment",
        why="In a copy of the repository the check could look at the files here and at the code there.",
        find=_foreign,
    ),
)
