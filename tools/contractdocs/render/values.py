"""Values that sentences of hand-written files show: ``<!-- value: NAME -->16<!-- end -->``.

Each is read from the code, so that a sentence cannot keep an old one; values.toml says where most are.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools.contractdocs.project import Project

Value = Callable[[Project], str]

WHERE: dict[str, dict[str, list[str]]] = tomllib.loads(
    Path(__file__).with_name("values.toml").read_text(encoding="utf-8")
)


def _constant(project: Project, file: str, name: str) -> str:
    """A module's constant whose value is a literal, or a product of two."""
    given = re.search(rf"^{name}(?:: .*?)? = (.+)$", project.files[file], re.MULTILINE)
    if given is None:
        raise LookupError(f"{file}: {name} is given no value")
    node = ast.parse(given[1], mode="eval").body
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _number(ast.literal_eval(node.left) * ast.literal_eval(node.right))
    return _number(ast.literal_eval(node))


def _default(project: Project, owner: str, name: str) -> str:
    defaults = {one.name: one.default for one in project.api.symbols[owner].parameters}
    return _number(ast.literal_eval(defaults[name]))


def _literal(project: Project, path: str) -> str:
    *words, last = [f'`"{word}"`' for word in re.findall(r"'(.+?)'", project.api.symbols[path].signature)]
    return f"{', '.join(words)} or {last}"


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _project(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(project.files["pyproject.toml"])["project"]
    return found


def _read(read: Callable[..., str], table: str) -> dict[str, Value]:
    """A value for each line of a table of values.toml."""

    def value(where: list[str]) -> Value:
        return lambda project: read(project, *where)

    return {name: value(where) for name, where in WHERE[table].items()}


VALUES: dict[str, Value] = {
    "clauses": lambda project: str(len(project.clauses)),
    "python": lambda project: str(_project(project)["requires-python"]).removeprefix(">="),
    "licence": lambda project: str(_project(project)["license"]),
    **_read(_constant, "constants"),
    **_read(_default, "defaults"),
    **_read(_literal, "literals"),
}
"""What stands in a sentence, by name. Words are Markdown code; numbers are plain, times in seconds."""


def limits(project: Project) -> dict[str, str]:
    """Numbers that a release keeps, as they are."""
    return {name: VALUES[name](project) for name in WHERE["kept"]["limits"]}
