"""One page of the reference for each public module."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tools.contractdocs.api.model import Api, Symbol
from tools.contractdocs.modules import PUBLIC_MODULES, module_file
from tools.contractdocs.project import Project
from tools.contractdocs.render.contract import clause_path
from tools.contractdocs.render.page import LAYOUT, badge, link, module_page, page, parse, table, words_of

INDEX = "reference/index.md"


AS_A_FILE = "<!-- As a file, this page has little more than names: api.txt has what they mean. -->"
"""What ``:::`` stands for is filled in where the site is made."""


def about(module: str) -> str:
    """What a module is for, in a few words."""
    return str(LAYOUT["modules"][module]["about"])


def reference_pages(project: Project) -> dict[str, str]:
    """Every page of the reference, by its path from the root."""
    found = {f"docs/{module_page(module)}": _page(module, project) for module in PUBLIC_MODULES}
    return {f"docs/{INDEX}": _index(), **found}


def _index() -> str:
    rows = ((link(f"`{module}`", module_page(module), INDEX), about(module)) for module in PUBLIC_MODULES)
    report = (
        "[The API report](api.txt) has all of them in one plain file: what each means in a sentence, its"
        " signature, level and version. Whoever reads these pages as files reads that one instead."
    )
    parts = [words_of("reference_intro"), table(("module", "what is in it"), rows), report]
    return page("Reference", "To find a public name, and how long it is kept.", parts)


def _page(module: str, project: Project) -> str:
    file = module_file(module, project.files)
    docstring = ast.get_docstring(parse(project.files[file])) or ""
    names = [one.name for one in project.api.listings if one.module == module]
    parts = [AS_A_FILE, docstring]
    for title, group in _groups(module, names, project).items():
        parts.append(f"## {title}")
        for name in group:
            parts += _name(f"{module}.{name}", project.api)
    if module == "finalturn.contract":
        parts += _clauses(project)
    return page(f"`{module}`", f"To look up a name of {module}, {about(module)}.", parts)


def _groups(module: str, names: list[str], project: Project) -> dict[str, list[str]]:
    clauses = {clause.id.upper().replace("-", "_") for clause in project.clauses}
    left = {name for name in names if module != "finalturn.contract" or name not in clauses}
    groups: dict[str, list[str]] = {}
    for title, group in LAYOUT["modules"][module].get("groups", {}).items():
        groups[title] = [name for name in group if name in left]
        left -= set(group)
    rest = {"More" if groups else "Names": sorted(left)} if left else {}
    return {title: group for title, group in {**groups, **rest}.items() if group}


def _name(path: str, api: Api) -> Iterator[str]:
    symbol = api.symbols.get(path)
    if symbol is not None and symbol.level:
        yield f'<p class="ft-level">{badge(symbol.level, symbol.since)}{_deviating(symbol, api)}</p>'
    if symbol is not None and symbol.deprecated:
        yield f'!!! warning "Deprecated"\n    {symbol.deprecated}'
    option = ""
    if symbol is not None and symbol.kind == "constant":
        option = "show_attribute_values: false"  # it says nothing that the docstring does not, or is long
    elif symbol is not None and symbol.kind == "class" and symbol.overloads:
        option = "show_overloads: false"  # the docstring has a table of what tells them apart
    yield f"::: {path}\n    options: {{ {option} }}" if option else f"::: {path}"


def _deviating(symbol: Symbol, api: Api) -> str:
    """The members whose level or version differs."""
    own = (symbol.level, symbol.since)
    found = (
        f"<br><code>{one.name}</code> {badge(one.level, one.since)}"
        for one in api.members.get(symbol.path, ())
        if one.level and (one.level, one.since) != own
    )
    return "".join(found)


def _clauses(project: Project) -> Iterator[str]:
    yield "## Clauses"
    yield "Each is a `Clause`, exported under its id in capitals."
    path = module_page("finalturn.contract")
    rows = (
        (
            f"`{clause.id.upper().replace('-', '_')}`",
            link(clause.id, clause_path(clause), path),
            badge(clause.stability, clause.since),
        )
        for clause in project.clauses
    )
    yield table(("constant", "clause", "level"), rows)
