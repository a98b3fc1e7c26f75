"""Source files as syntax trees, for the kinds of drift in the code."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Sequence

from tools.contractdocs._project import Project

SRC = "src/finalturn/"
TABLE = f"{SRC}_core/turn/table.py"
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def trees(
    project: Project, under: str = SRC, *, words: Sequence[str] = ()
) -> Iterator[tuple[str, ast.Module]]:
    """The files of a folder that can be read; one that cannot is another check's matter.

    Args:
        project: what is looked at.
        under: the folder, or the beginning of files' names.
        words: only files that hold one of these.
    """
    for file, text in sorted(project.files.items()):
        if not file.startswith(under) or not file.endswith(".py"):
            continue
        if (not words or any(word in text for word in words)) and (tree := _tree(text)) is not None:
            yield file, tree


def walk(tree: ast.AST, owner: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Every node, with the qualified name of the function or class that it stands in."""
    for child in ast.iter_child_nodes(tree):
        inner = f"{owner}.{child.name}".lstrip(".") if isinstance(child, Definition) else owner
        yield owner, child
        yield from walk(child, inner)


def place_of_rule(project: Project, name: str) -> tuple[str, int]:
    """The file and line of a rule; the first of the table where it is not written out."""
    for file, tree in trees(project, TABLE):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Rule" and _says(node.args[0], name):
                return file, node.lineno
    return TABLE, 1


def _says(value: ast.expr, name: str) -> bool:
    if isinstance(value, ast.Constant):
        return bool(value.value == name)
    if not isinstance(value, ast.JoinedStr):
        return False
    # A rule for each phase: what is the same in all their names.
    fixed = [str(part.value) for part in value.values if isinstance(part, ast.Constant)]
    return bool(fixed) and all(part in name for part in fixed)


@functools.lru_cache(maxsize=1024)
def _tree(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:
        return None
