"""Kinds of drift in the settings that make the checks strict."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import Project

PROJECT_FILE = "pyproject.toml"
SITE_FILE = "mkdocs.yml"

STRICT: dict[tuple[str, ...], object] = {
    ("tool", "mypy", "strict"): True,
    ("tool", "pyright", "typeCheckingMode"): "strict",
    ("tool", "pytest", "filterwarnings"): ["error"],
    ("tool", "pytest", "strict_config"): True,
    ("tool", "pytest", "strict_markers"): True,
    ("tool", "pytest", "strict_xfail"): True,
    ("tool", "coverage", "run", "branch"): True,
    ("tool", "coverage", "report", "fail_under"): 100,
}
"""Settings of pyproject.toml without which a check looks away."""

SITE = {"strict": "true", "font": "false"}
"""Settings of the site: a dead link fails its build, and no font comes from elsewhere."""

_ELSEWHERE = re.compile(r"^[^#\n]*?(?:https?:)?//[\w.-]+\.\w+[^\s\"')]*", re.MULTILINE)
_LOADED = re.compile(r"(?:@import|url\()[^;\n]*?(?P<where>(?:https?:)?//[^\s\"')]+)")
_LOADING = ("extra_css", "extra_javascript")


def _loose(project: Project) -> Iterator[Place]:
    text = project.files.get(PROJECT_FILE, "")
    settings = tomllib.loads(text)
    for path, wanted in STRICT.items():
        found: Any = settings
        for part in path:
            found = found.get(part) if isinstance(found, dict) else None
        if found != wanted:
            line = project.line_of(PROJECT_FILE, f"\n{path[-1]} = ") + 1
            yield at(PROJECT_FILE, line, name=".".join(path), found=repr(found), wanted=repr(wanted))
    site = project.files.get(SITE_FILE, "")
    for name, value in SITE.items():
        match = re.search(rf"^ *{name}: *(\S+)", site, re.MULTILINE)
        if match is None or match[1] != value:
            line = site.count("\n", 0, match.start()) + 1 if match else 1
            yield at(SITE_FILE, line, name=name, found=repr(match[1] if match else None), wanted=repr(value))


def _from_elsewhere(project: Project) -> Iterator[Place]:
    site = project.files.get(SITE_FILE, "")
    for key in _LOADING:
        block = re.search(rf"^{key}:[^\n]*\n(?:[ -][^\n]*\n)*", site, re.MULTILINE)
        for match in _ELSEWHERE.finditer(block[0]) if block else ():
            line = site.count("\n", 0, block.start() + match.start()) + 1 if block else 1
            yield at(SITE_FILE, line, what=" ".join(match[0].strip(" -").split()))
    for file, text in project.files.items():
        if file.startswith("docs/") and file.endswith((".css", ".html", ".js")):
            for match in _LOADED.finditer(text):
                yield at(file, text.count("\n", 0, match.start()) + 1, what=match["where"])


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT69",
        name="loosened-setting",
        what="{name} is {found}; the checks are strict with {wanted}",
        remedy="set it back",
        why=(
            "A check that was told to look away still passes. The settings that make it strict are part of"
            " the check."
        ),
        find=_loose,
    ),
    Kind(
        code="FT6A",
        name="external-request",
        what="the site loads {what} from elsewhere",
        remedy="keep a copy in docs/assets, or leave it out",
        why="A reader of the documentation is nobody else's business, and may have no network.",
        find=_from_elsewhere,
    ),
)
