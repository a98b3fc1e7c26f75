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
    "core/turn/_rules_*.py": "rows of the table: its test and the machine's go through each",
}
UNTESTED_AT_MOST = 1


def python_files(*trees: str) -> list[Path]:
    return sorted(path for tree in trees for path in (ROOT / tree).rglob("*.py"))


def line_count(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def homes_of_tests(module: Path) -> set[Path]:
    """Where the tests of a module may be.

    Those of ``core/hold/_fence.py`` are in ``tests/core/hold/test_fence.py``, or flat, in
    ``tests/core/test_hold_fence.py``; the flat name of ``core/hold/_hold.py`` is ``tests/core/test_hold.py``.
    What is in ``tests/contract`` proves clauses; the contract's own code has ``tests/contract_package``.
    """
    folder = TESTS / module.parent.relative_to(PACKAGE)
    name = module.stem.strip("_")
    homes = {folder / f"test_{name}.py"}
    if folder == TESTS / "contract":
        homes.add(TESTS / "contract_package" / f"test_{name}.py")
    if folder != TESTS:
        flat = folder.name if name == folder.name else f"{folder.name}_{name}"
        homes.add(folder.parent / f"test_{flat}.py")
    return homes


def only_reexports(module: Path) -> bool:
    """A package's ``__init__`` with nothing in it but a docstring, imports and ``__all__``."""
    if module.name != "__init__.py":
        return False
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
                pass
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                pass
            case ast.Expr(value=ast.Call(func=ast.Name(id="publish"))) | ast.Delete():
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
        ("core/_frozen.py", {"core/test_frozen.py", "test_core_frozen.py"}),
        ("core/hold/_fence.py", {"core/hold/test_fence.py", "core/test_hold_fence.py"}),
        ("core/hold/_hold.py", {"core/hold/test_hold.py", "core/test_hold.py"}),
        ("agent/__init__.py", {"agent/test_init.py", "test_agent_init.py"}),
        (
            "contract/_turn.py",
            {"contract/test_turn.py", "contract_package/test_turn.py", "test_contract_turn.py"},
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
