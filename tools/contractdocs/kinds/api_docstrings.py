"""Docstrings against the signatures that they describe."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from tools.contractdocs._api import Symbol
from tools.contractdocs._api_docstring import Entries, entries
from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import Project
from tools.contractdocs._public import PUBLIC_MODULES

EXCEPTIONS = frozenset(
    name
    for name, thing in vars(builtins).items()
    if isinstance(thing, type) and issubclass(thing, BaseException)
)
# The docstring of their class or function describes them.
_DESCRIBED_ELSEWHERE = ("field", "member", "parameter")


def _no_docstring(project: Project) -> Iterator[Place]:
    for module in PUBLIC_MODULES:
        file = f"src/{module.replace('.', '/')}"
        name = next((one for one in (f"{file}.py", f"{file}/__init__.py") if one in project.files), None)
        if name is not None and not ast.get_docstring(ast.parse(project.files[name])):
            yield at(name, 1, path=module, kind="module")
    for symbol in project.api.symbols.values():
        if not symbol.docstring.strip() and symbol.kind not in _DESCRIBED_ELSEWHERE and not _speaks(symbol):
            yield at(symbol.file, symbol.line, path=symbol.path, kind=symbol.kind)


def _speaks(symbol: Symbol) -> bool:
    """Whether it needs no docstring: the language says what an operator does, and a clause says itself."""
    operator = symbol.name.startswith("__") and symbol.name not in ("__call__", "__version__")
    return operator or (symbol.kind == "constant" and f"{symbol.name} = Clause(" in symbol.signature)


def _undocumented(project: Project) -> Iterator[Place]:
    for symbol in project.api.symbols.values():
        if symbol.kind == "class":
            problems = _of_class(symbol, project.api.members.get(symbol.path, ()))
        elif symbol.kind in ("function", "method"):
            problems = _of_function(symbol)
        else:
            continue
        if symbol.docstring:
            for problem in problems:
                yield at(symbol.file, symbol.line, path=symbol.path, problem=problem)


def _of_function(symbol: Symbol) -> Iterator[str]:
    described = entries(symbol.docstring).arguments
    parameters = [one.name for one in symbol.parameters]
    if not _is_called_by_a_machine(symbol):
        yield from (_lacks(name) for name in parameters if name not in described)
    yield from (_invents(name) for name in described if name not in parameters)


def _of_class(symbol: Symbol, members: tuple[Symbol, ...]) -> Iterator[str]:
    found = entries(symbol.docstring)
    fields = [one.name for one in members if one.kind in ("field", "member")]
    described = {one.name for one in members if one.docstring} | found.arguments.keys()
    parameters = [one.name for one in symbol.parameters]
    yield from (_lacks(name) for name in dict.fromkeys([*fields, *parameters]) if name not in described)
    yield from (_invents(name) for name in found.arguments if name not in parameters)
    known = {one.name for one in members if one.kind != "method"}
    yield from (_invents(name) for name in found.attributes if name not in known)


def _lacks(name: str) -> str:
    return f"does not describe {name}"


def _invents(name: str) -> str:
    return f"describes {name}, which it does not have"


def _is_called_by_a_machine(symbol: Symbol) -> bool:
    """An operator, whose parameters are the language's; or a test or a hook, whose are pytest's."""
    return symbol.name.startswith(("test_", "pytest_")) or (
        symbol.name.startswith("__") and symbol.name != "__call__"
    )


def _no_such_error(project: Project) -> Iterator[Place]:
    public = {symbol.name for symbol in project.api.symbols.values() if symbol.kind == "class"}
    for symbol in project.api.symbols.values():
        found: Entries = entries(symbol.docstring)
        for name in found.raises:
            if name not in EXCEPTIONS and name not in public:
                yield at(symbol.file, symbol.line, path=symbol.path, name=name)


KINDS = (
    Kind(
        code="FT45",
        name="no-docstring",
        what="the {kind} {path} is public without a docstring",
        remedy="say what it means, its shape and units, and which errors it raises",
        why="A name that nobody explained is used by guess, and the guess becomes what must be kept.",
        find=_no_docstring,
    ),
    Kind(
        code="FT46",
        name="undocumented-parameter",
        what="the docstring of {path} {problem}",
        remedy="make Args: and Attributes: name what the signature names, and nothing else",
        why=(
            "A parameter that was renamed or removed lives on in its docstring, and one that was added is"
            " missing from it: editors show the docstring, and users write calls that fail."
        ),
        find=_undocumented,
    ),
    Kind(
        code="FT48",
        name="no-such-error",
        what="the docstring of {path} says that it raises {name}, which is no public exception",
        remedy="name a builtin or a public exception, or make this one public",
        why="Users write `except` for what a docstring names. A name that they cannot import is a dead end.",
        find=_no_such_error,
    ),
)
