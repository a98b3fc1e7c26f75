"""Modules as griffe reads them, and their expressions as the API report writes them: alike in any format."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache, reduce
from pathlib import Path

import griffe

from tools.contractdocs.modules import module_file

Home = tuple[str, str]
"""The module that defines a name, and its name there."""


class Source:
    """Modules, read when they are asked for.

    Args:
        files: texts, by path from the root of the repository.
    """

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files

    def file(self, module: str) -> str:
        """The path of a module's file; "" where there is none."""
        try:
            return module_file(module, self._files)
        except LookupError:
            return ""

    def text(self, module: str) -> str:
        """The text of a module."""
        return self._files[self.file(module)]

    def module(self, name: str) -> griffe.Module | None:
        """A module; ``None`` when it is not among the files."""
        file = self.file(name)
        return visit(name, file, self._files[file]) if file else None

    def home(self, module: str, name: str) -> tuple[str, str] | None:
        """The module that defines what a module calls so, and its name there.

        Returns:
            ``None`` for a builtin, for what is defined outside the files, and for what is not there.
        """
        for _ in range(20):  # imports of imports; a circle of them ends too
            found = self.module(module)
            if found is None:
                return None
            if name not in found.members:
                return self._starred(found, name)
            member = found.members[name]
            if not isinstance(member, griffe.Alias):
                return module, name
            module, _, name = member.target_path.rpartition(".")
        return None

    def imported(self, module: str, name: str) -> str:
        """The module that a module has imported under a name; "" where there is none."""
        importer = self.module(module)
        member = None if importer is None else importer.members.get(name)
        return member.target_path if isinstance(member, griffe.Alias) else ""

    def _starred(self, module: griffe.Module, name: str) -> tuple[str, str] | None:
        """Where a name is defined that ``from other import *`` brings into a module."""
        members = module.members.values()
        others = [one.wildcard for one in members if isinstance(one, griffe.Alias) and one.wildcard]
        return next(filter(None, (self.home(other, name) for other in others)), None)

    def object(self, home: tuple[str, str]) -> griffe.Object:
        """What is defined there."""
        module = self.module(home[0])
        assert module is not None
        found = module.members[home[1]]
        assert isinstance(found, griffe.Object)
        return found


@lru_cache(maxsize=1024)
def visit(name: str, file: str, text: str) -> griffe.Module:
    """A module, read from its text. It is shared: do not change it."""
    return griffe.visit(name, Path(file), text)


class Writer:
    """Writes expressions of one module, and remembers which public names they mention.

    A private alias is written out, and so is a private constant that is a literal: what they stand for
    belongs to the public name that uses them.

    Args:
        source: the modules.
        public: the public path of each definition that has one.
        module: whose expressions these are.
    """

    def __init__(
        self, source: Source, public: Mapping[Home, str], module: str, mentions: set[str] | None = None
    ) -> None:
        self._source = source
        self._public = public
        self._module = module
        self.mentions: set[str] = set() if mentions is None else mentions

    def at(self, module: str) -> Writer:
        """One for another module, which remembers what is mentioned in the same place."""
        return Writer(self._source, self._public, module, self.mentions)

    def write(self, expression: griffe.Expr | str | None) -> str:
        """One expression, on one line; "" for none."""
        return "" if expression is None else ast.unparse(self.tree(str(expression)))

    def annotation(self, expression: griffe.Expr | str | None) -> str:
        """One annotation, on one line, without the quotes of what is quoted in it; "" for none."""
        return "" if expression is None else ast.unparse(self.tree(str(expression), quoted=True))

    def tree(self, text: str, *, quoted: bool = False) -> ast.expr:
        """One expression, with what is private in it written out.

        Args:
            text: the expression.
            quoted: a string in it is an expression too.
        """
        found = _Expansion(self, quoted).visit(ast.parse(text.strip(), mode="eval").body)
        assert isinstance(found, ast.expr)
        return found

    def expanded(self, name: str) -> ast.expr | None:
        """What a private name stands for; ``None`` for one that is to stay."""
        home = self._source.home(self._module, name)
        if home is None:
            return None
        if home in self._public:
            self.mentions.add(self._public[home])
            return None
        found = self._source.object(home)
        if not isinstance(found, griffe.Attribute) or found.value is None:
            return None
        elsewhere = self.at(home[0])
        text = str(found.value)
        if str(found.annotation) == "TypeAlias":
            return elsewhere.tree(text, quoted=True)
        return elsewhere.tree(text) if _is_literal(text) else None


class _Expansion(ast.NodeTransformer):
    def __init__(self, writer: Writer, quoted: bool) -> None:
        self._writer = writer
        self._quoted = quoted

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if self._quoted and isinstance(node.value, str):
            return self._writer.tree(node.value, quoted=True)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        # Only the first argument of Annotated is a type, and none of Literal's is.
        name = ast.unparse(node.value).rpartition(".")[2]
        if name == "Annotated" and isinstance(node.slice, ast.Tuple):
            node.slice.elts[0] = self.visit(node.slice.elts[0])
        elif name != "Literal":
            self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._writer.expanded(node.id) or node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.BitOr):
            return node
        parts = {ast.unparse(part): part for part in _parts(node)}
        return reduce(lambda left, right: ast.BinOp(left, ast.BitOr(), right), parts.values())


def _parts(node: ast.expr) -> list[ast.expr]:
    """The members of a union, from left to right."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_parts(node.left), *_parts(node.right)]
    return [node]


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    return True
