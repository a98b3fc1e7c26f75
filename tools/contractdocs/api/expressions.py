"""Modules as griffe reads them, and their expressions as the API report writes them: alike in any format."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
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

    def listed(self, module: str) -> Iterator[str]:
        """The names in the ``__all__`` of a module, with those of another one that it adds to its own."""
        visited = self.module(module)
        for name in (visited and visited.exports) or ():
            if isinstance(name, str):
                yield name
            else:
                yield from self.listed(name.canonical_path.removesuffix(".__all__"))

    def home(self, module: str, name: str) -> Home | None:
        """The module that defines what a module calls so, and its name there.

        Returns:
            ``None`` for a builtin, for what is defined outside the files, and for what is not there.
        """
        for _ in range(20):  # imports of imports; a circle of them ends too
            visited = self.module(module)
            if visited is None:
                return None
            member = visited.members.get(name)
            if member is None:
                aliases = (one for one in visited.members.values() if isinstance(one, griffe.Alias))
                starred = (self.home(one.wildcard, name) for one in aliases if one.wildcard)
                return next(filter(None, starred), None)
            if not isinstance(member, griffe.Alias):
                return module, name
            module, _, name = member.target_path.rpartition(".")
        return None

    def object(self, home: Home) -> griffe.Object:
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
    """Writes expressions of one module.

    A private alias is written out, and so is a private constant that is a literal: what they stand for
    belongs to the public name that uses them.

    Args:
        source: the modules.
        public: the definitions that have a public path.
        module: whose expressions these are.
    """

    def __init__(self, source: Source, public: Collection[Home], module: str) -> None:
        self.source = source
        self.public = public
        self._module = module

    def at(self, module: str) -> Writer:
        """One for another module."""
        return Writer(self.source, self.public, module)

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
        home = self.source.home(self._module, name)
        if home is None or home in self.public:
            return None
        found = self.source.object(home)
        if not isinstance(found, griffe.Attribute) or found.value is None:
            return None
        text, is_alias = str(found.value), str(found.annotation) == "TypeAlias"
        if is_alias or literal(text) is not NOTHING:
            return self.at(home[0]).tree(text, quoted=is_alias)
        return None


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
        parts = {ast.unparse(part): part for part in union(node)}
        return reduce(lambda left, right: ast.BinOp(left, ast.BitOr(), right), parts.values())


def union(node: ast.expr) -> list[ast.expr]:
    """The members of a union, from left to right; anything else is a union of itself."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*union(node.left), *union(node.right)]
    return [node]


NOTHING = object()


def literal(text: str) -> object:
    """The value of a literal; ``NOTHING`` for any other expression."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return NOTHING
