"""Each clause has one id, under which it is declared, listed and exported."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import Project

FOLDER = "src/finalturn/_contract/"
IDS = "src/finalturn/_core/turn/table.py"


class _Declared(NamedTuple):
    id: str
    constant: str
    file: str
    line: int


class _Word(NamedTuple):
    text: str
    line: int


def _declared(project: Project) -> list[_Declared]:
    """Every ``NAME = Clause(id="...", ...)``, in the order of the files."""
    found: list[_Declared] = []
    for file, text in sorted(project.files.items()):
        if not file.startswith(FOLDER) or not file.endswith(".py"):
            continue
        for node in ast.parse(text).body:
            match node:
                case ast.Assign(
                    targets=[ast.Name(id=constant)], value=ast.Call(func=ast.Name(id="Clause")) as call
                ):
                    for keyword in call.keywords:
                        if keyword.arg == "id" and isinstance(keyword.value, ast.Constant):
                            line = keyword.value.lineno
                            found.append(_Declared(str(keyword.value.value), constant, file, line))
                case _:
                    pass
    return found


def _words(project: Project, file: str, name: str) -> list[_Word]:
    """The names or strings that an assignment lists."""
    for node in ast.parse(project.files.get(file, "")).body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=found)], value=value)
                | ast.AnnAssign(target=ast.Name(id=found), value=value)
            ) if found == name and value is not None:
                return [
                    _Word(str(one.id if isinstance(one, ast.Name) else one.value), one.lineno)
                    for one in ast.walk(value)
                    if isinstance(one, ast.Name | ast.Constant)
                ]
            case _:
                pass
    return []


def _twice(project: Project) -> Iterator[Place]:
    first: dict[str, _Declared] = {}
    for one in _declared(project):
        other = first.setdefault(one.id, one)
        if other is not one:
            said = f"{one.id} is declared twice, also in {other.file}:{other.line}"
            yield at(one.file, one.line, said=said)


def _mismatch(project: Project) -> Iterator[Place]:
    declared = _declared(project)
    ids = [word for word in _words(project, IDS, "ClauseId") if "-" in word.text]
    known = {word.text for word in ids}
    for one in declared:
        constant = one.id.upper().replace("-", "_")
        if one.constant != constant:
            yield at(
                one.file,
                one.line,
                said=f"{one.constant} declares {one.id}",
                do=f"call the constant {constant}; an id that was released stays",
            )
        if one.id not in known:
            yield at(one.file, one.line, said=f"ClauseId does not list {one.id}", do=f"list it in {IDS}")
        if one.constant not in {word.text for word in _words(project, one.file, "__all__")}:
            yield at(one.file, one.line, said=f"__all__ does not hold {one.constant}", do="add it above")
    for word in ids:
        if word.text not in {one.id for one in declared}:
            yield at(
                IDS, word.line, said=f"no clause declares {word.text}", do="declare it, or take the id out"
            )


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT01",
        name="duplicate-id",
        what="{said}",
        remedy="give one of them an id of its own",
        why=(
            "An id is how tests, rules, pages and people point at one promise. With two promises under it,"
            " the proof of one passes for that of the other."
        ),
        find=_twice,
    ),
    Kind(
        code="FT07",
        name="id-mismatch",
        what="{said}",
        remedy="{do}",
        why=(
            "A clause is imported as a constant that is called as its id, and rules name it by a literal."
            " A clause that stands in one of these places only is proved, or upheld, or shown, but not all."
        ),
        find=_mismatch,
    ),
)
