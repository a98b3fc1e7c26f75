"""Kinds of drift between the kinds of drift and what shows that they work."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._markdown_documents import documents
from tools.contractdocs._project import Project

TESTS = "tests/contractdocs/"

PLANTERS = ("planted", "on_page")
"""What tests call with a code, to see what its kind finds."""

NEEDED = (
    ".ci/run",
    ".gitignore",
    "AGENT.md",
    "CHANGELOG.md",
    "Makefile",
    "README.md",
    "mkdocs.yml",
    "pyproject.toml",
)
"""Files that some kind looks at by name."""


def _groups() -> dict[str, tuple[Kind, ...]]:
    import importlib

    from tools.contractdocs.kinds import GROUPS  # the package that holds this module

    modules = {group: importlib.import_module(f"tools.contractdocs.kinds.{group}") for group in GROUPS}
    return {group: module.KINDS for group, module in modules.items()}


def _nothing(project: Project) -> Iterator[Place]:
    python = [name for name in project.files if name.startswith("src/") and name.endswith(".py")]
    looked = {
        "clauses": (project.clauses, "src/finalturn/contract.py"),
        "rules of the turn's table": (project.table, "src/finalturn/_core/turn/table.py"),
        "public names": (project.api.symbols, "tools/contractdocs/_api.py"),
        "source files": (python, "tools/contractdocs/_project.py"),
        "documents": (list(documents(project)), "tools/contractdocs/_project.py"),
        "proofs": (project.evidence.proofs, "tools/contractdocs/_evidence_gather.py"),
        "examples": (project.evidence.examples, "tools/contractdocs/_evidence_gather.py"),
        "renders in other processes": (project.renders, "tools/contractdocs/_reproducible.py"),
    }
    for file in NEEDED:
        if not project.files.get(file, "").strip():
            yield at(file, 1, what="lines in it, or it was not read")
    for what, (things, file) in looked.items():
        if not things:
            yield at(file, 1, what=what)
    for group, found in _groups().items():
        if not found:
            yield at(f"tools/contractdocs/kinds/{group}.py", 1, what=f"kinds of drift in the group {group}")


def _untested(project: Project) -> Iterator[Place]:
    tested: set[str] = set()
    for file, text in project.files.items():
        if file.startswith(TESTS) and file.rpartition("/")[2].startswith("test_"):
            tested |= _planted(text)
    for kind, file, line in _all(project):
        if kind.code not in tested:
            yield at(file, line, kind=kind.code, name=kind.name)


def _planted(text: str) -> set[str]:
    """The codes that tests in a file plant, themselves or through a function that they call.

    A test that is skipped or holds no assertion plants nothing.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return set()
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    tests = [node for node in functions if node.name.startswith("test_")]
    helpers: dict[str, set[str]] = {}
    for node in functions:
        if node not in tests:
            helpers[node.name] = helpers.get(node.name, set()) | _codes(node)
    found: set[str] = set()
    for node in tests:
        marks = " ".join(ast.unparse(decorator) for decorator in node.decorator_list)
        if (
            "skip" in marks
            or "xfail" in marks
            or not any(isinstance(one, ast.Assert) for one in ast.walk(node))
        ):
            continue
        found |= _codes(node)
        for one in ast.walk(node):
            if isinstance(one, ast.Call):
                found |= helpers.get(ast.unparse(one.func).rpartition(".")[2], set())
    return found


def _codes(node: ast.AST) -> set[str]:
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call) and ast.unparse(one.func) in PLANTERS]
    parts = [part for one in calls if one.args for part in ast.walk(one.args[0])]
    return {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}


def _unpaged(project: Project) -> Iterator[Place]:
    pages = {
        name for name in project.files if name.startswith("docs/drift/") and name != "docs/drift/index.md"
    }
    for kind, file, line in _all(project):
        page = f"docs/drift/{kind.code.lower()}.md"
        if page not in pages:
            yield at(file, line, said=f"{kind.code} has no page {page}", do="make docs")
        if not kind.why.strip() or not kind.remedy.strip():
            yield at(file, line, said=f"{kind.code} does not say why, or what to do", do="say both")


def _twice(project: Project) -> Iterator[Place]:
    seen: dict[str, str] = {}
    for kind, file, line in _all(project):
        for word in (kind.code, kind.name):
            if word in seen:
                yield at(file, line, word=word, other=seen[word])
            seen[word] = f"{kind.code} {kind.name}"


def _all(project: Project) -> Iterator[tuple[Kind, str, int]]:
    """Every kind, and where it is declared."""
    for group, found in _groups().items():
        for kind in found:
            wanted = re.compile(rf'^ *code="{kind.code}",?$', re.MULTILINE)
            for file, text in project.files.items():
                if file.startswith("tools/contractdocs/kinds/") and (match := wanted.search(text)):
                    yield kind, file, text.count("\n", 0, match.start()) + 1
                    break
            else:
                yield kind, f"tools/contractdocs/kinds/{group}.py", 1


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT60",
        name="looked-at-nothing",
        what="there are no {what}",
        remedy="find out why; a check that saw nothing fails",
        why="A check that finds no files, runs no tests or loads no rules is green, and says nothing.",
        find=_nothing,
    ),
    Kind(
        code="FT62",
        name="untested-kind",
        what='{kind} {name} has no test with planted("{kind}", ...) and an assertion',
        remedy="plant the drift in a test, and assert the whole message",
        why="Only a drift that was planted and found shows that the check can fail.",
        find=_untested,
    ),
    Kind(
        code="FT65",
        name="unpaged-kind",
        what="{said}",
        remedy="{do}",
        why="A finding is read by someone who sees it for the first time. Its page says why it matters.",
        find=_unpaged,
    ),
    Kind(
        code="FT66",
        name="kind-twice",
        what="{word} is that of another kind too: {other}",
        remedy="take another",
        why="A code in a message, on a page and in a discussion must mean one thing.",
        find=_twice,
    ),
)
