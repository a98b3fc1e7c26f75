"""The core does no I/O, reads no clock and knows no provider."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator

from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import Project
from tools.contractdocs.kinds.code_trees import SRC, trees

CORE = f"{SRC}core/"
OURS = ("finalturn._core", "finalturn._support.keywords", "finalturn.stability")
OTHERS = ("pydantic", "pydantic_core")

_PURE = """
__future__ abc base64 binascii bisect builtins collections contextlib copy dataclasses decimal difflib
enum fractions functools hashlib heapq html itertools json keyword math numbers operator re reprlib string
struct textwrap types typing unicodedata warnings weakref
"""

PURE = frozenset(_PURE.split())
"""Modules of Python's that do no I/O, read no clock and draw no lots."""

PURE_PARTS = ("urllib.parse",)

IMPURE_CALLS = ("open", "print", "input", "__import__", "exec", "eval", "breakpoint")


def _impure(project: Project) -> Iterator[Place]:
    forbidden = _forbidden(project)
    for file, tree in trees(project, CORE):
        for module, line in _imports(tree):
            if reason := _why_not(module, forbidden):
                yield at(file, line, what=f"imports {module}, {reason}")
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in IMPURE_CALLS:
                yield at(file, node.lineno, what=f"calls {ast.unparse(node.func)}(), which is not pure")


def _why_not(module: str, forbidden: frozenset[str]) -> str:
    top = module.partition(".")[0]
    if top in forbidden:
        return "which pyproject.toml forbids it"
    if top == "finalturn":
        return "" if _is_part(module, OURS) else "which is not below it"
    if top in PURE or _is_part(module, PURE_PARTS) or top in OTHERS:
        return ""
    return (
        "which is not known to be pure" if top in sys.stdlib_module_names else "which is a package of others"
    )


def _is_part(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def _forbidden(project: Project) -> frozenset[str]:
    """What the import linter keeps out of the core."""
    settings = tomllib.loads(project.files.get("pyproject.toml", "")).get("tool", {})
    contracts = settings.get("importlinter", {}).get("contracts", [])
    return frozenset(
        module
        for contract in contracts
        if contract.get("type") == "forbidden" and "finalturn._core" in contract.get("source_modules", ())
        for module in contract.get("forbidden_modules", ())
    )


def _imports(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Every import that runs, wherever it stands."""
    typing_only = {
        id(one)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
        for part in node.body
        for one in ast.walk(part)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if module == "finalturn":
                yield from ((f"finalturn.{alias.name}", node.lineno) for alias in node.names)
            else:
                yield module, node.lineno


def _unguarded(project: Project) -> Iterator[Place]:
    """The import linter sees what is imported through others; this check does not."""
    forbidden = _forbidden(project)
    missing = [name for name in ("anyio", "asyncio", "socket", "threading", "time") if name not in forbidden]
    if missing:
        line = project.line_of("pyproject.toml", 'id = "pure-core"')
        yield at("pyproject.toml", line, missing=", ".join(missing))


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT26",
        name="impure-core",
        what="the core {what}",
        remedy="let the driver do it, and tell the machine what came of it",
        why=(
            "The machine can be recorded, replayed and mutated because it only computes. One look at a clock"
            " or a socket, and a turn is no longer a function of its inputs."
        ),
        find=_impure,
    ),
    Kind(
        code="FT2C",
        name="core-unguarded",
        what="the import linter's contract on the core does not forbid {missing}",
        remedy="put it back into forbidden_modules",
        why="The linter follows imports through other modules, which a look at one file cannot.",
        find=_unguarded,
    ),
)
