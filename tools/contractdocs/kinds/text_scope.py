"""What the code on a page binds, and the public classes that its values are of."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass, field

from tools.contractdocs.kinds.text_vocabulary import Vocabulary

ENUM = frozenset({"name", "value", *dir(str)})


@dataclass
class Scope:
    """What a piece of code binds.

    Attributes:
        names: every name.
        classes: the public class of a variable's value, by its name; ``None`` where it has several.
        imported: the full name of what it imports from finalturn, by its name here.
    """

    names: set[str] = field(default_factory=set[str])
    classes: dict[str, str | None] = field(default_factory=dict[str, str | None])
    imported: dict[str, str] = field(default_factory=dict[str, str])

    def hold(self, name: str, path: str | None) -> None:
        """Note what a variable is given; two classes are none."""
        self.names.add(name)
        self.classes[name] = path if self.classes.get(name, path) == path else None

    def add(self, other: Scope) -> None:
        """Add what other code binds."""
        self.names |= other.names
        self.imported.update(other.imported)
        for name, path in other.classes.items():
            self.hold(name, path)


def scope_of(tree: ast.AST, vocabulary: Vocabulary) -> Scope:
    """What a tree binds."""
    scope = Scope()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                scope.names.add((alias.asname or alias.name).partition(".")[0])
                if isinstance(node, ast.ImportFrom) and is_ours(node.module):
                    scope.imported[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            scope.names.add(node.name)
    for node in ast.walk(tree):
        for name, path in _bound(node, vocabulary, scope):
            scope.hold(name, path)
    return scope


def is_ours(module: str | None) -> bool:
    """Whether it is a module of finalturn."""
    return (module or "").partition(".")[0] == "finalturn"


def _bound(node: ast.AST, vocabulary: Vocabulary, scope: Scope) -> Iterator[tuple[str, str | None]]:
    """The variables that a node binds itself, and their classes."""
    shapes = vocabulary.shapes
    if isinstance(node, ast.arg):
        yield node.arg, shapes.class_in(ast.unparse(node.annotation)) if node.annotation else None
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, shapes.class_in(ast.unparse(node.annotation))
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, class_of(node.value, vocabulary, scope)
            else:
                yield from ((name, None) for name in _stored(target))
    elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        yield from ((name, None) for name in _stored(node.target))
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        if isinstance(node.optional_vars, ast.Name):
            yield node.optional_vars.id, class_of(node.context_expr, vocabulary, scope)
    elif isinstance(node, ast.NamedExpr):
        yield node.target.id, class_of(node.value, vocabulary, scope)
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name, shapes.class_in(ast.unparse(node.type)) if node.type else None
    elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name, None


def _stored(target: ast.expr) -> Iterator[str]:
    return (node.id for node in ast.walk(target) if isinstance(node, ast.Name))


def class_of(node: ast.expr, vocabulary: Vocabulary, scope: Scope) -> str | None:
    """The public class of an expression's value; ``None`` where it is not known."""
    shapes = vocabulary.shapes
    match node:
        case ast.Await(value=value):
            return class_of(value, vocabulary, scope)
        case ast.Name(id=name):
            return scope.classes.get(name)
        case ast.Call():
            path = callee(node, vocabulary, scope)
            if path is None or path in shapes.members or path not in shapes.signatures:
                return path if path in shapes.members else None
            found = {shapes.class_in(call.returns) for call in shapes.signatures[path].calls}
            return found.pop() if len(found) == 1 else None
        case ast.Attribute(value=value, attr=name):
            annotation = annotation_of(class_of(value, vocabulary, scope), name, vocabulary)
            return shapes.class_in(annotation) if annotation else None
        case ast.Subscript(value=ast.Attribute(value=value, attr=name), slice=ast.Constant() | ast.UnaryOp()):
            annotation = annotation_of(class_of(value, vocabulary, scope), name, vocabulary)
            return shapes.class_in(annotation, item=True) if annotation else None
    return None


def annotation_of(owner: str | None, name: str, vocabulary: Vocabulary) -> str:
    """The annotation of a class's member; "" where it has none."""
    signatures = vocabulary.shapes.signatures
    if owner is None:
        return ""
    if f"{owner}.{name}" in signatures:
        return signatures[f"{owner}.{name}"].annotation
    for base in signatures[owner].bases:
        if (parent := vocabulary.class_named(base.partition("[")[0])) and parent != owner:
            return annotation_of(parent, name, vocabulary)
    return ""


def callee(node: ast.Call, vocabulary: Vocabulary, scope: Scope) -> str | None:
    """The full name of what is called, where it is public."""
    function = node.func
    if isinstance(function, ast.Name):
        if function.id in scope.imported or function.id in scope.names:
            return scope.imported.get(function.id)
        paths = vocabulary.by_name.get(function.id, ())
        return next(
            (
                path
                for path in paths
                if path in vocabulary.shapes.parameters and not _is_member(path, vocabulary)
            ),
            None,
        )
    if not isinstance(function, ast.Attribute):
        return None
    written = ast.unparse(function)
    if written.startswith("finalturn."):
        return written
    owner = class_of(function.value, vocabulary, scope)
    if owner is None and isinstance(function.value, ast.Name):
        root = function.value.id
        owner = scope.imported.get(root)
        if owner is None and root not in scope.names:
            owners = [vocabulary.class_named(root), *vocabulary.classes_of(root)]
            owner = next(
                (one for one in owners if one and function.attr in vocabulary.shapes.members[one]), None
            )
    return _defined(owner, function.attr, vocabulary) if owner else None


def _is_member(path: str, vocabulary: Vocabulary) -> bool:
    return path.rpartition(".")[0] in vocabulary.shapes.members


def _defined(owner: str, name: str, vocabulary: Vocabulary) -> str:
    """The full name of a member, where it is inherited too."""
    if f"{owner}.{name}" not in vocabulary.shapes.signatures and owner in vocabulary.shapes.signatures:
        for base in vocabulary.shapes.signatures[owner].bases:
            if (parent := vocabulary.class_named(base.partition("[")[0])) and parent != owner:
                return _defined(parent, name, vocabulary)
    return f"{owner}.{name}"


def has(owner: str, name: str, vocabulary: Vocabulary) -> bool:
    """Whether a class has an attribute, from Python's own classes too."""
    if name in vocabulary.shapes.members[owner] or (name.startswith("__") and name.endswith("__")):
        return True
    for base in vocabulary.shapes.signatures[owner].bases:
        bare = base.partition("[")[0]
        if "Enum" in bare and name in ENUM:
            return True
        if name in dir(getattr(builtins, bare, None)) and bare not in ("object", "None"):
            return True
        if (parent := vocabulary.class_named(bare)) and parent != owner and has(parent, name, vocabulary):
            return True
    return False
