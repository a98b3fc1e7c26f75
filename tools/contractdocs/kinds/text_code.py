"""Reads code in documents, and finds the names in it that nothing has."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from tools.contractdocs._public import PUBLIC_MODULES
from tools.contractdocs.kinds.text_scope import Scope, callee, class_of, has, is_ours
from tools.contractdocs.kinds.text_vocabulary import PYTHON, Vocabulary

TAGS = {
    "event": "finalturn.StreamEvent",
    "structured_status": "finalturn.StructuredStatus",
    "stop_reason": "finalturn.StopReason",
    "finish_reason": "finalturn.FinishReason",
    "role": "finalturn.Role",
}
"""Attributes whose value is one of a few words, and where the words are."""

CONTAINERS = frozenset({*dir(str), *dir(list), *dir(dict), *dir(set)})


@dataclass(frozen=True)
class Problem:
    """A name that nothing has.

    Attributes:
        line: 0-based, within the code.
        said: what is wrong.
        word: the name, for a hint.
        hint: what to do, where that is known better than by likeness.
    """

    line: int
    said: str
    word: str
    hint: str = ""


def parse(text: str) -> ast.AST | None:
    """The syntax tree of an expression, statement, header of one, or list of keywords."""
    header = text.rstrip(":")
    keywords = re.match(r"\w+=[^=\s]", text) is not None
    for form in (
        *([f"_({text})"] if keywords else []),
        text,
        f"{header}:\n  pass",
        f"async def _():\n  {text}",
        f"async def _():\n  {header}:\n    pass",
        f"{text}\ndef _(): pass",
        f"match _:\n  {text}",
        f"match _:\n  {header}: pass",
        f"_({text})",
        f"_({text}...)",
    ):
        try:
            return ast.parse(form)
        except (SyntaxError, ValueError):
            continue
    return None


def problems(tree: ast.AST, vocabulary: Vocabulary, scope: Scope, *, strict: bool) -> Iterator[Problem]:
    """The names in a tree that nothing has; strictly, no name may be unknown."""
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        match node:
            case ast.Import() | ast.ImportFrom():
                found = _imports(node, vocabulary)
            case ast.Attribute():
                found = _attribute(node, vocabulary, scope, strict=strict, inner=id(node) in inner)
            case ast.Name(id=name) if (
                strict and id(node) not in inner and not _known(name, vocabulary, scope)
            ):
                found = iter([(f"nothing is called {name}", name)])
            case ast.Call():
                found = _call(node, vocabulary, scope)
            case ast.Compare() | ast.Match() | ast.MatchClass():
                yield from _tagged(node, vocabulary, scope)
                continue
            case _:
                continue
        for said, word in found:
            yield Problem(getattr(node, "lineno", 1) - 1, said, word)


def _known(name: str, vocabulary: Vocabulary, scope: Scope) -> bool:
    return name == "_" or name in vocabulary.names or name in scope.names or bool(vocabulary.classes_of(name))


def _imports(node: ast.Import | ast.ImportFrom, vocabulary: Vocabulary) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            if is_ours(alias.name) and alias.name not in PUBLIC_MODULES:
                yield f"{alias.name} is not a public module", alias.name
        return
    for alias in node.names if is_ours(node.module) else ():
        path = f"{node.module}.{alias.name}"
        if path not in vocabulary.paths:
            symbols = vocabulary.project.api.symbols
            home = next((one for one in vocabulary.by_name.get(alias.name, ()) if one in symbols), None)
            where = f"; it is {home}" if home else ""
            yield f"{node.module} has no public {alias.name}{where}", path


def _attribute(
    node: ast.Attribute, vocabulary: Vocabulary, scope: Scope, *, strict: bool, inner: bool
) -> Iterator[tuple[str, str]]:
    """What is wrong with an attribute."""
    written = ast.unparse(node)
    root = written.partition(".")[0]
    if root == "finalturn" and "finalturn" not in scope.classes:
        if not inner and written not in vocabulary.paths:
            yield f"there is no public {written}", written
        return
    owner = class_of(node.value, vocabulary, scope)
    if owner is None and isinstance(node.value, ast.Name):
        owner = scope.imported.get(root) or (None if root in scope.names else vocabulary.class_named(root))
        if owner is None and (root not in scope.names or strict):
            yield from _of_unknown(node, root, written, vocabulary, scope, strict=strict)
            return
    if owner in vocabulary.shapes.members:
        if not has(owner or "", node.attr, vocabulary):
            name = (owner or "").rpartition(".")[2]
            yield f"{name} has no {node.attr}", f"{name}.{node.attr}"
    elif owner is not None:
        if f"{owner}.{node.attr}" not in vocabulary.paths and owner in PUBLIC_MODULES:
            yield f"there is no public {owner}.{node.attr}", f"{owner}.{node.attr}"
    elif strict and not isinstance(node.value, ast.Name) and not _anywhere(node.attr, vocabulary, scope):
        yield f"nothing has {node.attr}", node.attr


def _of_unknown(
    node: ast.Attribute, root: str, written: str, vocabulary: Vocabulary, scope: Scope, *, strict: bool
) -> Iterator[tuple[str, str]]:
    """An attribute of a name that is bound to no known class."""
    owners = () if root in scope.names and not strict else vocabulary.classes_of(root)
    if owners:
        if not any(has(owner, node.attr, vocabulary) for owner in owners):
            names = " and ".join(owner.rpartition(".")[2] for owner in owners)
            yield f"{names} {'have' if len(owners) > 1 else 'has'} no {node.attr}", written
    elif (
        not strict
        or root in sys.stdlib_module_names
        or root in vocabulary.requirements
        or root in vocabulary.words
        or written in vocabulary.words
    ):
        return
    elif root in scope.names or root in PYTHON:
        if not _anywhere(node.attr, vocabulary, scope):
            yield f"nothing has {node.attr}", node.attr
    elif not any(path.endswith(f".{written}") for path in vocabulary.paths):
        yield f"nothing is called {written}", written


def _anywhere(name: str, vocabulary: Vocabulary, scope: Scope) -> bool:
    return name in vocabulary.names or name in scope.names or name in CONTAINERS


def _call(node: ast.Call, vocabulary: Vocabulary, scope: Scope) -> Iterator[tuple[str, str]]:
    words = [word for word in node.keywords if word.arg is not None]
    if isinstance(node.func, ast.Name) and node.func.id == "_":
        yield from _keywords(words, vocabulary)
        return
    path = callee(node, vocabulary, scope)
    known = vocabulary.shapes.parameters.get(path or "")
    if path is None or known is None:
        return
    for word in words:
        name = word.arg or ""
        if name not in known or known[name].passing == "positional":
            yield f"{path.removeprefix('finalturn.')} takes no {name}", name
        elif _is_plain(word.value) and not vocabulary.shapes.takes(known[name], ast.literal_eval(word.value)):
            yield f"{name} of {path.removeprefix('finalturn.')} cannot be {ast.unparse(word.value)}", name


def _keywords(words: list[ast.keyword], vocabulary: Vocabulary) -> Iterator[tuple[str, str]]:
    """Keywords without what takes them: something public must take them all."""
    names = {word.arg or "" for word in words}
    takers = [known for known in vocabulary.shapes.parameters.values() if known and names <= known.keys()]
    if not takers and names:
        lost = sorted(names - vocabulary.parameters) or sorted(names)
        yield f"nothing public takes {' and '.join(lost)}", lost[0]
    for word in words:
        if takers and _is_plain(word.value):
            value = ast.literal_eval(word.value)
            if not any(vocabulary.shapes.takes(known[word.arg or ""], value) for known in takers):
                yield f"{word.arg} cannot be {ast.unparse(word.value)}", word.arg or ""


def _is_plain(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is not ...


def _tagged(
    node: ast.Compare | ast.Match | ast.MatchClass, vocabulary: Vocabulary, scope: Scope
) -> Iterator[Problem]:
    """Words that events, statuses and the like are compared with."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        for tag in {tag for side in sides if (tag := _tag(side))}:
            for side in sides:
                yield from _words(tag, side, vocabulary)
    elif isinstance(node, ast.Match):
        if tag := _tag(node.subject):
            for case in node.cases:
                yield from _words(tag, case.pattern, vocabulary)
    else:
        name = ast.unparse(node.cls)
        path = scope.imported.get(name) or (None if name in scope.names else vocabulary.class_named(name))
        for word, pattern in zip(node.kwd_attrs, node.kwd_patterns, strict=True):
            if path in vocabulary.shapes.members and not has(path or "", word, vocabulary):
                yield Problem(node.lineno - 1, f"{name} has no {word}", word)
            elif path and word in TAGS:
                yield from _words(word, pattern, vocabulary)


def _tag(node: ast.expr) -> str | None:
    if isinstance(node, ast.Attribute) and node.attr in TAGS:
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value in TAGS:
        return str(node.slice.value)
    return None


def _words(tag: str, node: ast.AST, vocabulary: Vocabulary) -> Iterator[Problem]:
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value != tag:
            yield from wrong_word(tag, one.value, one.lineno - 1, vocabulary)


def wrong_word(tag: str, word: str, line: int, vocabulary: Vocabulary) -> Iterator[Problem]:
    """A word that an attribute cannot have."""
    values = vocabulary.shapes.aliases.get(TAGS[tag], ())
    if values and word not in values:
        yield Problem(line, f'no {tag} is "{word}"', word, f"there are {', '.join(values)}")
