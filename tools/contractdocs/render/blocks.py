"""Generated blocks and values in files that people write.

In Markdown a block stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``, a value in a sentence
between ``<!-- value: NAME -->`` and ``<!-- end -->``; in mkdocs.yml a block stands between ``# generated:
NAME`` and ``# end``. What is not known, or not closed, is left as it is: the check finds it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from tools.contractdocs._project import Project
from tools.contractdocs._public import PUBLIC_MODULES
from tools.contractdocs.kinds import kinds
from tools.contractdocs.render._clause_pages import ABOUT, family_path
from tools.contractdocs.render._contract_index import clause_table
from tools.contractdocs.render._drift import kind_path
from tools.contractdocs.render._leaks import leak_table, run
from tools.contractdocs.render._native_records import failures, records
from tools.contractdocs.render._page import items, table
from tools.contractdocs.render._performance import bounds_table, layers_table, machine_of_the_run
from tools.contractdocs.render._profiles import profiles_table
from tools.contractdocs.render._public_names import module_page
from tools.contractdocs.render._reference import layout
from tools.contractdocs.render.values import VALUES

Block = Callable[[Project], str]


def _nav_contract(project: Project) -> str:
    families = (f"      - {title}: {family_path(family)}" for family, (title, _) in ABOUT.items())
    return "\n".join(families)


def _nav_reference(project: Project) -> str:
    return "\n".join(f"      - {module}: {module_page(module)}" for module in PUBLIC_MODULES)


def _nav_drift(project: Project) -> str:
    return "\n".join(f"      - {kind.code} {kind.name}: {kind_path(kind)}" for kind in kinds())


def _kinds(project: Project) -> str:
    return table(("code", "name"), ((kind.code, kind.name) for kind in kinds()))


BLOCKS: Final[dict[str, Block]] = {
    "clauses": clause_table,
    "drift-kinds": _kinds,
    "leak-matrix": lambda project: leak_table(run()),
    "native-records": lambda project: records(),
    "performance-bounds": bounds_table,
    "performance-layers": layers_table,
    "performance-run": machine_of_the_run,
    "profiles": lambda project: profiles_table(),
    "public-modules": lambda project: items(
        f"`{module}`: {layout(module).about}" for module in PUBLIC_MODULES
    ),
    "tool-failures": lambda project: failures(),
    "nav-contract": _nav_contract,
    "nav-reference": _nav_reference,
    "nav-drift": _nav_drift,
}
"""What stands between the markers, by name."""

_MARKDOWN = re.compile(
    r"(?P<open><!-- (?P<what>generated|value): (?P<name>[a-z0-9-]+) -->)"
    r"(?:(?!<!-- (?:generated|value): ).)*?"
    r"(?P<close><!-- end -->)",
    re.DOTALL,
)
_MARKER = re.compile(r"<!-- (?P<what>generated|value): (?P<name>[^\n]*?) -->")
_YAML = re.compile(
    r"^(?P<open> *# generated: (?P<name>[a-z0-9-]+)\n)(?:(?! *# generated: ).*\n)*?(?P<close> *# end)$",
    re.MULTILINE,
)
_FENCE = re.compile(r"^ *(?P<ticks>`{3,}).*?^ *(?P=ticks) *$", re.DOTALL | re.MULTILINE)


def filled(file: str, text: str, project: Project) -> str:
    """A hand-written file with its blocks and values as they should be."""
    if file.endswith((".yml", ".yaml")):
        return _YAML.sub(lambda match: _yaml(match, project), text)
    parts: list[str] = []
    at = 0
    for match in _MARKDOWN.finditer(_without_code(text)):
        parts += [text[at : match.start()], _replaced(match, project, text[match.start() : match.end()])]
        at = match.end()
    return "".join([*parts, text[at:]])


def unknown_markers(project: Project) -> Iterator[tuple[str, int, str]]:
    """Blocks and values of hand-written files that nothing fills: file, line and name."""
    for file, text in project.files.items():
        if file.endswith(".md"):
            for match in _MARKER.finditer(_without_code(text)):
                if match["name"] not in (VALUES if match["what"] == "value" else BLOCKS):
                    yield file, text.count("\n", 0, match.start()) + 1, match["name"]


def _without_code(text: str) -> str:
    """A text of the same length without what is shown as code: no marker stands there."""
    return _FENCE.sub(lambda fence: re.sub(r"[^\n]", " ", fence[0]), text)


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
