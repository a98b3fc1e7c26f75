"""One page of the reference for each public module."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from tools.contractdocs.api.model import Symbol
from tools.contractdocs.modules import PUBLIC_MODULES, module_file
from tools.contractdocs.project import Project
from tools.contractdocs.render.contract import clause_path
from tools.contractdocs.render.page import LAYOUT, module_page, page, parse


def reference_pages(project: Project) -> dict[str, str]:
    """Every page of the reference, by its path from the root."""
    about = {module: LAYOUT["modules"][module]["about"] for module in PUBLIC_MODULES}
    index = page(
        "reference.md",
        "Reference",
        "To find a public name, and how long it is kept.",
        modules=about.items(),
    )
    return {
        "docs/reference/index.md": index,
        **{f"docs/{module_page(module)}": _page(module, words, project) for module, words in about.items()},
    }


def _page(module: str, about: str, project: Project) -> str:
    def deviating(symbol: Symbol) -> list[Symbol]:
        """The members whose level or version differs."""
        members = project.api.members.get(symbol.path, ())
        own = (symbol.level, symbol.since)
        return [one for one in members if one.level and (one.level, one.since) != own]

    clauses = {clause.id.upper().replace("-", "_"): clause for clause in project.clauses}
    of_contract = clauses if module == "finalturn.contract" else {}
    left = {one.name for one in project.api.listings if one.module == module} - of_contract.keys()
    text = project.files[module_file(module, project.files)]
    return page(
        "module.md",
        f"`{module}`",
        f"To look up a name of {module}, {about}.",
        docstring=ast.get_docstring(parse(text)) or "",
        groups={
            title: [project.api.symbols[f"{module}.{name}"] for name in names]
            for title, names in _groups(LAYOUT["modules"][module].get("groups", {}), left).items()
        },
        deviating=deviating,
        clauses=[(name, clause, clause_path(clause)) for name, clause in of_contract.items()],
    )


def _groups(laid_out: Mapping[str, Sequence[str]], names: set[str]) -> dict[str, list[str]]:
    """The names by heading; those in no group come last."""
    groups = {title: [name for name in group if name in names] for title, group in laid_out.items()}
    rest = names.difference(*laid_out.values())
    groups["More" if groups else "Names"] = sorted(rest)
    return {title: group for title, group in groups.items() if group}
