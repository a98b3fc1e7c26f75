"""Kinds of drift between types that documents list and the types there are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._markdown import Document, Part
from tools.contractdocs._markdown_documents import documents
from tools.contractdocs._project import Project
from tools.contractdocs._public import PUBLIC_MODULES
from tools.contractdocs.kinds.text_commands import commands
from tools.contractdocs.kinds.text_names import PYTHON
from tools.contractdocs.kinds.text_vocabulary import Vocabulary

_ROW = re.compile(r"^[ \t]*(?:\||[-*+] |\d+[.)] )")
_SPAN = re.compile(r"`+([^`]+?)`+")


def _copied(project: Project) -> Iterator[Place]:
    vocabulary = Vocabulary(project)
    for file, document in documents(project):
        yield from _classes(file, document, vocabulary)
        for comment in document.comments:
            what, _, name = comment.text.partition(":")
            if what == "covers":
                yield from _covers(file, document, comment, name.strip(), vocabulary)


def _classes(file: str, document: Document, vocabulary: Vocabulary) -> Iterator[Place]:
    """Python fences that print a public class."""
    for fence in document.fences:
        if fence.language not in PYTHON:
            continue
        try:
            tree = ast.parse(fence.text)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            path = vocabulary.class_named(node.name) if isinstance(node, ast.ClassDef) else None
            if path is None or not isinstance(node, ast.ClassDef):
                continue
            shown = {name for item in node.body for name in _defined(item)}
            if shown:
                yield from _compare(
                    file, fence.line + node.lineno, path, shown, members(path, vocabulary) or set()
                )


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    return (
        [one.id for one in node.targets if isinstance(one, ast.Name)] if isinstance(node, ast.Assign) else []
    )


def _covers(
    file: str, document: Document, comment: Part, name: str, vocabulary: Vocabulary
) -> Iterator[Place]:
    wanted = members(name, vocabulary)
    if wanted is None:
        known = sorted({*vocabulary.shapes.members, *vocabulary.shapes.aliases})
        like = vocabulary.like(name)
        close = (
            f"did you mean {like}?"
            if like in known
            else "name a public class, literal, commands, extras or modules"
        )
        yield at(file, comment.line, name=name, said="there is nothing of that name to list", do=close)
        return
    shown = _listed(document, comment)
    if not shown:
        said = "no table or list with code in it stands below the marker"
        yield at(file, comment.line, name=name, said=said, do="put it right above one")
        return
    yield from _compare(file, comment.line, name, shown, wanted)


def _compare(file: str, line: int, name: str, shown: set[str], wanted: set[str]) -> Iterator[Place]:
    if lost := sorted(wanted - shown):
        yield at(file, line, name=name, said=f"{', '.join(lost)} missing here", do="add it")
    if extra := sorted(shown - wanted):
        yield at(file, line, name=name, said=f"it has no {', '.join(extra)}", do="take it out here")


def members(name: str, vocabulary: Vocabulary) -> set[str] | None:
    """What a list of something must hold; ``None`` when there is no such thing."""
    if name in vocabulary.shapes.aliases:
        return set(vocabulary.shapes.aliases[name])
    if name in vocabulary.shapes.members:
        fields = {
            symbol.path.rpartition(".")[2]
            for symbol in vocabulary.project.api.symbols.values()
            if symbol.path.rpartition(".")[0] == name and symbol.kind in ("field", "property", "member")
        }
        return fields or {one for one in vocabulary.shapes.members[name] if not one.startswith("_")}
    if name == "commands":
        return {" ".join(("finalturn", *key)) for key in commands(vocabulary.project) if key}
    if name == "extras":
        return set(vocabulary.extras)
    return set(PUBLIC_MODULES) if name == "modules" else None


def _listed(document: Document, comment: Part) -> set[str]:
    """The first code span of each row or item below a marker."""
    found: set[str] = set()
    started = False
    for line in document.text[comment.end :].split("\n")[1:]:
        if _ROW.match(line):
            started = True
            cell = line.strip().strip("|").split("|")[0]
            if match := _SPAN.search(cell):
                found.add(match[1].strip("\"'"))
        elif (started and (not line.strip() or not line.startswith(" "))) or (not started and line.strip()):
            break
    return found


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT34",
        name="hand-copied-type",
        what="a list of {name}: {said}",
        remedy="{do}",
        why="A list of a type's fields that lacks one says that there is none.",
        find=_copied,
    ),
)
