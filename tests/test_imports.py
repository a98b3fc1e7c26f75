"""What imports what: the layers, the purity of the core, and how little ``import finalturn`` loads."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
_ENV = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
CORE = ROOT / "src" / "finalturn" / "_core"
CORE_MAY_IMPORT = sys.stdlib_module_names | {"finalturn", "pydantic", "pydantic_core", "typing_extensions"}

# Loaded by neither `import finalturn` nor by making an agent's parts: an HTTP client, an event loop, a
# JSON-Schema library, and what belongs to them.
HEAVY = (
    "aiosqlite", "alembic", "anyio", "asyncio", "concurrent.futures", "fastapi", "http.client", "httpcore",
    "httpcore2", "httpx", "httpx2", "jsonschema", "logging", "multiprocessing", "referencing", "rich",
    "socket", "sqlalchemy", "sqlite3", "ssl", "starlette", "subprocess", "trio", "typer", "urllib.request",
)  # fmt: skip

_PYDANTIC_ALONE = "from pydantic import BaseModel, TypeAdapter\nclass Model(BaseModel):\n    field: int\n"
_LIST_MODULES = "import json, sys\nprint(json.dumps(sorted(sys.modules)))\n"


@cache
def modules_after(code: str) -> frozenset[str]:
    """The modules that a fresh interpreter has loaded after ``code``."""
    done = subprocess.run(
        [sys.executable, "-c", code + _LIST_MODULES],
        capture_output=True,
        text=True,
        check=True,
        env=_ENV,
        timeout=120,
    )
    return frozenset(json.loads(done.stdout))


def test_importing_the_library_loads_nothing_heavy_beyond_pydantic() -> None:
    added = modules_after("import finalturn\n") - modules_after(_PYDANTIC_ALONE)
    assert "finalturn" in added
    assert sorted(added.intersection(HEAVY)) == []


@pytest.mark.parametrize("name", ["finalturn._core.messages", "finalturn._core.output", "finalturn.local"])
def test_importing_a_part_of_it_loads_no_more(name: str) -> None:
    added = modules_after(f"import {name}\n") - modules_after(_PYDANTIC_ALONE)
    assert sorted(added.intersection(HEAVY)) == []


def imported_packages(module: Path) -> Iterator[str]:
    """The top-level packages that a module imports anywhere, lazily and for types too."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module.partition(".")[0]


def test_the_core_is_made_of_the_standard_library_and_pydantic() -> None:
    foreign = {
        f"{module.relative_to(ROOT)}: {package}"
        for module in CORE.rglob("*.py")
        for package in imported_packages(module)
        if package not in CORE_MAY_IMPORT
    }
    assert foreign == set()


def test_the_import_contracts_hold() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=_ENV,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
