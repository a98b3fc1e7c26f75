"""``Contract:`` sections: each docstring says which clauses its object keeps.

A section is written below the docstring's own lines; everything else of a file stays as it is, byte for
byte."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from finalturn.contract import Clause
from tools.contractdocs.project import Project
from tools.contractdocs.render.page import parse

WIDTH = 110
NOT_HERE = "src/finalturn/_contract/"
"""The contract itself does not speak of the contract."""

_SECTION = re.compile(r"^ *Contract:$", re.MULTILINE)
_ENDING = re.compile(r"(?P<body>.*?)\s*(?P<quotes>\"\"\"|''')(?P<rest>[^\"']*)", re.DOTALL)

Documented = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def source_files(project: Project) -> dict[str, str]:
    """Every source file whose docstrings have such sections, or should have, as it should be."""
    wanted = _wanted(project)
    return {
        file: with_sections(text, wanted.get(file, {}))
        for file, text in project.files.items()
        if file.startswith("src/finalturn/") and file.endswith(".py") and not file.startswith(NOT_HERE)
        if file in wanted or _SECTION.search(text)
    }


def with_sections(text: str, clauses: Mapping[str, Sequence[Clause]]) -> str:
    """A file with the sections of the objects that clauses are about, by qualified name, and no others."""
    lines = text.splitlines(keepends=True)
    for name, node in reversed([*_documented(parse(text).body)]):
        docstring = node.body[0].value  # type: ignore[attr-defined]
        start, end = docstring.lineno - 1, docstring.end_lineno
        old = "".join(lines[start:end])
        lines[start:end] = [_with_section(old, docstring.col_offset, clauses.get(name, ()))]
    return "".join(lines)


def section(clauses: Sequence[Clause], indent: int) -> list[str]:
    """The lines of a section, without ends."""
    lines = [f"{' ' * indent}Contract:"]
    for clause in clauses:
        gone = f", deprecated since {clause.deprecation.since}" if clause.deprecation else ""
        lines += textwrap.wrap(
            f"- `{clause.id}` ({clause.stability}{gone}): {clause.statement}",
            WIDTH,
            initial_indent=" " * (indent + 4),
            subsequent_indent=" " * (indent + 6),
            break_long_words=False,
            break_on_hyphens=False,
        )
    return lines


def _wanted(project: Project) -> dict[str, dict[str, list[Clause]]]:
    found: dict[str, dict[str, list[Clause]]] = {}
    for clause in project.clauses:
        for symbol in filter(None, map(project.public, clause.about)):
            module = symbol.file[len("src/") : -len(".py")].replace("/", ".").removesuffix(".__init__")
            name = symbol.home.removeprefix(f"{module}.")
            found.setdefault(symbol.file, {}).setdefault(name, []).append(clause)
    return found


def _documented(body: Sequence[ast.stmt], owner: str = "") -> Iterator[tuple[str, Documented]]:
    """Every class and function with a docstring, in the order of the file, by qualified name."""
    for node in body:
        if isinstance(node, Documented):
            if ast.get_docstring(node, clean=False) is not None:
                yield f"{owner}{node.name}", node
            yield from _documented(node.body, f"{owner}{node.name}.")


def _with_section(docstring: str, indent: int, clauses: Sequence[Clause]) -> str:
    """A docstring's source lines, with this section at its end and no other."""
    margin = " " * indent
    ending = _ENDING.fullmatch(docstring)
    if ending is None:
        raise ValueError(f"a docstring that ends in {docstring[-40:]!r} cannot hold a Contract section")
    old = re.compile(rf"\s*^{margin}Contract:$(?:\n{margin} .*)*", re.MULTILINE)
    body, found = old.subn("", ending["body"])
    if not found and not clauses:
        return docstring
    lines = [body, "", *section(clauses, indent)] if clauses else [body]
    closing = f"\n{margin}" if clauses or "\n" in body else ""
    return "\n".join(lines) + f"{closing}{ending['quotes']}{ending['rest']}"
