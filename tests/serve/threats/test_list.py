"""The page of threats names the tests that there are, and all of them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "guides" / "threats.md"
HERE = Path(__file__).parent


def names_in(path: Path) -> set[str]:
    """The tests of a module, as pytest names them."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    names = [node.name for node in tree.body if isinstance(node, functions)]
    return {f"{path.relative_to(ROOT).as_posix()}::{name}" for name in names if name.startswith("test_")}


def threats_of_the_page() -> dict[str, list[str]]:
    """The tests that each threat of the page names."""
    text = PAGE.read_text(encoding="utf-8")
    parts = re.split(r"^### (.+)$", text, flags=re.MULTILINE)
    found = {
        title: re.findall(r"^tests/\S+::\S+$", body, flags=re.MULTILINE)
        for title, body in zip(parts[1::2], parts[2::2], strict=True)
    }
    assert found
    return found


def test_each_threat_names_a_test_that_there_is() -> None:
    for threat, tests in threats_of_the_page().items():
        assert tests, f"{threat}: names no test"
        for test in tests:
            path = ROOT / test.partition("::")[0]
            assert path.is_file() and test in names_in(path), f"{threat}: there is no test {test}"


def test_each_test_of_a_threat_is_on_the_page_once() -> None:
    named = [test for tests in threats_of_the_page().values() for test in tests]
    assert len(named) == len(set(named))
    there = {
        test for path in HERE.glob("test_*.py") if path.name != Path(__file__).name for test in names_in(path)
    }
    assert there - set(named) == set()
