"""Generated blocks and values in files that people write.

In Markdown a block stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``, a value in a sentence
between ``<!-- value: NAME -->`` and ``<!-- end -->``; in mkdocs.yml a block stands between ``# generated:
NAME`` and ``# end``. What is not known, or not closed, is left as it is: the check finds it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from finalturn.contract import Family
from tools.contractdocs.markdown import MARKED, without_code
from tools.contractdocs.modules import PUBLIC_MODULES
from tools.contractdocs.project import Project
from tools.contractdocs.render.contract import clause_table, family_path
from tools.contractdocs.render.native_records import failures, records
from tools.contractdocs.render.page import LAYOUT, items, words_of
from tools.contractdocs.render.pages import (
    bounds_table,
    layers_table,
    leak_table,
    machine_of_the_run,
    profiles_table,
    run,
)
from tools.contractdocs.render.public import module_page
from tools.contractdocs.render.reference import about
from tools.contractdocs.render.values import VALUES

Block = Callable[[Project], str]


def _nav_contract(project: Project) -> str:
    titles = {family: LAYOUT["chapters"][family.value][0] for family in Family}
    return "\n".join(f"      - {title}: {family_path(family)}" for family, title in titles.items())


def _nav_reference(project: Project) -> str:
    return "\n".join(f"      - {module}: {module_page(module)}" for module in PUBLIC_MODULES)


BLOCKS: Final[dict[str, Block]] = {
    "clauses": clause_table,
    "coming-from": lambda project: words_of("coming-from"),
    "leak-matrix": lambda project: leak_table(run()),
    "native-records": lambda project: records(),
    "performance-bounds": bounds_table,
    "performance-layers": layers_table,
    "performance-run": machine_of_the_run,
    "profiles": lambda project: profiles_table(),
    "public-modules": lambda project: items(f"`{module}`: {about(module)}" for module in PUBLIC_MODULES),
    "tool-failures": lambda project: failures(),
    "nav-contract": _nav_contract,
    "nav-reference": _nav_reference,
}
"""What stands between the markers, by name."""

_MARKER = re.compile(
    r"<!--\s*(?P<what>generated|value|end|covers)\b(?:: (?P<name>[\w.-]+))?.*?-->"
    r"|^ *# (?P<yaml>generated): (?P<block>\S+)$",
    re.MULTILINE,
)
_SPAN = re.compile(r"`[^`\n]*`")
_YAML = re.compile(
    r"^(?P<open> *# generated: (?P<name>[a-z0-9-]+)\n)(?:(?! *# generated: ).*\n)*?(?P<close> *# end)$",
    re.MULTILINE,
)


def filled(file: str, text: str, project: Project) -> str:
    """A hand-written file with its blocks and values as they should be."""
    if file.endswith((".yml", ".yaml")):
        return _YAML.sub(lambda match: _yaml(match, project), text)
    parts: list[str] = []
    at = 0
    for match in MARKED.finditer(without_code(text)):
        parts += [text[at : match.start()], _replaced(match, project, text[match.start() : match.end()])]
        at = match.end()
    return "".join([*parts, text[at:]])


def unknown_markers(project: Project) -> Iterator[tuple[str, int, str]]:
    """Markers of hand-written files that nothing fills: file, line and what is wrong."""
    for file, text in project.files.items():
        if not file.endswith((".md", ".yml")):
            continue
        plain = without_code(_SPAN.sub(_blank, text))
        closed = [match.span() for match in (MARKED if file.endswith(".md") else _YAML).finditer(plain)]
        for match in _MARKER.finditer(plain):
            what, name = match["what"] or match["yaml"], match["name"] or match["block"] or ""
            is_closed = any(start <= match.start() < end for start, end in closed)
            if what in ("covers", "end") and (is_closed or what == "covers"):
                continue
            said = f"has a marker {what} {name!r} that is not closed" if name else f"{match[0]} is no marker"
            if name and name not in (VALUES if what == "value" else BLOCKS):
                said = f"has no block or value {name!r}"
            elif is_closed:
                continue
            yield file, text.count("\n", 0, match.start()) + 1, said


def _blank(code: re.Match[str]) -> str:
    return " " * len(code[0]) if "<!--" in code[0] else code[0]


def _replaced(match: re.Match[str], project: Project, before: str) -> str:
    if match["what"] == "value" and match["name"] in VALUES:
        return f"{match['open']}{VALUES[match['name']](project)}{match['close']}"
    if match["what"] == "generated" and match["name"] in BLOCKS:
        return f"{match['open']}\n\n{BLOCKS[match['name']](project)}\n\n{match['close']}"
    return before


def _yaml(match: re.Match[str], project: Project) -> str:
    if match["name"] not in BLOCKS:
        return match[0]
    return f"{match['open']}{BLOCKS[match['name']](project)}\n{match['close']}"
