"""The shape of the repository: small files, and a test module for each module."""

from __future__ import annotations

import ast
from fnmatch import fnmatchcase as fnmatch
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "finalturn"
TESTS = ROOT / "tests"
TREES = ("src", "tools", "tests")

LONGEST_FILE = 400
LONGEST_MEDIAN = 150

# Modules without a test module of their own (or patterns for them), and why. The list may only shrink: a
# module that is added needs a test module, and an entry that is no longer needed fails.
UNTESTED = {
    "_contract/clauses/__init__.py": "a list of all clauses, which every test of the contract goes through",
    "__main__.py": "the command line's tests start it",
    "_core/turn/rules_*.py": "rows of the table: its test and the machine's go through each",
}
UNTESTED_AT_MOST = 3


def python_files(*trees: str) -> list[Path]:
    return sorted(path for tree in trees for path in (ROOT / tree).rglob("*.py"))


def line_count(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def homes_of_tests(module: Path) -> set[Path]:
    """Where the tests of a module may be: the same folders, without underscores.

    Those of ``_core/hold/scan.py`` are in ``tests/core/hold/test_scan.py``, or flat, in
    ``tests/core/test_hold_scan.py``; the flat name of ``_core/hold/hold.py`` is ``tests/core/test_hold.py``.
    What is in ``tests/contract`` proves clauses; the contract's own code has ``tests/contract_package``.
    """
    *folders, name = (part.strip("_") for part in module.relative_to(PACKAGE).with_suffix("").parts)
    if folders[:2] == ["contract", "clauses"]:
        return {
            TESTS / "contract" / f"test_{name}.py",
            TESTS / "contract_package" / "clauses" / f"test_{name}.py",
        }
    if folders[:1] == ["contract"]:
        folders[0] = "contract_package"
    homes = {TESTS.joinpath(*folders, f"test_{name}.py")}
    if folders:
        *outer, inner = folders
        homes.add(TESTS.joinpath(*outer, f"test_{inner if name == inner else f'{inner}_{name}'}.py"))
    return homes


def only_reexports(module: Path) -> bool:
    """A package's ``__init__``, or a public module, with only a docstring, imports and ``__all__`` in it."""
    if module.name != "__init__.py" and module.parent != PACKAGE:
        return False
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
                pass
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                pass
            case ast.Expr(value=ast.Call(func=ast.Name(id="publish"))) | ast.Delete():
                pass
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="constant"))):
                pass
            case _:
                return False
    return True


def lacks_tests(module: Path) -> bool:
    return not only_reexports(module) and not any(home.is_file() for home in homes_of_tests(module))


@pytest.mark.parametrize("tree", TREES)
def test_no_file_is_long(tree: str) -> None:
    lengths = {path.relative_to(ROOT).as_posix(): line_count(path) for path in python_files(tree)}
    assert {path: lines for path, lines in lengths.items() if lines > LONGEST_FILE} == {}


@pytest.mark.parametrize("trees", [TREES, ("src",)], ids=["all", "src"])
def test_most_files_are_short(trees: tuple[str, ...]) -> None:
    # Package files that hold next to nothing would make any median small.
    lengths = [line_count(path) for path in python_files(*trees) if path.name != "__init__.py"]
    assert median(lengths) < LONGEST_MEDIAN


def modules_without_tests() -> list[str]:
    modules = sorted(PACKAGE.rglob("*.py"))
    return [module.relative_to(PACKAGE).as_posix() for module in modules if lacks_tests(module)]


def test_each_module_has_its_own_test_module() -> None:
    missing = modules_without_tests()
    assert [module for module in missing if not any(fnmatch(module, entry) for entry in UNTESTED)] == []


def test_the_list_of_untested_modules_only_shrinks() -> None:
    missing = modules_without_tests()
    assert [entry for entry in UNTESTED if not any(fnmatch(module, entry) for module in missing)] == []
    assert len(UNTESTED) <= UNTESTED_AT_MOST
    assert all(UNTESTED.values())


@pytest.mark.parametrize(
    ("module", "homes"),
    [
        ("stability.py", {"test_stability.py"}),
        ("_core/frozen.py", {"core/test_frozen.py", "test_core_frozen.py"}),
        ("_core/hold/scan.py", {"core/hold/test_scan.py", "core/test_hold_scan.py"}),
        ("_core/hold/hold.py", {"core/hold/test_hold.py", "core/test_hold.py"}),
        ("_agent/__init__.py", {"agent/test_init.py", "test_agent_init.py"}),
        (
            "_contract/traces/turn.py",
            {"contract_package/traces/test_turn.py", "contract_package/test_traces_turn.py"},
        ),
        (
            "_contract/clauses/finalize.py",
            {"contract/test_finalize.py", "contract_package/clauses/test_finalize.py"},
        ),
    ],
)
def test_tests_are_found_by_the_name_of_their_module(module: str, homes: set[str]) -> None:
    found = {home.relative_to(TESTS).as_posix() for home in homes_of_tests(PACKAGE / module)}
    assert found == homes


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ('"""Words."""\nimport a\nfrom a import b\n__all__ = ["b"]\n', True),
        ("", True),
        ("def f() -> None: ...\n", False),
        ("x = 1\n", False),
        ("if a:\n    import b\n", False),
    ],
)
def test_a_package_file_with_code_in_it_needs_a_test_module(tmp_path: Path, text: str, plain: bool) -> None:
    module = tmp_path / "__init__.py"
    module.write_text(text, encoding="utf-8")
    assert only_reexports(module) is plain
    assert not only_reexports(module.rename(tmp_path / "module.py"))
